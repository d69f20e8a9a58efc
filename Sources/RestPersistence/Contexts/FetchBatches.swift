// SPDX-License-Identifier: Apache-2.0

/// The objects of a request in batches, of which each is fetched when it is needed.
///
/// The IDs are those at the time of the request, so that later changes neither repeat nor skip an
/// object. Objects that were deleted since are left out. The context does not retain the objects of
/// earlier batches.
///
/// The batches belong to the region of their context. Between two batches the task yields.
public struct FetchBatches<Object: ManagedEntity>: AsyncSequence {
    /// The error of a batch.
    public typealias Failure = PersistenceError

    let context: ManagedObjectContext
    let ids: [ManagedObjectID]
    let size: Int

    /// The number of objects.
    public var count: Int { ids.count }

    /// Creates an iterator at the first batch.
    public func makeAsyncIterator() -> Iterator { Iterator(batches: self) }

    /// Calls a closure with each batch, without suspending.
    ///
    /// - Throws: The error of the closure, or ``PersistenceError``.
    public func forEachBatch(_ body: ([Object]) throws -> Void) throws {
        var iterator = Iterator(batches: self)
        while let batch = try iterator.nextBatch() { try body(batch) }
    }

    /// An iterator of the batches.
    public struct Iterator: AsyncIteratorProtocol {
        /// The error of a batch.
        public typealias Failure = PersistenceError

        let batches: FetchBatches
        private var position = 0

        init(batches: FetchBatches) { self.batches = batches }

        /// Fetches the next batch; `nil` after the last one.
        public mutating func next() async throws(PersistenceError) -> [Object]? {
            if position > 0 { await Task.yield() }
            return try nextBatch()
        }

        /// Fetches the next batch in the isolation of an actor; `nil` after the last one.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(PersistenceError) -> [Object]? {
            if position > 0 { await Task.yield() }
            return try nextBatch()
        }

        mutating func nextBatch() throws(PersistenceError) -> [Object]? {
            while position < batches.ids.count {
                let ids = batches.ids[position...].prefix(batches.size)
                position += ids.count
                let objects = try batches.context.objects(Object.self, with: Array(ids))
                if !objects.isEmpty { return objects }
            }
            return nil
        }
    }
}

@available(*, unavailable)
extension FetchBatches: Sendable {}

@available(*, unavailable)
extension FetchBatches.Iterator: Sendable {}

extension ManagedObjectContext {
    /// Fetches the IDs of objects of a class, and the objects in batches when they are needed.
    ///
    /// The size is the maximum number of objects in a batch.
    ///
    /// - Throws: An error of ``fetch(_:)``.
    public func batches<Object: ManagedEntity>(
        of size: Int, _ type: Object.Type,
        where predicate: (FetchSubject<Object>) -> FetchPredicate = { _ in .all },
        orderBy orderings: [FetchOrdering<Object>] = [], limit: Int? = nil, offset: Int = 0
    ) throws(PersistenceError) -> FetchBatches<Object> {
        let request = FetchRequest(
            type, where: predicate, orderBy: orderings, limit: limit, offset: offset)
        return FetchBatches(context: self, ids: try fetchIDs(request), size: max(1, size))
    }
}
