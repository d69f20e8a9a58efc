// SPDX-License-Identifier: Apache-2.0

/// The objects of a fetch request in a context of the main actor, kept up to date.
///
/// The results follow the unsaved changes of the context as well as the commits of other contexts and
/// processes, also those of objects that the context has not read yet. ``onChange`` is called after the
/// results changed, once for all changes of a transaction or of a turn of the main actor, and never if
/// nothing changed.
///
/// After ``ManagedObjectStore/reset()`` the results remain as they are, because their context has no
/// store any more. ``LiveCollection`` observes a store across resets.
@MainActor
public final class FetchedResults<Object: ManagedEntity> {
    /// The context.
    public let context: ManagedObjectContext
    /// The fetch request.
    public let request: FetchRequest
    /// The objects, in the order of the request.
    public private(set) var objects: [Object] = []
    /// The error of the last fetch, after which the objects are those of the fetch before; `nil` if it
    /// succeeded.
    public private(set) var error: PersistenceError?
    /// The closure that is called after the objects or the error changed.
    ///
    /// It receives the difference from the previous objects, which is empty if only ``error`` changed.
    public var onChange: ((ResultDifference) -> Void)?

    /// The values of the objects when they were fetched.
    private var rows: [RowValues] = []
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
        // Subscribed to before the first fetch, so that no commit is missed.
        let commits = context.database.commits(limit: 1)
        try fetch()
        context.changeHandlers.append { [weak self] in
            guard let self else { return false }
            MainActor.assumeIsolated { self.scheduleUpdate() }
            return true
        }
        Task { @MainActor [weak self] in
            for await _ in commits {
                guard let self else { return }
                self.context.takeCommits()
                self.update()
            }
        }
    }

    /// Fetches the objects again, as after an error.
    public func refresh() { update() }

    /// Updates the results once for all changes of this turn of the main actor.
    private func scheduleUpdate() {
        if isUpdateScheduled { return }
        isUpdateScheduled = true
        Task { @MainActor [weak self] in
            self?.isUpdateScheduled = false
            self?.update()
        }
    }

    private func update() {
        do throws(PersistenceError) {
            let difference = try fetch()
            let hadError = error != nil
            error = nil
            if !difference.isEmpty || hadError { onChange?(difference) }
        } catch {
            self.error = error
            onChange?(ResultDifference())
        }
    }

    @discardableResult
    private func fetch() throws(PersistenceError) -> ResultDifference {
        let new = try context.fetch(request).compactMap { $0 as? Object }
        let newRows = new.map(\.values)
        let difference = ResultDifference(
            from: objects.map(\.objectID), to: new.map(\.objectID)
        ) { rows[$0] != newRows[$1] }
        objects = new
        rows = newRows
        return difference
    }
}
