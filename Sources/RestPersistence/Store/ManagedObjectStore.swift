// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A store of managed objects in an SQLite database.
///
/// Other programs can read the database while the store is open. Views use ``mainContext``.
/// Background work uses ``perform(_:)``, which runs closures serially on a queue of the store.
public final class ManagedObjectStore: Sendable {
    /// The URL of the database file.
    public let url: URL
    /// The model of the store.
    public var model: ManagedObjectModel { database.model }
    /// The identifier of the store, which copies of the file share.
    public var identity: UUID { database.identity }

    let database: StoreDatabase

    /// The context of the main actor, for views.
    ///
    /// It takes the commits of other contexts as they arrive. Its objects can be observed.
    @MainActor public var mainContext: ManagedObjectContext {
        if let viewContext { return viewContext }
        database.reserveKeysAhead()
        let context = ManagedObjectContext(database, isObserved: true)
        viewContext = context
        // One element suffices, because the context takes all commits that it has not taken.
        let commits = database.feed.commits(limit: 1)
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
    /// - Throws: ``PersistenceError`` with code `cannotOpen`, `notADatabase`, `wrongApplicationID`
    ///   for a database of another application, or `modelMismatch` if the file was created for
    ///   another model. The file is then unchanged.
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

    /// Returns the object ID of a URI; `nil` if it is of another store or has an unknown entity.
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

    /// Closes the database file; contexts of the store throw errors afterwards.
    ///
    /// - Throws: ``PersistenceError`` with code `busy` if a read or write is in progress.
    public func close() throws(PersistenceError) { try database.close() }
}

/// Opens files on a dispatch queue, because the disk may block.
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
