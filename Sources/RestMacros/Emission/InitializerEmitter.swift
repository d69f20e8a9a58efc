// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftSyntax
import SwiftSyntaxBuilder

/// Writes the initializer that makes an instance from a draft, constants included.
///
/// Defaults are not repeated: a property with one is overwritten only if the draft has a value.
/// Values are taken out of the draft, not copied, so that none is retained and released on the way.
struct InitializerEmitter {
    private let declaration: MappedDeclaration
    private let draft: String

    init(_ declaration: MappedDeclaration) {
        self.declaration = declaration
        draft = declaration.freshName("draft")
    }

    var syntax: DeclSyntax {
        let lines = guards + declaration.properties.flatMap(assignment) + takeovers
        return """
            fileprivate init(finishing \(raw: draft): consuming Draft) throws(RestMapping.MappingFailure) {
            \(raw: lines.map { "    \($0)" }.joined(separator: "\n"))
            }
            """
    }

    /// Required values, all of them before anything is assigned.
    private var guards: [String] {
        let required = declaration.properties.enumerated().filter(\.element.isRequired)
        return required.flatMap { index, property in
            let identifier = property.storage.identifier
            return [
                "guard let \(identifier) = \(draft).\(identifier).take() else {",
                "    throw RestMapping.MappingFailure.missing(property: \(index))",
                "}",
            ]
        }
    }

    private func assignment(_ property: MappedProperty) -> [String] {
        let identifier = property.storage.identifier
        if property.isRequired { return ["self.\(identifier) = \(identifier)"] }
        if declaration.mergesAbsence(of: property) {
            return ["self.\(identifier) = \(draft).\(identifier).take()"]
        }
        if property.storage.isConstant {
            return ["self.\(identifier) = \(draft).\(identifier).take() ?? nil"]
        }
        return [
            "if let \(identifier) = \(draft).\(identifier).take() {",
            "    self.\(identifier) = \(identifier)",
            "}",
        ]
    }

    /// What is not mapped: a structure takes it from the value it was edited from.
    private var takeovers: [String] {
        let edited = declaration.editedName
        return declaration.ignored.flatMap { property -> [String] in
            let identifier = property.identifier
            if property.isConstant {
                let value = declaration.isClass ? "nil" : "\(draft).\(edited)?.\(identifier)"
                return ["self.\(identifier) = \(value)"]
            }
            guard !declaration.isClass else { return [] }
            return [
                "if let \(edited) = \(draft).\(edited) {",
                "    self.\(identifier) = \(edited).\(identifier)",
                "}",
            ]
        }
    }
}
#endif
