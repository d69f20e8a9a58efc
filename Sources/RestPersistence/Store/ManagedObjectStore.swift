// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Synchronization

/// A store of managed objects in an SQLite database.
///
/// Other programs can read the database while the store is open. Views use ``mainContext``.
/// Background work uses ``perform(_:)``, which runs closures serially on a queue of the store.
public final class ManagedObjectStore: Sendable {
    /// The URL of the database file.
    public let url: URL
    /// The model of the store.
    public let model: ManagedObjectModel
    /// The configuration with which the store was opened.
    public let configuration: StoreConfiguration
    /// The identifier of the content, which copies of the file share.
    ///
    /// ``reset(discardsUnsentEdits:)`` changes it, unless the store has a seed.
    public var identity: UUID { database.identity }

    private let directory: TemporaryStoreDirectory?
    private let current: Mutex<StoreDatabase>
    private let isClosed = Mutex(false)
    /// The observer of saves, which a reset attaches to the new content.
    private let observer = Mutex<(any SaveObserver)?>(nil)
    /// The queue of resets and closing, which cannot overlap.
    private let lifecycle = DispatchQueue(label: "RestPersistence.lifecycle", qos: .userInitiated)

    /// The open database, which a reset replaces.
    var database: StoreDatabase { current.withLock(\.self) }

    /// The context of the main actor, for views.
    ///
    /// It takes the commits of other contexts as they arrive. Its objects can be observed. After
    /// ``reset(discardsUnsentEdits:)`` it is another context.
    @MainActor public var mainContext: ManagedObjectContext {
        let database = database
        if let viewContext, viewContext.database === database { return viewContext }
        database.reserveKeysAhead()
        let context = ManagedObjectContext(database, isObserved: true, isTracked: true)
        viewContext = context
        // One element suffices, because the context takes all commits that it has not taken.
        let commits = database.commits(limit: 1)
        Task { @MainActor [weak context] in
            for await _ in commits { context?.takeCommits() }
        }
        return context
    }

    @MainActor private var viewContext: ManagedObjectContext?

    /// Creates a store by opening a database file, which is created if it does not exist.
    ///
    /// A new file, and a new directory for it, are accessible to their owner only.
    ///
    /// - Throws: ``PersistenceError`` with code `cannotOpen`, `readOnly`, `notADatabase` or `corrupt`,
    ///   `wrongApplicationID` for a database of another application, `unsupportedFormat` for one of
    ///   another version of this library, `modelMismatch` with all differences if the file was created
    ///   for another model, or `unexpectedSchema` if its tables were altered or it has triggers or
    ///   views. The file is then unchanged.
    public convenience init(
        at url: URL, model: ManagedObjectModel, configuration: StoreConfiguration = .init()
    ) async throws {
        try await self.init(url: url, directory: nil, model: model, configuration: configuration)
    }

    /// Creates a store by opening a database file, with the model that the file describes.
    ///
    /// It is for programs that do not know the entities, such as tools. The objects have no classes, and
    /// the model has no defaults, validation and delete rules. Other stores and programs can have the
    /// file open.
    ///
    /// - Throws: ``PersistenceError`` with code `cannotOpen` if there is no file, or an error of
    ///   ``init(at:model:configuration:)``.
    public convenience init(
        adoptingModelOf url: URL, configuration: StoreConfiguration = .init()
    ) async throws {
        let model = try await BlockingWork.run { () throws(PersistenceError) in
            try StoreFile.model(at: PrivateFile.path(of: url))
        }
        try await self.init(at: url, model: model, configuration: configuration)
    }

    /// Creates a store for the entities of classes by opening or creating a database file.
    ///
    /// - Throws: ``PersistenceError`` with code `invalidModel`, or an error of
    ///   ``init(at:model:configuration:)``.
    public convenience init(
        at url: URL, entities: any ManagedEntity.Type...,
        configuration: StoreConfiguration = .init()
    ) async throws {
        try await self.init(
            at: url, model: ManagedObjectModel(entities), configuration: configuration)
    }

    /// Creates a temporary store, for tests, previews and caches.
    ///
    /// SQLite databases in memory have a single connection, or locks that make readers wait for the
    /// writer. A temporary store is therefore a file, which behaves as every other one, in a new
    /// directory that only its owner can access. It is not written through to the disk. It is deleted
    /// when the store is closed or released together with its contexts; if the process is killed, the
    /// next one that creates a temporary store deletes it.
    ///
    /// - Throws: An error of ``init(at:model:configuration:)``.
    public convenience init(
        temporaryFor model: ManagedObjectModel, configuration: StoreConfiguration = .init()
    ) async throws {
        guard !configuration.isReadOnly else {
            throw PersistenceError(.cannotOpen, details: ["a temporary store cannot be read-only"])
        }
        let directory = try await BlockingWork.run { () throws(PersistenceError) in
            try TemporaryStoreDirectory()
        }
        try await self.init(
            url: URL(filePath: directory.databasePath), directory: directory, model: model,
            configuration: configuration)
    }

    /// Creates a temporary store for the entities of classes.
    ///
    /// - Throws: ``PersistenceError`` with code `invalidModel`, or an error of
    ///   ``init(temporaryFor:configuration:)-(ManagedObjectModel,_)``.
    public convenience init(
        temporaryFor entities: any ManagedEntity.Type...,
        configuration: StoreConfiguration = .init()
    ) async throws {
        try await self.init(
            temporaryFor: ManagedObjectModel(entities), configuration: configuration)
    }

    private convenience init(
        url: URL, directory: TemporaryStoreDirectory?, model: ManagedObjectModel,
        configuration: StoreConfiguration
    ) async throws(PersistenceError) {
        let database = try await BlockingWork.run { () throws(PersistenceError) in
            try StoreDatabase(
                path: PrivateFile.path(of: url), model: model, configuration: configuration,
                directory: directory)
        }
        self.init(
            url: url, directory: directory, configuration: configuration, database: database)
    }

    init(
        url: URL, directory: TemporaryStoreDirectory?, configuration: StoreConfiguration,
        database: StoreDatabase
    ) {
        self.url = url
        self.directory = directory
        self.configuration = configuration
        model = database.model
        current = Mutex(database)
    }

    /// Returns the object ID of a URI; `nil` if it is of another store or has an unknown entity.
    public func objectID(for uri: URL) -> ManagedObjectID? {
        let identity = identity
        guard uri.scheme == "restkit",
            uri.host()?.lowercased() == identity.uuidString.lowercased()
        else { return nil }
        let parts = uri.pathComponents.filter { $0 != "/" }
        guard parts.count == 2, let key = Int64(parts[1]), key > 0,
            let layout = try? model.layout(named: parts[0])
        else { return nil }
        return ManagedObjectID(key: key, layout: layout, store: identity)
    }

    /// Attaches an observer of saves, to this content and to those after a reset.
    package func attach(_ saveObserver: any SaveObserver) {
        observer.withLock { $0 = saveObserver }
        database.saveObserver = saveObserver
    }

    // MARK: Closing

    /// Returns the open database, after a reset in progress; `nil` if the store is closed.
    func openDatabase() async -> StoreDatabase? {
        await withCheckedContinuation { continuation in
            lifecycle.async {
                let isClosed = self.isClosed.withLock(\.self)
                continuation.resume(returning: isClosed ? nil : self.database)
            }
        }
    }

    /// Closes the database file, and deletes that of a temporary store.
    ///
    /// Waits for the reads and the write in progress. Then all contexts of the store throw errors with
    /// code `storeClosed`, and unsaved changes are lost. Closing a closed store has no effect.
    ///
    /// - Throws: ``PersistenceError`` if the database cannot be closed; with code `busy` in the closures of
    ///   ``read(_:)`` and ``write(_:)``, for which it would wait. The store is then open.
    public func close() throws(PersistenceError) {
        try database.checkReentrancy()
        let result = lifecycle.sync {
            isClosed.withLock { $0 = true }
            return Result { () throws(PersistenceError) in try database.close() }
        }
        directory?.remove()
        try result.get()
    }

    /// Replaces the content by the initial one: nothing, or the seed of the configuration.
    ///
    /// The content of the file is replaced in one transaction. Unsaved changes are lost. Contexts that were
    /// created before, and work that waits for the store, throw errors with code `storeClosed`; objects of
    /// those contexts keep the values that they have read, and changes to them have no effect.
    /// ``mainContext`` is a new context. No ID of an earlier object denotes a later one.
    ///
    /// Other stores of this or another process can have the file open. They neither read nor write the new
    /// content: their work throws errors with code `fileChanged` until they are closed and opened again.
    ///
    /// If the content cannot be replaced, as when the seed is missing, the store and its contexts are
    /// unchanged. A file that is damaged is deleted and created again.
    ///
    /// - Parameter discardsUnsentEdits: A Boolean value that indicates whether the edits of an outbox that
    ///   were not sent yet are lost as well, refused ones included; `false` by default.
    /// - Throws: ``PersistenceError`` with code `unsentEdits` if there are such edits. `busy` if another
    ///   program does not finish its transaction within ``StoreConfiguration/busyTimeout``, or has opened a
    ///   damaged file. `readOnly` if the store is read-only, `storeClosed` if it is closed, or an error of
    ///   ``init(at:model:configuration:)``.
    public func reset(discardsUnsentEdits: Bool = false) async throws(PersistenceError) {
        try await BlockingWork.run(on: lifecycle) { () throws(PersistenceError) in
            try self.replaceDatabase(discardsUnsentEdits: discardsUnsentEdits)
        }
    }

    private func replaceDatabase(discardsUnsentEdits: Bool) throws(PersistenceError) {
        if isClosed.withLock(\.self) { throw PersistenceError(.storeClosed) }
        if configuration.isReadOnly { throw PersistenceError(.readOnly) }
        let old = database
        if !discardsUnsentEdits { try old.checkUnsentEdits() }
        let opening = StoreOpening(
            path: old.path, model: model, configuration: configuration)
        let replacement = try opening.file.makeReplacement(firstKey: old.nextKey)
        defer { replacement.remove() }
        do throws(PersistenceError) {
            try old.replaceContent(by: replacement.databasePath)
        } catch  where [.corrupt, .notADatabase, .fileChanged].contains(error.code) {
            try replaceFile(opening, by: replacement)
        }
        try open(opening)
    }

    /// Replaces a file that is damaged or was removed, which is the way to get rid of it.
    private func replaceFile(
        _ opening: StoreOpening, by replacement: TemporaryStoreDirectory
    ) throws(PersistenceError) {
        do throws(PersistenceError) {
            try database.close(toReplaceIt: true)
            try opening.file.replace(by: replacement)
        } catch {
            try open(opening)
            throw error
        }
    }

    /// Opens the file and makes it the current database.
    private func open(_ opening: StoreOpening) throws(PersistenceError) {
        let database = try StoreDatabase(
            path: opening.path, model: model, configuration: configuration, directory: directory)
        database.saveObserver = observer.withLock(\.self)
        current.withLock { $0 = database }
    }
}
