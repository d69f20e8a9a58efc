// SPDX-License-Identifier: Apache-2.0

/// A scratchpad for the objects of a store, with changes that are saved together.
///
/// A context belongs to an isolation region: that of the main actor for
/// ``ManagedObjectStore/mainContext``, that of the closure for ``ManagedObjectStore/perform(_:)``.
/// Neither the context nor its objects can leave the region. Fetches and properties reflect the
/// unsaved changes of the context.
///
/// Properties of objects cannot throw. If reading one fails, the property is empty and the context
/// keeps the error. Fetching and saving then throw it until ``rollback()``, so that no value is saved
/// that depends on one that could not be read.
public final class ManagedObjectContext {
    let database: StoreDatabase
    var changes: ChangeSet
    var identityMap = IdentityMap()
    var failure: PersistenceError?

    init(_ database: StoreDatabase) {
        self.database = database
        changes = ChangeSet(model: database.model)
    }

    /// The model of the store.
    public var model: ManagedObjectModel { database.model }

    /// A Boolean value that indicates whether the context has unsaved changes.
    public var hasChanges: Bool { !changes.isEmpty }

    /// Calls a closure with another context of the same store, on the store's queue.
    ///
    /// See ``ManagedObjectStore/perform(_:)``.
    package func performInBackground<Result: Sendable>(
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) async throws -> Result {
        try await database.worker.run(database, body)
    }

    // MARK: Inserting and deleting

    /// Inserts a new object with default values, whose row ``save()`` writes.
    ///
    /// - Throws: ``PersistenceError`` if the model has no such entity, or no key can be reserved.
    public func insert<Object: ManagedEntity>(
        _ type: Object.Type
    ) throws(PersistenceError) -> Object {
        let object = try insert(model.layout(of: type))
        guard let object = object as? Object else {
            throw PersistenceError(.unknownEntity, entity: object.objectID.entityName)
        }
        return object
    }

    /// Inserts a new object of the entity with a name.
    ///
    /// - Throws: An error of ``insert(_:)``.
    public func insert(entity name: String) throws(PersistenceError) -> ManagedObject {
        try insert(model.layout(named: name))
    }

    private func insert(_ layout: EntityLayout) throws(PersistenceError) -> ManagedObject {
        let key = try database.reserveKeys(1).lowerBound
        changes.insert(key, layout.defaults, in: layout)
        let object = makeObject(key, layout)
        object.values = layout.defaults
        object.isLoaded = true
        return object
    }

    /// Deletes an object and removes it from the relationships of other objects.
    public func delete(_ object: ManagedObject) {
        precondition(object.context === self, "\(object.objectID) belongs to another context")
        guard !object.isDeleted else { return }
        let key = object.objectID.key
        if !object.isLoaded { object.load() }
        object.isDeleted = true
        changes.delete(key, in: object.layout)
        removeReferences(to: key, of: object.layout)
    }

    /// Deletes a row and its object, if one exists.
    func delete(_ key: Int64, in layout: EntityLayout) {
        if let object = identityMap[key] { return delete(object) }
        changes.delete(key, in: layout)
        removeReferences(to: key, of: layout)
    }

    /// Removes references to a deleted row from unsaved changes; the database removes saved ones.
    private func removeReferences(to key: Int64, of layout: EntityLayout) {
        let entities = layout.table.entities
        for other in model.tables {
            for column in other.references {
                guard let destination = other.columns[column].destination,
                    entities.contains(destination)
                else { continue }
                for source in changes.references(to: key, column, in: other.index) {
                    set(.null, column, of: source, in: model.layouts[other.entities[0]])
                }
            }
        }
        for (index, link) in model.links.enumerated() {
            if entities.contains(link.source) {
                changes.removeLinks(of: key, index, isSource: true)
            }
            if entities.contains(link.target) {
                changes.removeLinks(of: key, index, isSource: false)
            }
        }
    }

    /// Sets a column of a row and of its object, if one exists.
    func set(_ value: StoredValue, _ column: Int, of key: Int64, in layout: EntityLayout) {
        if let object = identityMap[key], object.isLoaded { object.values[column] = value }
        changes.set(value, column, of: key, in: layout)
    }

    // MARK: Discarding changes

    /// Discards all unsaved changes.
    ///
    /// Objects that were never saved become deleted.
    public func rollback() {
        for object in identityMap.objects {
            switch changes.state(of: object) {
            case .inserted, .dropped: object.isDeleted = true
            case .deleted: object.isDeleted = false
            case .updated, nil: break
            }
            if !object.isDeleted { object.isLoaded = false }
        }
        changes = ChangeSet(model: model)
        failure = nil
    }

    /// Refreshes all objects, which read their rows again on next access and keep unsaved changes.
    public func refreshAllObjects() {
        for object in identityMap.objects where !object.isDeleted { object.isLoaded = false }
    }

    func throwFailure() throws(PersistenceError) {
        if let failure { throw failure }
    }

    // MARK: Creating objects

    func makeObject(_ key: Int64, _ layout: EntityLayout) -> ManagedObject {
        let id = ManagedObjectID(key: key, layout: layout, store: database.identity)
        let binding = ManagedObjectBinding(id: id, context: self)
        let object = (layout.description.objectType ?? ManagedObject.self).init(binding)
        identityMap.register(object)
        return object
    }
}

@available(*, unavailable, message: "a context belongs to its region; use store.perform")
extension ManagedObjectContext: Sendable {}
