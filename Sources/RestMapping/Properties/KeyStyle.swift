// SPDX-License-Identifier: Apache-2.0

/// How the keys of a representation are written, where a type says so once for all its properties.
///
/// `@Mapped(keys:)` applies it when it writes the property table, so it costs nothing later; a key
/// given by `@MappedKey` stays as it is. A word begins at a capital letter, and where capitals end:
/// `avatarURLString` has the words `avatar`, `url` and `string`. Digits belong to the word before
/// them.
public enum KeyStyle: Sendable, Hashable, CaseIterable {
    /// As the property: `publishedAt`.
    case asDeclared
    /// `published_at`.
    case snakeCase
    /// `published-at`.
    case kebabCase
    /// `PublishedAt`.
    case pascalCase
}
