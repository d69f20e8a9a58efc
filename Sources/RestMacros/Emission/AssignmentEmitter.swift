// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftSyntax
import SwiftSyntaxBuilder

/// Writes `assign`, the switch from a property's index to the draft's value of it.
struct AssignmentEmitter {
    private let declaration: MappedDeclaration

    init(_ declaration: MappedDeclaration) {
        self.declaration = declaration
    }

    var text: String {
        let first = declaration.superclass.map { " - \($0).Draft.propertyCount" } ?? ""
        let otherwise =
            declaration.superclass == nil ? "break" : "try super.assign(property, from: source)"
        return """
            func assign(_ property: Swift.Int, from source: RestMapping.MappingSource) \
            throws(RestMapping.MappingFailure) {
                switch property\(first) {
            \(cases.indented)
                default:
                    \(otherwise)
                }
            }
            """
    }

    private var cases: String {
        declaration.properties.enumerated().map { index, property in
            """
            case \(index):
                try source.assign(\(arguments(for: property)))
            """
        }.joined(separator: "\n")
    }

    private func arguments(for property: MappedProperty) -> String {
        let label = declaration.mergesAbsence(of: property) ? "nullable: " : ""
        var arguments = ["\(label)&self.\(declaration.draftName(of: property.storage))"]
        if declaration.isClass {
            let edited = declaration.editedName
            arguments.append("current: self.\(edited).map(\\.\(property.storage.identifier))")
        }
        if let value = property.storage.defaultValue(in: declaration.name) {
            arguments.append("default: \(value) as \(property.type.operandText)")
        }
        return arguments.joined(separator: ", ")
    }
}

extension StoredProperty {
    /// The value the declaration gives a variable, as an operand and as seen from inside of the
    /// draft, where `Self` would mean that.
    fileprivate func defaultValue(in type: String) -> String? {
        guard hasDefault, !isConstant, let initialValue else { return nil }
        let value = TypeNaming(type).rewrite(initialValue.castOperand ?? initialValue)
        let text = value.trimmedDescription
        return value.as(ExprSyntax.self)?.isOperand == true ? text : "(\(text))"
    }
}

/// Writes a type's name for `Self`.
private final class TypeNaming: SyntaxRewriter {
    private let type: String

    init(_ type: String) { self.type = type }

    override func visit(_ token: TokenSyntax) -> TokenSyntax {
        guard token.tokenKind == .keyword(.Self) else { return token }
        return token.with(\.tokenKind, .identifier(type))
    }
}

extension ExprSyntax {
    /// Whether no operator outside could tear this apart.
    fileprivate var isOperand: Bool {
        self.is(IntegerLiteralExprSyntax.self) || self.is(FloatLiteralExprSyntax.self)
            || self.is(BooleanLiteralExprSyntax.self) || self.is(StringLiteralExprSyntax.self)
            || self.is(ArrayExprSyntax.self) || self.is(DictionaryExprSyntax.self)
            || self.is(MemberAccessExprSyntax.self) || self.is(FunctionCallExprSyntax.self)
            || self.is(DeclReferenceExprSyntax.self)
    }
}

// MARK: - What drafts of all kinds hold

extension MappedDeclaration {
    /// The draft's own property, beside one for each mapped property.
    var editedName: String { freshName("edited") }

    /// Whether a draft refers to the instance it edits: a class to fill it, a structure to take
    /// over what is not mapped.
    var keepsEdited: Bool { isClass || !ignored.isEmpty }

    /// The draft's properties for the mapped ones.
    ///
    /// They are as visible as those; the instance's initializer, in the same file, reads them.
    var storage: [String] {
        properties.map {
            let isNarrow =
                $0.storage.variable.modifiers.contains(.private)
                || $0.storage.variable.modifiers.contains(.fileprivate)
            let modifiers = (isNarrow ? "fileprivate " : "") + (hasInheritableDraft ? "final " : "")
            return "\(modifiers)var \(draftName(of: $0.storage)): \(draftType(of: $0))"
        }
    }

    /// The draft's name for a property, which must not be that of a method without arguments.
    func draftName(of property: StoredProperty) -> String {
        property.name == "finish" ? freshName("mappedFinish") : property.identifier
    }

    /// Writes what was assigned into an instance; constants keep what they have.
    func assignments(to subject: String) -> String {
        properties.map(\.storage).filter { !$0.isConstant }.map {
            """
            if let \($0.identifier) = self.\(draftName(of: $0)) {
                \(subject).\($0.identifier) = \($0.identifier)
            }
            """
        }.joined(separator: "\n")
    }

    /// Whether an unassigned property ends as nil.
    func mergesAbsence(of property: MappedProperty) -> Bool {
        construction == .structure && property.storage.isOptional && !property.storage.hasDefault
    }

    /// The type of a draft's property, which tells "not assigned" from every value.
    ///
    /// Only where nil and "not assigned" come to the same is one level of optionality saved.
    private func draftType(of property: MappedProperty) -> String {
        let type = property.type.operandText
        return mergesAbsence(of: property) ? type : "\(type)?"
    }
}
#endif
