// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftSyntax

/// The access level of the members generated for a type.
enum AccessLevel: String {
    case open
    case `public`
    case package
    /// Internal or less. The access of a member without a modifier does not exceed its type's.
    case unmarked

    /// The modifier of a member that is not overridden, followed by a space, or an empty string.
    var prefix: String { self == .open ? "public " : overridable }

    /// The modifier of a member that subclasses override, followed by a space, or an empty string.
    var overridable: String { self == .unmarked ? "" : "\(rawValue) " }

    /// Creates the access level of a type.
    ///
    /// A type without a modifier in a `public extension` is public.
    init(of modifiers: DeclModifierListSyntax, in lexicalContext: [Syntax]) {
        let enclosing = lexicalContext.first?.as(ExtensionDeclSyntax.self)?.modifiers
        self = Self.named(in: modifiers) ?? enclosing.flatMap(Self.named) ?? .unmarked
    }

    private static func named(in modifiers: DeclModifierListSyntax) -> AccessLevel? {
        if modifiers.contains(.open) { return .open }
        if modifiers.contains(.public) { return .public }
        if modifiers.contains(.package) { return .package }
        let narrow: [Keyword] = [.internal, .fileprivate, .private]
        return narrow.contains { modifiers.contains($0) } ? .unmarked : nil
    }
}
#endif
