// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import Synchronization

/// The open file: connections, model, identity and the supply of keys.
final class StoreDatabase: Sendable {
    let model: ManagedObjectModel
    let identity: UUID
    /// Where background contexts live.
    let worker = StoreWorker()
    private let pool: DatabasePool
    /// Keys reserved in the file and not given out yet.
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
    /// The log is written back first, so that the file alone is whole; with another program at work
    /// in it the log stays, and that program or the next to open the file writes it back.
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

    /// Runs a body in one transaction: all of it or nothing.
    func write<Result>(
        _ body: (Database) throws -> Result
    ) throws(PersistenceError) -> Result {
        do { return try pool.write(body) } catch { throw PersistenceError(wrapping: error) }
    }

    /// Takes keys out of the file's supply; a key is never given out twice, saved or not.
    func reserveKeys(_ count: Int) throws(PersistenceError) -> Range<Int64> {
        let count = Int64(count)
        let kept = keys.withLock { keys -> Range<Int64>? in
            guard count <= keys.count else { return nil }
            let taken = keys.lowerBound..<keys.lowerBound + count
            keys = taken.upperBound..<keys.upperBound
            return taken
        }
        if let kept { return kept }
        let size = max(count, Self.keyBlock)
        let next = try write { database in
            try Int64.fetchOne(
                database,
                sql: "UPDATE restkit_store SET next_key = next_key + ? RETURNING next_key",
                arguments: [size])
        }
        guard let next else {
            throw PersistenceError(.corrupt, details: ["the store's own record is missing"])
        }
        let first = next - size
        if first + count < next { keys.withLock { $0 = first + count..<next } }
        return first..<first + count
    }
}

/// The order of decimals, used by our own queries only: no table depends on it.
private let decimalCollation = DatabaseCollation("restkit_decimal") { left, right in
    let order = DecimalText.compare(left, right)
    return order < 0 ? .orderedAscending : order > 0 ? .orderedDescending : .orderedSame
}
