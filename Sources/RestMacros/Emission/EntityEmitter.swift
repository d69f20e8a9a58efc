// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftSyntax
import SwiftSyntaxBuilder

/// Emits `static let entity`, the description of an entity.
///
/// The functions of descriptions and objects are overloaded on the property's type, so the compiler
/// distinguishes attributes, to-one relationships and to-many relationships.
struct EntityEmitter {
    private let declaration: EntityDeclaration

    init(_ declaration: EntityDeclaration) {
        self.declaration = declaration
    }

    var syntax: DeclSyntax {
        let name = declaration.name
        let entityName = declaration.entityName.map { "name: \($0), " } ?? ""
        let entries = declaration.properties.map { "\n    \(entry($0))" }.joined(separator: ",")
        return """
            \(raw: declaration.access.prefix)static let entity = \
            RestPersistence.EntityDescription(\(raw: name).self, \(raw: entityName)[\(raw: entries)])
            """
    }

    private func entry(_ property: ManagedProperty) -> String {
        var arguments = [
            "\"\(property.name)\"",
            "\\\(declaration.name).\(property.identifier)",
        ]
        if let sourceKey = property.sourceKey { arguments.append("sourceKey: \(sourceKey)") }
        if property.isIdentity { arguments.append("isIdentity: true") }
        if let value = property.defaultValue { arguments.append("default: \(value)") }
        if let inverse = property.inverse { arguments.append("inverse: \(inverse)") }
        return ".property(\(arguments.joined(separator: ", ")))"
    }
}
#endif
