// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftSyntax

/// How far the members generated for a type may be seen.
enum AccessLevel: String {
    case open
    case `public`
    case package
    /// Internal or less: an unmarked member never exceeds its type.
    case unmarked

    /// The modifier of a member that nobody overrides, with the space after it, or nothing.
    var prefix: String { self == .open ? "public " : overridable }

    /// The modifier of a member that subclasses override, with the space after it, or nothing.
    var overridable: String { self == .unmarked ? "" : "\(rawValue) " }

    /// The level of a type, which inside `public extension` is public without saying so.
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
