// SPDX-License-Identifier: Apache-2.0

import GRDB

/// A scratchpad for the objects of a store, with changes that are saved together.
///
/// A context belongs to an isolation region: the main actor for
/// ``ManagedObjectStore/mainContext``, the actor or task that made it for
/// ``ManagedObjectStore/makeContext()``, the closure for ``ManagedObjectStore/perform(_:)``. Neither
/// the context nor its objects can leave the region. Fetches and properties reflect the unsaved
/// changes of the context and of its parents.
///
/// A context takes the commits of other contexts when it fetches, saves or is refreshed; the main
/// context takes them as they arrive. Properties with unsaved changes keep their values, and saving
/// them is subject to ``mergePolicy``.
///
/// Properties of objects cannot throw. If reading one fails, the property keeps its last value and
/// the context keeps the error. Fetching and saving then throw it until ``rollback()``, so that no
/// value is saved that depends on one that could not be read. A stored value that the type of its
/// attribute cannot represent is reported once, with code ``PersistenceError/Code/unreadableValue``.
public final class ManagedObjectContext {
    /// The place that a context reads from and saves to.
    enum Role {
        /// Reads from and saves to the store.
        case root
        /// Saves to a context of the same region.
        case child(of: ManagedObjectContext)
        /// Collects what is saved, for a parent of another region.
        case transfer
        /// Reads a snapshot and saves nothing.
        case snapshot(Database)
        /// Reads and writes in a transaction.
        case transaction(StoreTransaction)

        /// The connections that read the rows below the unsaved changes.
        fileprivate var source: LayeredRows.Source {
            switch self {
            case .root, .transfer: .store
            case .child(let parent): parent.layered.source
            case .snapshot(let connection): .snapshot(connection)
            case .transaction(let transaction): .transaction(transaction)
            }
        }
    }

    /// The model of the store.
    public let model: ManagedObjectModel
    let database: StoreDatabase
    let role: Role
    /// A Boolean value that indicates whether the objects can be observed.
    let isObserved: Bool
    /// The rows with the unsaved changes.
    let layered: LayeredRows
    var identityMap = IdentityMap()
    var commits: CommitCursor
    var errors = ContextErrors()
    var requests = ContextRequests()

    /// The treatment of properties that the store has changed as well.
    ///
    /// A new context has the policy of ``StoreConfiguration/mergePolicy``, which is
    /// ``MergePolicy/fail`` by default; a child has the policy of its parent.
    public var mergePolicy: MergePolicy

    /// A closure that is called at the start of each save, with the context.
    ///
    /// The changes that it makes are part of the save. It is also called if there is nothing to save.
    /// If it throws an error, nothing is saved.
    public var willSave: ((ManagedObjectContext) throws -> Void)?

    init(
        _ database: StoreDatabase, role: Role = .root, layers: [ChangeSet] = [],
        isObserved: Bool = false, isTracked: Bool = false
    ) {
        model = database.model
        self.database = database
        self.role = role
        mergePolicy = database.mergePolicy
        layered = LayeredRows(
            database, role.source,
            ChangeLayers(
                layers, in: database.model,
                trackedBy: isTracked ? database.unsavedRows.track() : nil))
        self.isObserved = isObserved
        commits = CommitCursor(database.feed.last)
    }

    /// A Boolean value that indicates whether the context has unsaved changes.
    public var hasChanges: Bool { layered.layers.hasChanges }

    /// The context that this one saves to; `nil` if it saves to the store.
    ///
    /// A context of ``performChild(_:)`` has no access to its parent, which is of another region.
    public var parent: ManagedObjectContext? {
        if case .child(let parent) = role { parent } else { nil }
    }

    /// Calls a closure with another context of the same store, on the store's queue.
    ///
    /// See ``ManagedObjectStore/perform(_:)``.
    package func performInBackground<Result: Sendable>(
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) async throws -> Result {
        try await database.worker.run(database, body)
    }

    /// Calls a closure with a connection to the rows, without unsaved changes.
    ///
    /// Statements that the closure prepares must not outlive it.
    func read<Result>(
        _ body: (Database) throws -> Result
    ) throws(PersistenceError) -> Result {
        try layered.read(body)
    }

    /// Sets the origin of the commit of the transaction that the context is in, if it is in one.
    package func setOrigin(_ origin: StoreCommit.Origin) { transaction?.origin = origin }

    /// The transaction in which the context or one of its parents is.
    var transaction: StoreTransaction? { layered.transaction }

    /// Calls the closures that follow unsaved changes.
    func notifyChangeHandlers() {
        if layered.layers.changeHandlers.isEmpty { return }
        let handlers = layered.layers.changeHandlers
        let kept = handlers.filter { $0() }
        if kept.count == handlers.count { return }
        layered.layers.changeHandlers.replaceSubrange(..<handlers.count, with: kept)
    }

    // MARK: Inserting

    /// Inserts a new object with default values, whose row saving writes.
    ///
    /// - Throws: ``PersistenceError`` if the model has no such entity, or no key can be reserved.
    public func insert<Object: ManagedEntity>(
        _ type: Object.Type
    ) throws(PersistenceError) -> Object {
        let layout = try model.layout(of: type)
        let object = try insert(layout.defaults, layout)
        guard let object = object as? Object else {
            throw PersistenceError(.unknownEntity, entity: object.objectID.entityName)
        }
        return object
    }

    /// Inserts a new object of the entity with a name.
    ///
    /// - Throws: An error of ``insert(_:)``.
    public func insert(entity name: String) throws(PersistenceError) -> ManagedObject {
        let layout = try model.layout(named: name)
        return try insert(layout.defaults, layout)
    }

    /// Inserts a new object with a row, in which some columns do not have their default values.
    func insert(
        _ row: [StoredValue], changed: ColumnMask = ColumnMask(), _ layout: EntityLayout
    ) throws(PersistenceError) -> ManagedObject {
        let key = try layered.reserveKeys(1).lowerBound
        update(layout.table.index, key) {
            $0.insert(key, row, changed: changed, entity: layout.index)
        }
        let object = newObject(key, layout)
        identityMap.register(object)
        object.take(RowValues(row))
        return object
    }

    /// Creates an object, which the identity map does not have yet.
    func newObject(_ key: Int64, _ layout: EntityLayout) -> ManagedObject {
        let type = layout.description.objectType as? ManagedObject.Type ?? ManagedObject.self
        return type.init(
            ManagedObjectBinding(
                id: ManagedObjectID(key: key, layout: layout, store: database.identity),
                context: self))
    }
}

@available(*, unavailable, message: "a context belongs to its region; use store.perform")
extension ManagedObjectContext: Sendable {}
