// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension ManagedObjectStore {
    /// Creates a store by opening a database file that exists, without suspending, such as before the first view
    /// of a program is shown.
    ///
    /// ```swift
    /// let store = try ManagedObjectStore(existingAt: file, model: model)
    /// ```
    ///
    /// The file must have been created for the model: it is neither created nor migrated. The calling thread
    /// reads and validates it, and waits up to ``StoreConfiguration/busyTimeout`` for a program that has locked
    /// it.
    ///
    /// - Throws: ``PersistenceError`` with code `cannotOpen` if there is no file or it is empty, `modelMismatch`
    ///   with all differences if it was created for another model, or another error of
    ///   ``init(at:model:configuration:)``. The file is then unchanged; open it with that initializer, which
    ///   creates and migrates files.
    public convenience init(
        existingAt url: URL, model: ManagedObjectModel, configuration: StoreConfiguration = .init()
    ) throws(PersistenceError) {
        let database = try StoreDatabase(
            path: PrivateFile.path(of: url), model: model, configuration: configuration,
            mustExist: true)
        self.init(url: url, directory: nil, configuration: configuration, database: database)
    }

    /// Creates a store for the entities of classes by opening a database file that exists, without suspending.
    ///
    /// - Throws: ``PersistenceError`` with code `invalidModel`, or an error of
    ///   ``init(existingAt:model:configuration:)``.
    public convenience init(
        existingAt url: URL, entities: any ManagedEntity.Type...,
        configuration: StoreConfiguration = .init()
    ) throws(PersistenceError) {
        try self.init(
            existingAt: url, model: ManagedObjectModel(entities), configuration: configuration)
    }
}
