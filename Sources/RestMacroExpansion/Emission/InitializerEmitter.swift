// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftSyntax
import SwiftSyntaxBuilder

/// Emits the initializer that creates an instance from a draft, including constants.
///
/// The initializer does not repeat default values: it assigns such a property only if the draft has
/// a value. Values are moved out of the draft, which avoids a retain and a release of each.
struct InitializerEmitter {
    private let declaration: MappedDeclaration
    private let draft: String

    init(_ declaration: MappedDeclaration) {
        self.declaration = declaration
        draft = declaration.freshName("draft")
    }

    var syntax: DeclSyntax {
        let isInheritable = declaration.hasInheritableDraft
        let access =
            declaration.isolation + (isInheritable ? declaration.access.prefix : "fileprivate ")
        let parameter = isInheritable ? "Draft" : "consuming Draft"
        let ending = declaration.superclass == nil ? [] : ["try super.init(finishing: \(draft))"]
        let lines =
            declaration.isRefused
            ? ["Swift.fatalError()"]
            : guards + declaration.properties.flatMap(assignment) + ignoredAssignments + ending
        return """
            \(raw: access)init(finishing \(raw: draft): \(raw: parameter)) throws(RestMapping.MappingFailure) {
            \(raw: lines.joined(separator: "\n").indented)
            }
            """
    }

    /// The empty initializer, which Swift does not synthesize beside another one.
    var replacement: DeclSyntax? {
        guard case .superclass(losesInitializer: true) = declaration.construction else {
            return nil
        }
        return declaration.hasSuperclass
            ? "override init() {\n    super.init()\n}" : "init() {\n}"
    }

    /// The `guard` statements of required values, which precede all assignments.
    private var guards: [String] {
        let required = declaration.properties.enumerated().filter(\.element.isRequired)
        return required.flatMap { index, property in
            let identifier = property.storage.identifier
            let propertyIndex = declaration.index(index)
            return [
                "guard let \(identifier) = \(value(of: property)) else {",
                "    throw RestMapping.MappingFailure.missing(property: \(propertyIndex))",
                "}",
            ]
        }
    }

    private func assignment(_ property: MappedProperty) -> [String] {
        let identifier = property.storage.identifier
        if property.isRequired { return ["self.\(identifier) = \(identifier)"] }
        if declaration.mergesAbsence(of: property) {
            return ["self.\(identifier) = \(value(of: property))"]
        }
        if property.storage.isConstant {
            return ["self.\(identifier) = \(value(of: property)) ?? nil"]
        }
        return [
            "if let \(identifier) = \(value(of: property)) {",
            "    self.\(identifier) = \(identifier)",
            "}",
        ]
    }

    private func value(of property: MappedProperty) -> String {
        "\(draft).\(declaration.draftName(of: property.storage)).take()"
    }

    /// The assignments of ignored properties, which a structure copies from the edited value.
    private var ignoredAssignments: [String] {
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
