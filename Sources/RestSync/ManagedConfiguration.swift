// SPDX-License-Identifier: Apache-2.0

public import RestNetworking
public import RestPersistence

/// The part of a manager's configuration that is about managed objects.
struct ManagedConfiguration: Sendable {
    /// See ``RestNetworking/ObjectManager/store``.
    var store: ManagedObjectStore?
    /// See ``RestNetworking/ObjectManager/fetchRequestRules``.
    var fetchRequestRules: [FetchRequestRule] = []
    /// See ``RestNetworking/ObjectManager/mappingVersion``.
    var mappingVersion = ""
    /// The refreshes of live lists that are in progress.
    let refreshes = RefreshTable()
    /// The requests in progress that write an object.
    let turns = RequestTurns()
}

extension ObjectManager {
    /// The default destination of calls and operations that name none; `nil` by default.
    ///
    /// The ``RestNetworking/ObjectManager/logger`` gets the warnings of its model.
    public var store: ManagedObjectStore? {
        get { managedConfiguration.store }
        set {
            for warning in newValue?.model.warnings ?? [] { warn(of: warning) }
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
