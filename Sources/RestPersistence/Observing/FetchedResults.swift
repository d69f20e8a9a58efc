// SPDX-License-Identifier: Apache-2.0

/// The objects of a fetch request in a context of the main actor, kept up to date.
///
/// The results follow the unsaved changes of the context as well as the commits of other contexts and
/// processes, also those of objects that the context has not read yet. ``onChange`` is called after the
/// results changed, once for all changes of a transaction or of a turn of the main actor, and never if
/// nothing changed.
///
/// A commit or an unsaved change of other tables than those of the request costs no query, and changed rows
/// are merged by their keys, unless the predicate or an ordering leads through relationships or the request
/// has a limit.
///
/// After ``ManagedObjectStore/reset(discardsUnsentEdits:)`` the results are empty, and ``error`` has the code
/// `storeClosed`, because their context has no store any more. ``FetchedObjects`` observes a store across
/// resets. If the store is closed, the objects remain.
@MainActor
public final class FetchedResults<Object: ManagedEntity> {
    /// The context.
    public let context: ManagedObjectContext
    /// The fetch request.
    public let request: FetchRequest
    /// The objects, in the order of the request.
    public var objects: [Object] { list.objects }
    /// The error of the last fetch, after which the objects are those of the fetch before; `nil` if it
    /// succeeded.
    public private(set) var error: PersistenceError?
    /// The closure that is called after the objects or the error changed.
    ///
    /// It receives the difference from the previous objects, which is empty if only ``error`` changed.
    public var onChange: ((ResultDifference) -> Void)?

    /// The number of times that all objects were fetched.
    private(set) var fetchCount = 0

    private var list = FetchedList<Object>()
    private var plan: FetchPlan
    private var dependencies: FetchDependencies
    private var cursor: ChangeCursor
    /// The rows that the last update has merged.
    ///
    /// Their places may be those of a commit that was not taken yet. The next update, which takes it, searches
    /// for them again.
    private var lastMerged: Set<Int64> = []
    private var isUpdateScheduled = false

    /// Creates results and fetches them.
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - predicate: The predicate that objects must match.
    ///   - orderings: The orderings, in descending significance.
    ///   - limit: The maximum number of objects; `nil` for no limit.
    ///   - context: A context of the main actor, such as ``ManagedObjectStore/mainContext``.
    /// - Throws: An error of ``ManagedObjectContext/fetch(_:)``.
    public convenience init(
        _ type: Object.Type,
        where predicate: (FetchSubject<Object>) -> FetchPredicate = { _ in .all },
        orderBy orderings: [FetchOrdering<Object>] = [], limit: Int? = nil,
        in context: ManagedObjectContext
    ) throws(PersistenceError) {
        try self.init(
            FetchRequest(type, where: predicate, orderBy: orderings, limit: limit), in: context)
    }

    init(_ request: FetchRequest, in context: ManagedObjectContext) throws(PersistenceError) {
        self.request = request
        self.context = context
        plan = try FetchPlan(request, in: context.database)
        dependencies = FetchDependencies(plan)
        // Subscribed to before the first fetch, so that no commit is missed.
        let commits = context.database.commits(limit: 1)
        cursor = ChangeCursor(context)
        try fetch()
        context.layered.layers.changeHandlers.append { [weak self] in
            guard let self else { return false }
            MainActor.assumeIsolated { self.scheduleUpdate() }
            return true
        }
        Task { @MainActor [weak self] in
            for await _ in commits {
                guard let self else { return }
                self.update()
            }
            self?.end()
        }
    }

    /// Fetches the objects again, as after an error.
    public func refresh() { update(isRefresh: true) }

    /// Updates the results once for all changes of this turn of the main actor.
    private func scheduleUpdate() {
        if isUpdateScheduled { return }
        isUpdateScheduled = true
        Task { @MainActor [weak self] in
            self?.isUpdateScheduled = false
            self?.update()
        }
    }

    private func update(isRefresh: Bool = false) {
        do throws(PersistenceError) {
            let effect = cursor.advance(in: context, for: dependencies)
            let difference: ResultDifference
            if isRefresh || error != nil {
                difference = try fetch()
            } else {
                difference = try merge(effect)
            }
            let hadError = error != nil
            error = nil
            if !difference.isEmpty || hadError { onChange?(difference) }
        } catch {
            self.error = error
            onChange?(ResultDifference())
        }
    }

    private func merge(_ effect: ChangeCursor.Effect) throws(PersistenceError) -> ResultDifference {
        guard case .rows(let changed) = effect else { return try fetch() }
        if changed.isEmpty { return ResultDifference() }
        let keys = changed.union(lastMerged)
        guard list.isMergeable(keys.count),
            let merge = try list.merge(
                of: keys, by: plan, prefetching: request.prefetchedPaths, in: context)
        else { return try fetch() }
        lastMerged = changed
        return list.apply(merge)
    }

    @discardableResult
    private func fetch() throws(PersistenceError) -> ResultDifference {
        fetchCount += 1
        lastMerged = []
        // The keys of its objects may have been replaced.
        plan = try FetchPlan(request, in: context.database)
        let objects = try context.fetch(plan, prefetching: request.prefetchedPaths)
        return list.replace(by: objects)
    }

    /// Ends with the store of the context; after a reset, the objects do not exist any more.
    private func end() {
        error = PersistenceError(.storeClosed)
        let isReplaced = context.database.isReplaced
        let difference = isReplaced ? list.replace(by: []) : ResultDifference()
        onChange?(difference)
    }
}
