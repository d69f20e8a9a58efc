// SPDX-License-Identifier: Apache-2.0

public import RestNetworking
public import RestPersistence
import RestTransport
import Synchronization

/// The part of a manager's configuration that is about managed objects.
struct ManagedConfiguration: Sendable {
    /// See ``RestNetworking/ObjectManager/store``.
    var store: ManagedObjectStore?
    /// See ``RestNetworking/ObjectManager/fetchRequestRules``.
    var fetchRequestRules: [FetchRequestRule] = []
    /// The stored responses that were imported.
    let importedResponses = ImportedResponses()
}

extension ObjectManager {
    /// The default destination of calls and operations that name none; `nil` by default.
    public var store: ManagedObjectStore? {
        get { managedConfiguration.store }
        set {
            changeManaged { $0.store = newValue }
            change { $0.entityImporter = newValue.map(StoreImporter.init) }
        }
    }

    /// The configuration about managed objects, which the first access adds.
    var managedConfiguration: ManagedConfiguration {
        snapshot.value.additions[ManagedConfiguration.self] ?? changeManaged { $0 }
    }

    @discardableResult
    func changeManaged<Result: Sendable>(_ body: (inout ManagedConfiguration) -> Result) -> Result {
        change { configuration in
            var managed = configuration.additions[ManagedConfiguration.self] ?? .init()
            defer { configuration.additions[ManagedConfiguration.self] = managed }
            return body(&managed)
        }
    }

    /// Returns the store that a call names, or else the default one.
    ///
    /// - Throws: ``SyncError`` with code ``SyncError/Code/noStore``.
    func destination(_ store: ManagedObjectStore?) throws(SyncError) -> ManagedObjectStore {
        guard let store = store ?? self.store else { throw SyncError(.noStore) }
        return store
    }
}

/// The responses in the client's cache whose objects were saved to a store by this manager.
///
/// The mark of the cache alone does not tell into which store a response was imported, or whether
/// its objects were saved.
final class ImportedResponses: Sendable {
    private struct Entry: Hashable {
        let response: CacheEntry.Reference
        let store: StoreToken
    }

    private let entries = Mutex<Set<Entry>>([])
    /// The number of responses from which on the others are forgotten and imported again.
    private static let maximumCount = 100_000

    func insert(_ response: CacheEntry.Reference, savedTo store: StoreToken) {
        entries.withLock { entries in
            if entries.count >= Self.maximumCount { entries = [] }
            entries.insert(Entry(response: response, store: store))
        }
    }

    func contains(_ response: CacheEntry.Reference, savedTo store: StoreToken) -> Bool {
        entries.withLock { $0.contains(Entry(response: response, store: store)) }
    }
}
