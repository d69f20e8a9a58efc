// SPDX-License-Identifier: Apache-2.0

public import RestDocument
public import RestNetworking
public import RestPersistence

/// The pages of a list, fetched one by one as they are asked for, each saved before it is given.
///
/// Every walk over it begins anew. After an error the walk is over; the pages given before are in
/// the store, the one that failed is not.
public struct ManagedPages<Object: ManagedEntity>: AsyncSequence, Sendable {
    /// What a walk gives: one page in the store.
    public typealias Element = ManagedResult

    /// What a walk throws: see ``RestNetworking/ObjectManager/getObjects(_:at:parameters:into:)``.
    public typealias Failure = any Error

    let manager: ObjectManager
    let path: String
    let parameters: Document
    let pagination: Pagination
    let store: ManagedObjectStore

    /// Begins a walk; nothing is fetched yet.
    public func makeAsyncIterator() -> Iterator {
        Iterator(
            manager,
            walk: ResponseWalk(
                manager, by: pagination, at: path, parameters: parameters,
                expecting: ObjectManager.descriptor(of: Object.self)),
            store: store)
    }

    /// A walk from page to page.
    public struct Iterator: AsyncIteratorProtocol {
        private let manager: ObjectManager
        private var walk: ResponseWalk
        private let store: ManagedObjectStore

        init(_ manager: ObjectManager, walk: ResponseWalk, store: ManagedObjectStore) {
            self.manager = manager
            self.walk = walk
            self.store = store
        }

        /// Fetches and saves the next page; `nil` after the last one.
        public mutating func next() async throws -> ManagedResult? {
            try await next(isolation: #isolation)
        }

        /// Fetches and saves the next page, waited for in the caller's isolation.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws -> ManagedResult? {
            do {
                guard let response = try await walk.next() else { return nil }
                let step = try ResponseImport(response, into: store.model)
                let result = try await store.perform { context in try step.run(in: context) }
                await manager.markMapped(response)
                return result
            } catch {
                walk.end()
                throw error
            }
        }
    }
}

extension ObjectManager {
    /// The pages of a list of objects, into a store.
    ///
    /// - Parameters:
    ///   - type: The entity's class.
    ///   - path: A path under the base URL.
    ///   - parameters: An object whose members go into the query, as a form.
    ///   - pagination: How to get from one page to the next.
    ///   - store: Where the objects go.
    /// - Returns: The pages, to be walked with `for try await`.
    public func pages<Object: ManagedEntity>(
        of type: Object.Type, at path: String, parameters: Document = [:],
        by pagination: Pagination, into store: ManagedObjectStore
    ) -> ManagedPages<Object> {
        ManagedPages(
            manager: self, path: path, parameters: parameters, pagination: pagination,
            store: store)
    }
}
