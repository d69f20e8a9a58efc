// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftSyntax
import SwiftSyntaxBuilder

/// Writes `static let entity`, the description of an entity.
///
/// Whether a property is an attribute, a relationship to one or to many is the compiler's to say:
/// the description's and the object's functions are overloaded on the property's type.
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
