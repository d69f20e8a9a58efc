// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftSyntax
import SwiftSyntaxBuilder

/// Writes `static let properties`, the table that names what a draft assigns by index.
struct PropertyTableEmitter {
    private let declaration: MappedDeclaration

    init(_ declaration: MappedDeclaration) {
        self.declaration = declaration
    }

    var syntax: DeclSyntax {
        let name = declaration.name
        let access = declaration.access.prefix
        let start = "RestMapping.PropertyTable(\(name).self, ["
        let entries = declaration.properties.map { "\n    \(entry($0))" }.joined(separator: ",")
        let lines = "\(start)\(entries)])".split(separator: "\n")
        // Generic types cannot have static storage.
        return declaration.isGeneric
            ? """
            \(raw: access)static var properties: RestMapping.PropertyTable {
            \(raw: lines.map { "    \($0)" }.joined(separator: "\n"))
            }
            """
            : "\(raw: access)static let properties = \(raw: lines.joined(separator: "\n"))"
    }

    private func entry(_ property: MappedProperty) -> String {
        var arguments = [
            "\"\(property.storage.name)\"",
            "\\\(declaration.name).\(property.storage.identifier)",
            "\(property.type.operandText).self",
        ]
        if let sourceKey = property.sourceKey { arguments.append("source: \(sourceKey)") }
        if property.isRequired { arguments.append("isRequired: true") }
        return "RestMapping.Property(\(arguments.joined(separator: ", ")))"
    }
}
#endif
