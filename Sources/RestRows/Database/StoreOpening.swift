// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import RestMapping

/// The opening of a store's file.
package struct StoreOpening {
    package let path: String
    package let model: ManagedObjectModel
    package let configuration: StoreConfiguration

    package init(path: String, model: ManagedObjectModel, configuration: StoreConfiguration) {
        self.path = path
        self.model = model
        self.configuration = configuration
    }

    private static let retryInterval: TimeInterval = 0.01

    package var file: StoreFile {
        StoreFile(
            path: path, model: model, configuration: configuration, connection: connection)
    }

    /// The configuration of all connections.
    private var connection: Configuration {
        var connection = Configuration()
        connection.label = "RestPersistence"
        connection.busyMode = .timeout(configuration.busyTimeout / .seconds(1))
        connection.maximumReaderCount = max(1, configuration.maximumReaderCount)
        connection.readonly = configuration.isReadOnly
        let search = model.search
        connection.prepareDatabase { database in
            try database.defend()
            try BatchModule.add(to: database)
            try database.execute(sql: "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
            FetchFunctions.add(to: database)
            SearchFunctions.add(to: database, search)
        }
        return connection
    }

    /// Creates, validates and opens the file.
    ///
    /// - Parameters:
    ///   - isDurable: A Boolean value that indicates whether the content must survive the process.
    ///   - mustExist: A Boolean value that indicates whether the file is neither created nor migrated.
    /// - Returns: The connections and the identity of the store.
    /// - Throws: An error of ``ManagedObjectStore/init(at:model:configuration:)``.
    func open(
        isDurable: Bool, mustExist: Bool
    ) throws(PersistenceError) -> (ConnectionPool, UUID) {
        // SQLite does not wait for processes that create the file or enable its log at this time.
        let deadline = ContinuousClock.now + configuration.busyTimeout
        while true {
            do throws(PersistenceError) {
                let identity = try mustExist ? file.check() : file.prepare()
                return (try openPool(isDurable: isDurable), identity)
            } catch {
                guard error.code == .busy, ContinuousClock.now < deadline else { throw error }
                Thread.sleep(forTimeInterval: Self.retryInterval)
            }
        }
    }

    private func openPool(isDurable: Bool) throws(PersistenceError) -> ConnectionPool {
        do {
            let isIntact =
                try !configuration.isReadOnly && CommitEvidence.isIntact(at: path, connection)
            let pool = try DatabasePool(path: path, configuration: connection)
            if !configuration.isReadOnly {
                // The database layer has set NORMAL.
                let level: String? =
                    switch configuration.synchronization {
                    case _ where !isDurable: "OFF"
                    case .atCheckpoints: nil
                    case .atCommits: "FULL"
                    }
                if let level {
                    try pool.writeWithoutTransaction { database in
                        try database.execute(sql: "PRAGMA synchronous = \(level)")
                    }
                }
            }
            var evidence = CommitEvidence.none
            if !configuration.isReadOnly {
                evidence = try pool.write { database in
                    try CommitEvidence(opening: database, isIntact: isIntact) {
                        try SearchIndex(model: model, database: database).prepare()
                        try OrderIndexes(model: model, database: database).prepare()
                    }
                }
            }
            return try ConnectionPool(pool, model: model, evidence)
        } catch {
            throw PersistenceError(wrapping: error, at: path)
        }
    }
}
