// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The configuration of a store, which is read when the store is opened.
public struct StoreConfiguration: Sendable {
    /// The time at which a commit is written through to the disk, SQLite's `synchronous`.
    ///
    /// In both cases a commit survives the end of the process, however it ends, and the file is always
    /// valid and contains whole transactions only.
    public enum Synchronization: Sendable, Hashable {
        /// The disk is synchronized at checkpoints.
        ///
        /// A power cut or a crash of the operating system can lose the last commits, back to the last
        /// checkpoint.
        case atCheckpoints
        /// The disk is synchronized with every commit, which then survives a power cut as well.
        ///
        /// A save takes the time of a synchronization longer, milliseconds on most disks.
        case atCommits
    }

    /// The maximum time to wait for the lock of another connection.
    public var busyTimeout: Duration
    /// The maximum number of concurrent reader connections.
    public var maximumReaderCount: Int
    /// The time at which a commit is written through to the disk.
    public var synchronization: Synchronization
    /// The interval at which a store with observers looks for commits of other processes.
    public var pollingInterval: Duration
    /// A database file whose copy is the store's initial content; `nil` for an empty store.
    ///
    /// The seed is copied if the store's file does not exist, and again by
    /// ``ManagedObjectStore/reset(discardsUnsentEdits:)``. It must have the model of the store, or
    /// ``migration`` must lead to it. The copy has its ``ManagedObjectStore/identity`` and keys, so the ID of
    /// an object is the same in both. Content of the seed that is still in its write-ahead log is copied too,
    /// also while the seed is in use.
    public var seed: URL?
    /// A Boolean value that indicates whether the store is opened for reading only.
    ///
    /// The file must exist; saving throws an error with code `readOnly`. Where SQLite cannot create
    /// files beside the database, such as in a read-only directory, the file must be one that
    /// ``ManagedObjectStore/backUp(to:)`` wrote.
    public var isReadOnly: Bool
    /// The migration of files that were created for another model.
    ///
    /// `.automatic`, the default, derives the changes and refuses those that would lose data. `.refused`
    /// throws an error with code `modelMismatch` for every other model.
    public var migration: StoreMigration
    /// The ``ManagedObjectContext/mergePolicy`` of every new context, including those of
    /// ``ManagedObjectStore/mainContext``, ``ManagedObjectStore/perform(_:)`` and
    /// ``ManagedObjectStore/write(_:)``.
    public var mergePolicy: MergePolicy
    /// The names of the entities for whose rows the store records which response wrote them; none by
    /// default.
    ///
    /// Sub-entities are included. Each save then writes the origin of the changed properties as well,
    /// for ``ManagedObjectStore/explain(_:)``. Names of unknown entities are an error with code
    /// `unknownEntity`. When a store is opened, the records of other entities are deleted. The writes of
    /// other programs are not recorded.
    public var explainedEntities: Set<String>
    /// A Boolean value that indicates whether SQLite finds and compares the stored rows of imports, instead of
    /// passing them to the import; the result is the same.
    package var comparesImportsInSQLite = true

    /// Creates a configuration.
    public init(
        busyTimeout: Duration = .seconds(5), maximumReaderCount: Int = 4,
        synchronization: Synchronization = .atCheckpoints,
        pollingInterval: Duration = .milliseconds(250), seed: URL? = nil,
        isReadOnly: Bool = false, migration: StoreMigration = .automatic,
        mergePolicy: MergePolicy = .fail, explainedEntities: Set<String> = []
    ) {
        self.busyTimeout = busyTimeout
        self.maximumReaderCount = maximumReaderCount
        self.synchronization = synchronization
        self.pollingInterval = pollingInterval
        self.seed = seed
        self.isReadOnly = isReadOnly
        self.migration = migration
        self.mergePolicy = mergePolicy
        self.explainedEntities = explainedEntities
    }
}
