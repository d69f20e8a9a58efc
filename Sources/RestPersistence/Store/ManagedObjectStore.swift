// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Managed objects in an SQLite file.
///
/// The file is an ordinary database: any SQL user can read it while the store is open. Background
/// work runs in ``perform(_:)``, one after the other on the store's own thread; views use
/// ``mainContext``.
public final class ManagedObjectStore: Sendable {
    /// Where the file is.
    public let url: URL
    /// The store's entities.
    public var model: ManagedObjectModel { database.model }
    /// What tells the store from others; copies of the file share it.
    public var identity: UUID { database.identity }

    private let database: StoreDatabase

    /// The context for views.
    @MainActor public var mainContext: ManagedObjectContext {
        if let viewContext { return viewContext }
        let context = ManagedObjectContext(database)
        viewContext = context
        return context
    }

    @MainActor private var viewContext: ManagedObjectContext?

    /// Opens the file, or makes it: the file for its owner alone, a missing directory too.
    ///
    /// - Throws: ``PersistenceError``: `invalidModel`, `cannotOpen`, `notADatabase`, `foreignFile`
    ///   for a database of another application, `modelMismatch` if it was made for other entities.
    ///   A file that is refused is left as it is.
    public init(
        at url: URL, model: ManagedObjectModel, configuration: StoreConfiguration = .init()
    ) async throws {
        guard url.isFileURL else {
            throw PersistenceError(.cannotOpen, details: ["the URL does not name a file"])
        }
        self.url = url
        database = try await StoreOpening.run {
            try StoreDatabase(
                path: url.path(percentEncoded: false), model: model, configuration: configuration)
        }
    }

    /// Opens the file, or makes it, for the entities of classes.
    ///
    /// - Throws: As ``init(at:model:configuration:)``.
    public convenience init(
        at url: URL, entities: any ManagedEntity.Type...,
        configuration: StoreConfiguration = .init()
    ) async throws {
        try await self.init(
            at: url, model: ManagedObjectModel(entities), configuration: configuration)
    }

    /// Runs work with a new context on the store's thread.
    ///
    /// Objects cannot leave the closure: return IDs, counts or values. What the closure does not
    /// save is given up.
    ///
    /// - Throws: What the closure throws; `CancellationError` if the task was cancelled before the
    ///   closure began. A closure that runs is not interrupted.
    public func perform<Result: Sendable>(
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) async throws -> Result {
        try await database.worker.run(database, body)
    }

    /// The ID a URI stands for; `nil` if it names another store or an entity that is unknown here.
    public func objectID(for uri: URL) -> ManagedObjectID? {
        guard uri.scheme == "restkit",
            uri.host()?.lowercased() == identity.uuidString.lowercased()
        else { return nil }
        let parts = uri.pathComponents.filter { $0 != "/" }
        guard parts.count == 2, let key = Int64(parts[1]), key > 0,
            let layout = try? model.layout(named: parts[0])
        else { return nil }
        return ManagedObjectID(key: key, layout: layout, store: identity)
    }

    /// Closes the file; contexts fail from then on.
    ///
    /// - Throws: ``PersistenceError`` with code `busy` while a read or write is under way.
    public func close() throws(PersistenceError) { try database.close() }
}

/// Opens files on a thread that may wait for the disk.
private enum StoreOpening {
    static func run(
        _ open: @escaping @Sendable () throws -> StoreDatabase
    ) async throws -> StoreDatabase {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global(qos: .userInitiated).async {
                continuation.resume(with: Result { try open() })
            }
        }
    }
}
