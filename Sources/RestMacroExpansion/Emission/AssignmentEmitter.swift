// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftSyntax
import SwiftSyntaxBuilder

/// Emits `assign`, which switches over a property's index to assign the draft's value.
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
            func assign(_ property: Swift.Int, from source: RestMapping.ValueSource) \
            throws(RestMapping.MappingFailure) {
                switch property\(first) {
            \(cases.indented)    default:
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
        }.joined()
    }

    private func arguments(for property: MappedProperty) -> String {
        let target = "&self.\(declaration.draftName(of: property.storage))"
        if declaration.mergesAbsence(of: property) { return "nullable: \(target)" }
        if !declaration.isClass, property.storage.isEmptyCollectionByDefault {
            return "collection: \(target)"
        }
        var arguments = [target]
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
    /// A Boolean value that indicates whether the property is an array, dictionary or set that is empty
    /// by default.
    fileprivate var isEmptyCollectionByDefault: Bool {
        guard !isConstant, let type, let initialValue else { return false }
        if let list = initialValue.as(ArrayExprSyntax.self) {
            return list.elements.isEmpty && (type.is(ArrayTypeSyntax.self) || type.isSet)
        }
        guard let members = initialValue.as(DictionaryExprSyntax.self) else { return false }
        return members.content.is(TokenSyntax.self) && type.is(DictionaryTypeSyntax.self)
    }

    /// Returns the default value of a variable as an operand, in which the type's name replaces `Self`,
    /// as `Self` is the draft inside the draft.
    fileprivate func defaultValue(in type: String) -> String? {
        guard hasDefault, !isConstant, let initialValue else { return nil }
        let value = SelfRewriter(type).rewrite(initialValue.castOperand ?? initialValue)
        let text = value.trimmedDescription
        return value.as(ExprSyntax.self)?.isOperand == true ? text : "(\(text))"
    }
}

/// Replaces `Self` with a type's name.
private final class SelfRewriter: SyntaxRewriter {
    private let type: String

    init(_ type: String) { self.type = type }

    override func visit(_ token: TokenSyntax) -> TokenSyntax {
        guard token.tokenKind == .keyword(.Self) else { return token }
        return token.with(\.tokenKind, .identifier(type))
    }
}

extension ExprSyntax {
    /// A Boolean value that indicates whether the expression needs no parentheses as an operand.
    fileprivate var isOperand: Bool {
        self.is(IntegerLiteralExprSyntax.self) || self.is(FloatLiteralExprSyntax.self)
            || self.is(BooleanLiteralExprSyntax.self) || self.is(StringLiteralExprSyntax.self)
            || self.is(ArrayExprSyntax.self) || self.is(DictionaryExprSyntax.self)
            || self.is(MemberAccessExprSyntax.self) || self.is(FunctionCallExprSyntax.self)
            || self.is(DeclReferenceExprSyntax.self)
    }
}

// MARK: - Members of all drafts

extension MappedDeclaration {
    /// The name of the draft's property for the edited instance.
    var editedName: String { freshName("edited") }

    /// A Boolean value that indicates whether a draft stores the edited instance: of a class, to assign
    /// its properties; of a structure, to copy its ignored properties.
    var keepsEdited: Bool { isClass || !ignored.isEmpty }

    /// The declarations of the draft's properties for the mapped ones.
    ///
    /// They have the access level of the mapped ones, but at least `fileprivate`, as the instance's
    /// initializer reads them.
    var storage: [String] {
        properties.map {
            let isFileprivate =
                $0.storage.variable.modifiers.contains(.private)
                || $0.storage.variable.modifiers.contains(.fileprivate)
            let modifiers =
                (isFileprivate ? "fileprivate " : "") + (hasInheritableDraft ? "final " : "")
            return "\(modifiers)var \(draftName(of: $0.storage)): \(draftType(of: $0))"
        }
    }

    /// Returns the draft's name for a property, which must differ from the method `finish()`.
    func draftName(of property: StoredProperty) -> String {
        property.name == "finish" ? freshName("mappedFinish") : property.identifier
    }

    /// Returns the statements that assign the draft's values to an instance, except to constants.
    func assignments(to subject: String) -> String {
        properties.map(\.storage).filter { !$0.isConstant }.map {
            """
            if let \($0.identifier) = self.\(draftName(of: $0)) {
                \(subject).\($0.identifier) = \($0.identifier)
            }
            """
        }.joined(separator: "\n")
    }

    /// Returns a Boolean value that indicates whether an unassigned property becomes `nil`, so that the
    /// draft need not distinguish the two.
    func mergesAbsence(of property: MappedProperty) -> Bool {
        construction == .structure && property.storage.isOptional && !property.storage.hasDefault
    }

    /// Returns the type of a draft's property: optional, to represent "not assigned", unless that is
    /// the same as `nil`.
    private func draftType(of property: MappedProperty) -> String {
        let type = property.type.operandText
        return mergesAbsence(of: property) ? type : "\(type)?"
    }
}
#endif
