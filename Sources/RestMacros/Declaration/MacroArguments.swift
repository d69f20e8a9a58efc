// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftSyntax

extension AttributeSyntax {
    /// The attribute's name without its module: `MappedKey` for `@RestMapping.MappedKey("id")`.
    var baseName: String {
        if let member = attributeName.as(MemberTypeSyntax.self) { return member.name.text }
        if let name = attributeName.as(IdentifierTypeSyntax.self) { return name.name.text }
        return attributeName.trimmedDescription
    }

    /// The arguments between the parentheses, none if there are no parentheses.
    var labeledArguments: [LabeledExprSyntax] {
        guard case .argumentList(let list)? = arguments else { return [] }
        return Array(list)
    }
}

extension AttributeListSyntax {
    /// The attributes of that name, in source order.
    func named(_ name: String) -> [AttributeSyntax] {
        compactMap { $0.as(AttributeSyntax.self) }.filter { $0.baseName == name }
    }
}

extension StringLiteralExprSyntax {
    /// The characters between the quotes; nil if some are known at run time only.
    var plainText: String? {
        guard segments.allSatisfy({ $0.is(StringSegmentSyntax.self) }) else { return nil }
        return segments.description
    }
}

extension ExprSyntax {
    /// What stands before `as` in an expression that is nothing but that cast.
    var castOperand: ExprSyntax? { cast?.operand }

    /// The type after `as` in an expression that is nothing but that cast.
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
    /// Whether one of the modifiers is `keyword`, not counting `private(set)` and the like.
    func contains(_ keyword: Keyword) -> Bool {
        contains { $0.detail == nil && $0.name.tokenKind == .keyword(keyword) }
    }
}

extension TypeSyntax {
    /// Whether a value of the type may be absent: `T?`, `T!` or `Optional<T>`.
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

    /// The type as text that a postfix `?` or `.self` may follow.
    var operandText: String {
        if let unwrapped = self.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
            return "\(unwrapped.wrappedType.trimmedDescription)?"
        }
        let standsAlone =
            self.is(IdentifierTypeSyntax.self) || self.is(MemberTypeSyntax.self)
            || self.is(OptionalTypeSyntax.self) || self.is(ArrayTypeSyntax.self)
            || self.is(DictionaryTypeSyntax.self) || self.is(TupleTypeSyntax.self)
        return standsAlone ? trimmedDescription : "(\(trimmedDescription))"
    }
}
#endif
