// SPDX-License-Identifier: Apache-2.0

/// The effect of the representations of a document on the objects of a store.
///
/// The mode is part of an ``EntityMapping``, and therefore the same for all that imports by it: documents,
/// responses, the pages of a list and files. It applies to all objects of a document, also those inside of
/// others.
///
/// ```swift
/// var mapping = EntityMapping(Airport.self)
/// mapping.mode = .insertOnly
/// ```
///
/// ``ImportCounts/leftOut`` is the number of objects to which a representation did nothing because of the
/// mode.
public enum ImportMode: String, Sendable, Hashable, CaseIterable {
    /// Objects that do not exist are inserted, and those that exist are updated.
    case insertAndUpdate
    /// Objects that do not exist are inserted, and those that exist keep all values.
    ///
    /// New objects refer to existing ones. A relationship of an existing object gains new objects if they,
    /// or a join table, have its column; it loses none and does not move any.
    case insertOnly
    /// Objects that exist are updated, and no object is inserted.
    ///
    /// An object that does not exist is no destination: a relationship to it becomes `nil` or lacks it, unless
    /// it is required and keeps its destination. An identity in place of an object waits for its object as
    /// usual; see ``MissingDestination``.
    case updateOnly
    /// The objects of the document are deleted, by their delete rules, and nothing else is written.
    ///
    /// Identities are enough as representations. Objects inside of others are not deleted.
    case deleteOnly
}
