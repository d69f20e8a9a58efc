// SPDX-License-Identifier: Apache-2.0

/// The style of the keys of a representation, declared once for all properties of a type.
///
/// `@Mapped(keys:)` applies it to the property table at compile time, without any later cost; a key
/// given by `@MappedKey` is not changed. A word begins at an uppercase letter, and where uppercase
/// letters end: `avatarURLString` has the words `avatar`, `url` and `string`. Digits belong to the
/// preceding word.
public enum KeyStyle: Sendable, Hashable, CaseIterable {
    /// The name of the property: `publishedAt`.
    case asDeclared
    /// Snake case: `published_at`.
    case snakeCase
    /// Kebab case: `published-at`.
    case kebabCase
    /// Pascal case: `PublishedAt`.
    case pascalCase
}
