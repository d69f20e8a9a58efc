// SPDX-License-Identifier: Apache-2.0

/// The values of the objects of a fetch request, now and after each commit that changes them.
///
/// ```swift
/// for try await snapshot in store.values(Airport.Values.self, orderBy: \.name) {
///     print(snapshot.values.map(\.name), snapshot.difference.inserted)
/// }
/// ```
///
/// The first snapshot comes at once, the next after a commit of any context or process that changes a
/// value, an identity or the order. A transaction causes at most one snapshot. If several transactions
/// commit before the next snapshot is awaited, one snapshot has the changes of all. A transaction that
/// changes none of the values causes none.
///
/// The sequence continues after ``ManagedObjectStore/reset(discardsUnsentEdits:)`` and ends when the store is
/// closed or the task is cancelled. Unsaved changes are not part of it. It can be iterated several times, and
/// retains the store.
public struct ObservedValues<Values: ManagedValues>: AsyncSequence, Sendable {
    /// The result of a fetch, and its difference from the previous one.
    public struct Snapshot: Sendable {
        /// The values in the order of the request.
        public let values: [Values]
        /// The difference from the previous snapshot; all values are inserted in the first one.
        public let difference: ResultDifference
    }

    let store: ManagedObjectStore
    let request: FetchRequest

    /// Creates an iterator, which observes the store until it is released.
    public func makeAsyncIterator() -> Iterator { Iterator(store, request) }

    /// An iterator of snapshots.
    public struct Iterator: AsyncIteratorProtocol {
        private let store: ManagedObjectStore
        private let request: FetchRequest
        private var observation: RowObservation?
        private var values: [Values]?

        init(_ store: ManagedObjectStore, _ request: FetchRequest) {
            self.store = store
            self.request = request
        }

        /// Waits for the next snapshot.
        ///
        /// - Throws: ``PersistenceError`` if the request does not match the model or the rows cannot be
        ///   read; with code `unreadableValue`, which names the object and the attribute, if the type of
        ///   an attribute cannot represent a stored value.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(PersistenceError) -> Snapshot? {
            while let new = try await nextValues(isolation: actor) {
                let difference: ResultDifference
                if let old = values {
                    difference = ResultDifference(
                        from: old.map(\.objectID), to: new.map(\.objectID)
                    ) { old[$0].managedRow != new[$1].managedRow }
                    // The others have been checked when they were read.
                    for offset in difference.inserted + difference.updated {
                        try new[offset].managedRow.checkValues()
                    }
                    values = new
                    if difference.isEmpty { continue }
                } else {
                    values = new
                    difference = ResultDifference(ofFirst: new.count)
                }
                return Snapshot(values: new, difference: difference)
            }
            return nil
        }

        private mutating func nextValues(
            isolation actor: isolated (any Actor)?
        ) async throws(PersistenceError) -> [Values]? {
            if values != nil, var current = observation {
                let isOpen = await current.waitForCommit(isolation: actor)
                observation = current
                if isOpen {
                    do throws(PersistenceError) {
                        return try await current.load(Values.self, checksValues: false)
                    } catch {
                        if error.code != .storeClosed { throw error }
                    }
                }
            }
            while !Task.isCancelled, let database = await store.openDatabase(),
                database !== observation?.database
            {
                let next = try RowObservation(request, in: database)
                observation = next
                do throws(PersistenceError) {
                    return try await next.load(Values.self, checksValues: values == nil)
                } catch {
                    if error.code != .storeClosed { throw error }
                }
            }
            return nil
        }
    }
}

extension ManagedObjectStore {
    /// Returns the values of objects, now and after each commit that changes them.
    ///
    /// - Parameters:
    ///   - type: The values of an entity, such as `Airport.Values`.
    ///   - predicate: The predicate that objects must match.
    ///   - orderings: The orderings, in descending significance.
    ///   - limit: The maximum number of objects; `nil` for no limit.
    /// - Returns: A sequence, which observes the store while it is iterated.
    public func values<Values: ManagedValues>(
        _ type: Values.Type,
        where predicate: (FetchSubject<Values.Object>) -> FetchPredicate = { _ in .all },
        orderBy orderings: [FetchOrdering<Values.Object>] = [], limit: Int? = nil
    ) -> ObservedValues<Values> {
        ObservedValues(
            store: self,
            request: FetchRequest(
                Values.Object.self, where: predicate, orderBy: orderings, limit: limit))
    }

    /// Returns the values of objects, ordered by one attribute, now and after each commit that changes
    /// them.
    public func values<Values: ManagedValues>(
        _ type: Values.Type,
        where predicate: (FetchSubject<Values.Object>) -> FetchPredicate = { _ in .all },
        orderBy path: any KeyPath<Values.Object, some AttributeValue> & Sendable,
        limit: Int? = nil
    ) -> ObservedValues<Values> {
        values(type, where: predicate, orderBy: [.ascending(path)], limit: limit)
    }
}
