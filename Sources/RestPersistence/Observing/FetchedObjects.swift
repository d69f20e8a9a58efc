// SPDX-License-Identifier: Apache-2.0

public import Observation

/// The objects of a fetch request in the main context of a store, for views.
///
/// ```swift
/// struct AirportList: View {
///     let airports: FetchedObjects<Airport>
///
///     var body: some View {
///         List(airports.objects) { Text($0.name) }
///     }
/// }
/// ```
///
/// The objects follow the unsaved changes of the main context and the commits of all others. A view that reads
/// ``objects`` is updated when objects are added, removed or moved. A view that reads a property of an object
/// is updated when that property changes, as objects of the main context are observable themselves. After
/// ``ManagedObjectStore/reset(discardsUnsentEdits:)`` the collection has the objects of the new content.
@MainActor @Observable
public final class FetchedObjects<Object: ManagedEntity> {
    /// The state of a collection.
    public enum Phase: Sendable {
        /// The objects are those of the store.
        case loaded
        /// The store was closed; the objects are the last ones.
        case closed
        /// The last fetch failed; the objects are those of the fetch before.
        case failed(PersistenceError)

        /// The error of a failed fetch; `nil` in other phases.
        public var error: PersistenceError? {
            if case .failed(let error) = self { error } else { nil }
        }

        /// A Boolean value that indicates whether the objects are those of the store.
        public var isLoaded: Bool {
            if case .loaded = self { true } else { false }
        }
    }

    /// The objects, in the order of the request.
    public var objects: [Object] {
        access(keyPath: \.objects)
        return results?.objects ?? []
    }

    /// The state of the collection.
    public private(set) var phase = Phase.loaded

    @ObservationIgnored private let store: ManagedObjectStore
    @ObservationIgnored private let request: FetchRequest
    @ObservationIgnored private var results: FetchedResults<Object>?

    /// Creates a collection and fetches its objects.
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - store: The store.
    ///   - predicate: The predicate that objects must match.
    ///   - orderings: The orderings, in descending significance.
    ///   - limit: The maximum number of objects; `nil` for no limit.
    public init(
        _ type: Object.Type = Object.self, in store: ManagedObjectStore,
        where predicate: (FetchSubject<Object>) -> FetchPredicate = { _ in .all },
        orderBy orderings: [FetchOrdering<Object>] = [], limit: Int? = nil
    ) {
        self.store = store
        request = FetchRequest(type, where: predicate, orderBy: orderings, limit: limit)
        refresh()
    }

    /// Creates a collection in ascending order of an attribute.
    public convenience init(
        _ type: Object.Type = Object.self, in store: ManagedObjectStore,
        where predicate: (FetchSubject<Object>) -> FetchPredicate = { _ in .all },
        orderBy path: any KeyPath<Object, some AttributeValue> & Sendable, limit: Int? = nil
    ) {
        self.init(type, in: store, where: predicate, orderBy: [.ascending(path)], limit: limit)
    }

    /// Fetches the objects again, as after an error.
    public func refresh() {
        let context = store.mainContext
        if let results, results.context === context {
            return results.refresh()
        }
        do throws(PersistenceError) {
            let results = try FetchedResults<Object>(request, in: context)
            results.onChange = { [weak self] difference in self?.show(difference) }
            withMutation(keyPath: \.objects) { self.results = results }
            if !phase.isLoaded { phase = .loaded }
            follow(context.database)
        } catch {
            phase = error.code == .storeClosed ? .closed : .failed(error)
        }
    }

    private func show(_ difference: ResultDifference) {
        // Only a change of the elements or of their order concerns the observers of the collection.
        if !difference.hasSameElements { withMutation(keyPath: \.objects) {} }
        if let error = results?.error {
            // The objects of the new content follow.
            if results?.context.database.isReplaced == true { return }
            phase = error.code == .storeClosed ? .closed : .failed(error)
        } else if !phase.isLoaded {
            phase = .loaded
        }
    }

    /// Waits for the end of a database, and continues with the next one after a reset.
    private func follow(_ database: StoreDatabase) {
        let commits = database.feed.commits(limit: 1)
        Task { @MainActor [weak self, store] in
            for await _ in commits where self == nil { return }
            let next = await store.openDatabase()
            guard let self else { return }
            if let next, next !== database { self.refresh() } else { self.phase = .closed }
        }
    }
}
