// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftSyntax

extension AttributeSyntax {
    /// The attribute's name without its module, such as `MappedKey` for
    /// `@RestMapping.MappedKey("id")`.
    var baseName: String {
        if let member = attributeName.as(MemberTypeSyntax.self) { return member.name.text }
        if let name = attributeName.as(IdentifierTypeSyntax.self) { return name.name.text }
        return attributeName.trimmedDescription
    }

    /// The arguments in parentheses; empty without parentheses.
    var labeledArguments: [LabeledExprSyntax] {
        guard case .argumentList(let list)? = arguments else { return [] }
        return Array(list)
    }
}

extension AttributeListSyntax {
    /// Returns the attributes with a name, in source order.
    func named(_ name: String) -> [AttributeSyntax] {
        compactMap { $0.as(AttributeSyntax.self) }.filter { $0.baseName == name }
    }
}

extension StringLiteralExprSyntax {
    /// The characters between the quotes, or `nil` if the literal has interpolations.
    var plainText: String? {
        guard segments.allSatisfy({ $0.is(StringSegmentSyntax.self) }) else { return nil }
        return segments.description
    }
}

extension ExprSyntax {
    /// The operand of an expression that consists of one `as` cast.
    var castOperand: ExprSyntax? { cast?.operand }

    /// The type of an expression that consists of one `as` cast.
    var castType: TypeSyntax? { cast?.type }

    private var cast: (operand: ExprSyntax, type: TypeSyntax)? {
        let elements = Array(self.as(SequenceExprSyntax.self)?.elements ?? [])
        guard elements.count == 3, let operation = elements[1].as(UnresolvedAsExprSyntax.self),
            operation.questionOrExclamationMark == nil,
            let type = elements[2].as(TypeExprSyntax.self)
        else { return nil }
        return (elements[0], type.type.trimmed)
    }
}

extension DeclModifierListSyntax {
    /// Returns a Boolean value that indicates whether one of the modifiers is `keyword`, excluding
    /// modifiers with details such as `private(set)`.
    func contains(_ keyword: Keyword) -> Bool {
        contains { $0.detail == nil && $0.name.tokenKind == .keyword(keyword) }
    }
}

extension TypeSyntax {
    /// A Boolean value that indicates whether the type is `T?`, `T!` or `Optional<T>`.
    var isOptional: Bool {
        if self.is(OptionalTypeSyntax.self) || self.is(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
            return true
        }
        if let name = self.as(IdentifierTypeSyntax.self) {
            return name.name.text == "Optional" && name.genericArgumentClause != nil
        }
        guard let member = self.as(MemberTypeSyntax.self) else { return false }
        return member.name.text == "Optional" && member.baseType.trimmedDescription == "Swift"
    }

    /// The type as source text that a postfix `?` or `.self` can follow.
    var operandText: String {
        if let unwrapped = self.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
            return "\(unwrapped.wrappedType.trimmedDescription)?"
        }
        let needsNoParentheses =
            self.is(IdentifierTypeSyntax.self) || self.is(MemberTypeSyntax.self)
            || self.is(OptionalTypeSyntax.self) || self.is(ArrayTypeSyntax.self)
            || self.is(DictionaryTypeSyntax.self) || self.is(TupleTypeSyntax.self)
        return needsNoParentheses ? trimmedDescription : "(\(trimmedDescription))"
    }
}
#endif
