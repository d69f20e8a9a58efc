// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RestOutbox
public import RestPersistence
import RestTransport

/// A merge of edits with values that the server has set since.
public struct OutboxMerge: Sendable, Identifiable {
    /// The identity of a merge.
    public struct ID: Sendable, Hashable {
        let number: Int64
    }

    /// The values of a property that both sides had changed, as JSON; a reference is the key of a row.
    public struct Property: Sendable, Hashable {
        /// The name of the property.
        public let name: String
        /// The value that the server had when the property was edited.
        public let base: String
        /// The edited value.
        public let local: String
        /// The value of the server.
        public let server: String
        /// The value that was kept.
        public let result: String
    }

    /// A side of a merge.
    public enum Side: Sendable, Hashable {
        /// The edits.
        case local
        /// The server.
        case server
    }

    /// The identity of the merge.
    public let id: ID
    /// The object.
    public let objectID: ManagedObjectID
    /// The time.
    public let date: Date
    /// The properties that both sides had changed to different values, in the order of their names.
    public let properties: [Property]
}

extension Outbox {
    /// Returns the latest merges, the last one first.
    ///
    /// ``OutboxConfiguration/keptMergeCount`` is the number of merges that are kept.
    ///
    /// - Throws: `PersistenceError` of the store.
    public func merges() async throws -> [OutboxMerge] {
        let (model, identity) = (store.model, store.identity)
        return try await read { (tables) throws(PersistenceError) in
            try tables.storedMerges().compactMap { merge in
                guard let index = model.index(of: merge.object.entity) else { return nil }
                return OutboxMerge(
                    id: OutboxMerge.ID(number: merge.number),
                    objectID: ManagedObjectID(
                        key: merge.object.key, layout: model.layouts[index], store: identity),
                    date: merge.date, properties: merge.properties)
            }
        }
    }

    /// Restores the values of one side of a merge, by an ordinary save.
    ///
    /// Properties that have changed since the merge stay as they are.
    ///
    /// - Parameters:
    ///   - merge: The merge.
    ///   - side: The side; by default the edits, which are then edits again.
    /// - Returns: The names of the restored properties.
    /// - Throws: ``OutboxError`` with code `unknownEntry` if the merge is not kept any more; `PersistenceError` of
    ///   saving, with code `objectNotFound` if the object or one that it would refer to does not exist.
    @discardableResult
    public func undo(
        _ merge: OutboxMerge.ID, taking side: OutboxMerge.Side = .local
    ) async throws -> Set<String> {
        let stored = try await read { (tables) throws(PersistenceError) in
            try tables.storedMerges(merge.number).first
        }
        guard let stored, let index = store.model.index(of: stored.object.entity) else {
            throw OutboxError(.unknownEntry, "the merge is not kept any more")
        }
        let key = store.content.database.currentKey(of: stored.object.key)
        let id = ManagedObjectID(
            key: key, layout: store.model.layouts[index], store: store.identity)
        let restored = try await store.content.write { context -> Set<String> in
            let object = try context.object(with: id)
            var restored: Set<String> = []
            let values = side == .local ? stored.local : stored.server
            for (property, value) in values {
                let current = try object.storedValue(named: property)
                guard current == stored.result[property], current != value else { continue }
                try object.setStored(value, named: property)
                restored.insert(property)
            }
            if !restored.isEmpty { try context.save() }
            return restored
        }
        sender.wake()
        return restored
    }
}

extension StoredMerge {
    fileprivate var properties: [OutboxMerge.Property] {
        func text(_ value: StoredValue?) -> String { ExportedValue(value ?? .null).text }
        return result.keys.sorted().map { name in
            OutboxMerge.Property(
                name: name, base: text(base[name]), local: text(local[name]),
                server: text(server[name]), result: text(result[name]))
        }
    }
}
