// SPDX-License-Identifier: Apache-2.0

/// A working copy of a store: unsaved changes laid over the rows.
///
/// A context has no thread, it has a region: the main actor for ``ManagedObjectStore/mainContext``,
/// the closure for ``ManagedObjectStore/perform(_:)``. Neither it nor its objects can be sent
/// elsewhere. Everything it reads shows its own unsaved changes.
///
/// Properties cannot throw. If the database fails behind one, it reads as empty, the failure is
/// kept, and fetching and saving throw it until ``rollback()``: nothing is saved that was worked out
/// from values that could not be read.
public final class ManagedObjectContext {
    let database: StoreDatabase
    var changes: ChangeSet
    var identityMap = IdentityMap()
    var failure: PersistenceError?

    init(_ database: StoreDatabase) {
        self.database = database
        changes = ChangeSet(model: database.model)
    }

    /// The store's entities.
    public var model: ManagedObjectModel { database.model }

    /// Whether there is anything to save.
    public var hasChanges: Bool { !changes.isEmpty }

    /// Runs work with another context of the same store, on the store's thread.
    ///
    /// For work that must not hold up this context's region; see ``ManagedObjectStore/perform(_:)``.
    package func performInBackground<Result: Sendable>(
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) async throws -> Result {
        try await database.worker.run(database, body)
    }

    // MARK: Inserting and deleting

    /// Makes an object with its default values; its row is written by ``save()``.
    ///
    /// - Throws: ``PersistenceError`` if the entity is not the store's, or no key can be reserved.
    public func insert<Object: ManagedEntity>(
        _ type: Object.Type
    ) throws(PersistenceError) -> Object {
        let object = try insert(model.layout(of: type))
        guard let object = object as? Object else {
            throw PersistenceError(.unknownEntity, entity: object.objectID.entityName)
        }
        return object
    }

    /// Makes an object of the entity of that name.
    ///
    /// - Throws: As ``insert(_:)``.
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

    /// Deletes an object; relationships that lead to it lead nowhere from now on.
    public func delete(_ object: ManagedObject) {
        precondition(object.context === self, "\(object.objectID) belongs to another context")
        guard !object.isDeleted else { return }
        let key = object.objectID.key
        if !object.isLoaded { object.load() }
        object.isDeleted = true
        changes.delete(key, in: object.layout)
        releaseReferences(to: key, of: object.layout)
    }

    /// Deletes a row, and its object if there is one.
    func delete(_ key: Int64, in layout: EntityLayout) {
        if let object = identityMap[key] { return delete(object) }
        changes.delete(key, in: layout)
        releaseReferences(to: key, of: layout)
    }

    /// Unsaved values that lead to a deleted row are taken back; the database does the rest.
    private func releaseReferences(to key: Int64, of layout: EntityLayout) {
        for other in model.layouts {
            for (column, description) in other.columns.enumerated() {
                guard let position = description.relationship,
                    other.relationships[position].destination == layout.index
                else { continue }
                for holder in changes.references(to: key, column, in: other.index) {
                    set(.null, column, of: holder, in: other)
                }
            }
        }
        for (index, link) in model.links.enumerated() {
            if link.source == layout.index { changes.forgetLinks(of: key, index, isSource: true) }
            if link.target == layout.index { changes.forgetLinks(of: key, index, isSource: false) }
        }
    }

    /// Sets a column of a row, and of its object if there is one.
    func set(_ value: StoredValue, _ column: Int, of key: Int64, in layout: EntityLayout) {
        if let object = identityMap[key], object.isLoaded { object.values[column] = value }
        changes.set(value, column, of: key, in: layout)
    }

    // MARK: Giving up

    /// Gives up every unsaved change; objects that were never saved are deleted objects from then on.
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

    /// Reads rows again when their objects are next used; unsaved values stay.
    public func refreshAll() {
        for object in identityMap.objects where !object.isDeleted { object.isLoaded = false }
    }

    func throwFailure() throws(PersistenceError) {
        if let failure { throw failure }
    }

    // MARK: Making objects

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
