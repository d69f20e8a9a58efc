// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The changes of one transaction.
///
/// A transaction that changes no row has no commit. The commits of a store are in the order of its
/// transactions.
public struct StoreCommit: Sendable {
    /// The writer of a commit, open to additions in future versions.
    public struct Origin: Sendable, Hashable, CustomStringConvertible {
        private enum Storage: Hashable {
            case local
            case response(method: String, url: String)
            case eviction
            case outbox
            case foreign
        }

        private let storage: Storage

        /// A context of this store object.
        public static let local = Origin(storage: .local)

        /// A response to a request, with what the request has sent and the new objects of its context.
        ///
        /// The end of a walk over the pages of a list has the request of its first page.
        ///
        /// - Parameters:
        ///   - method: The request method.
        ///   - url: The URL with an ellipsis in place of its query, which can contain credentials.
        /// - Returns: The origin.
        public static func response(method: String, url: String) -> Origin {
            Origin(storage: .response(method: method, url: url))
        }

        /// The removal of collections, with the objects that only they have.
        public static let eviction = Origin(storage: .eviction)

        /// The outbox: the values of discarded edits, and what follows from the answers of the server.
        public static let outbox = Origin(storage: .outbox)

        /// Another connection: another program, or another store object for the same file.
        public static let foreign = Origin(storage: .foreign)

        /// A Boolean value that indicates whether the origin is a response.
        public var isResponse: Bool {
            if case .response = storage { true } else { false }
        }

        /// The name of the origin, for a response its method and URL.
        public var description: String {
            switch storage {
            case .local: "local"
            case .response(let method, let url): "response to \(method) \(url)"
            case .eviction: "eviction"
            case .outbox: "outbox"
            case .foreign: "foreign"
            }
        }
    }

    /// The writer of the commit.
    public let origin: Origin
    /// A Boolean value that indicates whether objects may have changed that the commit does not name.
    ///
    /// It is `true` for commits of other connections, of which only the tables are known.
    public var hasUnnamedChanges: Bool { tables.contains(where: \.isUnnamed) }

    /// The changed rows, by the index of the table.
    package let tables: [TableCommit]
    /// The changed rows of join tables, by the index of the link.
    package let links: [LinkCommit]
    /// The new rows of imports that were merged with stored ones.
    package let replacements: KeyReplacements
    /// The context that saved, which has the values already.
    package let writer: ContextToken?
    private let model: ManagedObjectModel
    private let store: UUID

    init(
        _ origin: Origin, tables: [TableCommit], links: [LinkCommit], writer: ContextToken? = nil,
        replacements: KeyReplacements = KeyReplacements(), model: ManagedObjectModel, store: UUID
    ) {
        self.origin = origin
        self.tables = tables
        self.links = links
        self.writer = writer
        self.replacements = replacements
        self.model = model
        self.store = store
    }

    /// Creates the commit of a transaction that has changed no row.
    init(_ origin: Origin, model: ManagedObjectModel, store: UUID) {
        self.init(
            origin, tables: model.tables.map { _ in TableCommit() },
            links: Array(repeating: LinkCommit(), count: model.links.count), model: model,
            store: store)
    }

    /// Creates the commit of another connection, of which only the changed tables are known.
    init(foreignTables changed: Set<Int>, model: ManagedObjectModel, store: UUID) {
        self.init(
            .foreign,
            tables: model.tables.map { TableCommit(isUnnamed: changed.contains($0.index)) },
            links: Array(repeating: LinkCommit(), count: model.links.count), model: model,
            store: store)
    }

    /// A Boolean value that indicates whether the transaction has changed no row.
    var isEmpty: Bool { tables.allSatisfy(\.isEmpty) && links.allSatisfy(\.isEmpty) }

    /// Returns a commit with the changes of a later save of the same transaction.
    func appending(_ later: StoreCommit) -> StoreCommit {
        var (tables, links) = (tables, links)
        for index in tables.indices { tables[index].append(later.tables[index]) }
        for index in links.indices { links[index].append(later.links[index]) }
        return StoreCommit(
            origin, tables: tables, links: links, writer: writer,
            replacements: replacements.adding(later.replacements), model: model, store: store)
    }

    /// The IDs of inserted objects, by entity in the order of the model.
    public var insertedIDs: [ManagedObjectID] { ids(\.inserted) }

    /// The IDs of objects with changed attributes or to-one relationships, in the order of their
    /// keys.
    public var updatedIDs: [ManagedObjectID] {
        tables.flatMap { table in
            table.updated.sorted { $0.key < $1.key }.map { id($0.key, $0.value.entity) }
        }
    }

    /// The IDs of deleted objects.
    public var deletedIDs: [ManagedObjectID] { ids(\.deleted) }

    /// Returns the names of the properties of an object that an update has changed.
    ///
    /// To-many relationships are included if they have a join table. Otherwise the change is one of
    /// the destinations, whose to-one relationship is included.
    public func changedProperties(of id: ManagedObjectID) -> Set<String> {
        var names: Set<String> = []
        let table = id.layout.table
        if let update = tables[table.index].updated[id.key] {
            for column in update.mask.columns { names.insert(table.columns[column].propertyName) }
        }
        for relationship in id.layout.relationships {
            guard case .link(let link, let isForward) = relationship.storage else { continue }
            let changed = links[link].inserted + links[link].deleted + links[link].moved
            if changed.contains(where: { $0.key(isSource: isForward) == id.key }) {
                names.insert(relationship.name)
            }
        }
        return names
    }

    private func ids(_ rows: KeyPath<TableCommit, [TableCommit.Row]>) -> [ManagedObjectID] {
        tables.flatMap { $0[keyPath: rows].map { id($0.key, $0.entity) } }
    }

    private func id(_ key: Int64, _ entity: Int) -> ManagedObjectID {
        ManagedObjectID(key: key, layout: model.layouts[entity], store: store)
    }
}

/// The changed rows of a table.
package struct TableCommit: Sendable {
    package struct Row: Sendable {
        package let key: Int64
        package let entity: Int

        package init(key: Int64, entity: Int) {
            self.key = key
            self.entity = entity
        }
    }

    package struct Update: Sendable {
        let entity: Int
        package var mask: ColumnMask
    }

    package var inserted: [Row] = []
    package var updated: [Int64: Update] = [:]
    package var deleted: [Row] = []
    /// A Boolean value that indicates whether any row may have changed.
    package var isUnnamed = false

    package var isEmpty: Bool {
        inserted.isEmpty && updated.isEmpty && deleted.isEmpty && !isUnnamed
    }

    mutating func update(_ key: Int64, _ entity: Int, _ mask: ColumnMask) {
        updated[key, default: Update(entity: entity, mask: ColumnMask())].mask.formUnion(mask)
    }

    /// Adds the changes of a later save of the same transaction.
    mutating func append(_ later: TableCommit) {
        guard !isEmpty else { return self = later }
        let new = Set(inserted.map(\.key))
        inserted += later.inserted
        for (key, change) in later.updated where !new.contains(key) {
            update(key, change.entity, change.mask)
        }
        let removed = Set(later.deleted.map(\.key))
        if !removed.isEmpty {
            inserted.removeAll { removed.contains($0.key) }
            updated = updated.filter { !removed.contains($0.key) }
            deleted += later.deleted.filter { !new.contains($0.key) }
        }
        isUnnamed = isUnnamed || later.isUnnamed
    }
}

/// The changed rows of a join table.
package struct LinkCommit: Sendable {
    package var inserted: [LinkPair] = []
    package var deleted: [LinkPair] = []
    /// The pairs with another position.
    package var moved: [LinkPair] = []

    package var isEmpty: Bool { inserted.isEmpty && deleted.isEmpty && moved.isEmpty }

    /// Adds the changes of a later save of the same transaction.
    mutating func append(_ later: LinkCommit) {
        guard !isEmpty else { return self = later }
        let (new, old) = (Set(inserted), Set(deleted))
        let (added, removed) = (Set(later.inserted), Set(later.deleted))
        // A pair that was removed and added again may have another position.
        moved = moved.filter { !removed.contains($0) } + added.intersection(old)
        moved += later.moved.filter { !new.contains($0) && !moved.contains($0) }
        inserted = inserted.filter { !removed.contains($0) } + added.subtracting(old)
        deleted = deleted.filter { !added.contains($0) } + removed.subtracting(new)
    }
}

/// The identity of a context in commits, which does not retain the context.
package final class ContextToken: Sendable {
    package init() {}
}
