// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Synchronization

/// The open database: connections, model, identity and reserved keys.
final class StoreDatabase: Sendable {
    let model: ManagedObjectModel
    let identity: UUID
    /// The isolation of background contexts.
    let worker = StoreWorker()
    private let pool: DatabasePool
    /// The keys that are reserved in the file and not yet assigned.
    private let keys = Mutex<Range<Int64>>(0..<0)
    private static let keyBlock: Int64 = 256

    init(
        path: String, model: ManagedObjectModel, configuration: StoreConfiguration
    ) throws(PersistenceError) {
        var settings = Configuration()
        settings.label = "RestPersistence"
        settings.busyMode = .timeout(configuration.busyTimeout / .seconds(1))
        settings.maximumReaderCount = max(1, configuration.maximumReaderCount)
        settings.prepareDatabase { database in
            try database.execute(sql: "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
            database.add(collation: decimalCollation)
        }
        self.model = model
        identity = try StoreFile(path: path, model: model, configuration: settings).prepare()
        do {
            pool = try DatabasePool(path: path, configuration: settings)
        } catch {
            throw PersistenceError(wrapping: error)
        }
    }

    /// Closes the connections.
    ///
    /// The write-ahead log is checkpointed first, so that the file alone is complete. If another
    /// program is using the database, the log remains, and that program or the next one to open the
    /// file checkpoints it.
    func close() throws(PersistenceError) {
        do {
            _ = try? pool.writeWithoutTransaction { database in
                try database.checkpoint(.truncate)
            }
            try pool.close()
        } catch {
            throw PersistenceError(wrapping: error)
        }
    }

    func read<Result>(
        _ body: (Database) throws -> Result
    ) throws(PersistenceError) -> Result {
        do { return try pool.read(body) } catch { throw PersistenceError(wrapping: error) }
    }

    /// Calls a closure in a transaction, which is rolled back if the closure throws.
    func write<Result>(
        _ body: (Database) throws -> Result
    ) throws(PersistenceError) -> Result {
        do { return try pool.write(body) } catch { throw PersistenceError(wrapping: error) }
    }

    /// Reserves keys; a key is never reserved twice, even if its object is not saved.
    func reserveKeys(_ count: Int) throws(PersistenceError) -> Range<Int64> {
        let count = Int64(count)
        let reserved = keys.withLock { keys -> Range<Int64>? in
            guard count <= keys.count else { return nil }
            let range = keys.lowerBound..<keys.lowerBound + count
            keys = range.upperBound..<keys.upperBound
            return range
        }
        if let reserved { return reserved }
        let size = max(count, Self.keyBlock)
        let next = try write { database in
            try Int64.fetchOne(
                database,
                sql: "UPDATE restkit_store SET next_key = next_key + ? RETURNING next_key",
                arguments: [size])
        }
        guard let next else {
            throw PersistenceError(.corrupt, details: ["the row of restkit_store is missing"])
        }
        let first = next - size
        if first + count < next { keys.withLock { $0 = first + count..<next } }
        return first..<first + count
    }
}

/// A collation for decimals, which queries use and the schema does not.
private let decimalCollation = DatabaseCollation("restkit_decimal") { left, right in
    let order = DecimalText.compare(left, right)
    return order < 0 ? .orderedAscending : order > 0 ? .orderedDescending : .orderedSame
}
