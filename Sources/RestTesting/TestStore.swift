// SPDX-License-Identifier: Apache-2.0

public import RestPersistence

/// A temporary store of one test, with objects that the test needs.
///
///     let test = try await TestStore(for: Human.self, Cat.self)
///     let human = try await test.insert(Human.self) { $0.name = "Blake" }
///     // …
///     try test.tearDown()
///
/// Each test has its own file, so tests can run in parallel. Objects are inserted into the main context
/// of the store, unless another context is given.
public struct TestStore: Sendable {
    /// The store.
    public let store: ManagedObjectStore

    /// Creates an empty store for a model.
    ///
    /// - Throws: `PersistenceError` if the file cannot be created.
    public init(for model: ManagedObjectModel) async throws {
        store = try await ManagedObjectStore(temporaryFor: model)
    }

    /// Creates an empty store for the entities of classes.
    ///
    /// - Throws: `PersistenceError` if the model is invalid or the file cannot be created.
    public init(for entities: any ManagedEntity.Type...) async throws {
        try await self.init(for: ManagedObjectModel(entities))
    }

    /// Inserts an object into the main context, sets its properties and returns it.
    ///
    /// The ID of the object is permanent from the beginning.
    ///
    /// - Parameters:
    ///   - type: The class of the object.
    ///   - change: A closure that sets properties.
    /// - Returns: The object.
    /// - Throws: `PersistenceError` if the model does not contain the entity, or an error of the
    ///   closure.
    @MainActor
    @discardableResult
    public func insert<Object: ManagedEntity>(
        _ type: Object.Type, _ change: (Object) throws -> Void = { _ in }
    ) throws -> Object {
        try store.mainContext.insertObject(type, change)
    }

    /// Inserts an object of an entity into the main context, sets its attributes and returns it.
    ///
    /// - Throws: `PersistenceError` if the model does not contain the entity or an attribute.
    @MainActor
    @discardableResult
    public func insert(
        _ entity: String, _ values: KeyValuePairs<String, any AttributeValue> = [:]
    ) throws -> ManagedObject {
        try store.mainContext.insertObject(entity, values)
    }

    /// Closes the store and removes its file with all side files.
    ///
    /// Unsaved changes are lost, and contexts of the store throw errors with code `storeClosed`. A
    /// store that is not torn down is removed when nothing refers to it any more.
    ///
    /// - Throws: `PersistenceError` if the database cannot be closed.
    public func tearDown() throws { try store.close() }
}

extension ManagedObjectContext {
    /// Inserts an object, sets its properties and returns it, for tests.
    ///
    /// - Throws: `PersistenceError` if the model does not contain the entity, or an error of the
    ///   closure.
    @discardableResult
    public func insertObject<Object: ManagedEntity>(
        _ type: Object.Type, _ change: (Object) throws -> Void = { _ in }
    ) throws -> Object {
        let object = try insert(type)
        try change(object)
        return object
    }

    /// Inserts an object of an entity, sets its attributes and returns it, for tests.
    ///
    /// - Throws: `PersistenceError` if the model does not contain the entity or an attribute.
    @discardableResult
    public func insertObject(
        _ entity: String, _ values: KeyValuePairs<String, any AttributeValue> = [:]
    ) throws -> ManagedObject {
        let object = try insert(entity: entity)
        for (name, value) in values { try object.setValue(value, name) }
        return object
    }
}
