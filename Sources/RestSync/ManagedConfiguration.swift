// SPDX-License-Identifier: Apache-2.0

public import RestNetworking
public import RestPersistence
import Synchronization

/// The part of a manager's configuration that is about managed objects.
struct ManagedConfiguration: Sendable {
    /// See ``RestNetworking/ObjectManager/store``.
    var store: ManagedObjectStore?
    /// See ``RestNetworking/ObjectManagerConfiguration/fetchRequestRules``.
    var fetchRequestRules: [FetchRequestRule] = []
    /// See ``RestNetworking/ObjectManagerConfiguration/mappingVersion``.
    var mappingVersion = ""
    /// The outbox, through which the requests of the objects go that it sends; `nil` for none.
    ///
    /// The outbox retains the manager, and not the other way round.
    var outbox: @Sendable () -> (any ObjectOutbox)? = { nil }
    /// The refreshes of live lists that are in progress.
    let refreshes = RefreshTable()
    /// The requests in progress that write an object.
    let turns = ObjectRequestGate()
    /// The warnings of models that were logged.
    let loggedWarnings = LoggedWarnings()
}

/// The warnings that a manager has logged, so that each is logged once.
final class LoggedWarnings: Sendable {
    private let texts = Mutex<Set<String>>([])

    /// Returns the warnings that have not been returned before.
    func new(of warnings: [String]) -> [String] {
        texts.withLock { texts in warnings.filter { texts.insert($0).inserted } }
    }
}

extension ObjectManagerConfiguration {
    /// The rules that give the fetch requests of a URL, in the order in which they were added.
    ///
    /// A request uses the fetch requests of all rules for its URL.
    public var fetchRequestRules: [FetchRequestRule] {
        get { managed.fetchRequestRules }
        set { managed.fetchRequestRules = newValue }
    }

    /// A text that is part of the version of all mappings; empty by default.
    ///
    /// A stored collection is confirmed as unchanged only if the same model and mappings imported it.
    /// Changes of models, properties and sources are detected. Change this text when the code of a
    /// transform, a dynamic mapping or a predicate changes, so that all objects are mapped again.
    public var mappingVersion: String {
        get { managed.mappingVersion }
        set { managed.mappingVersion = newValue }
    }

    /// The configuration about managed objects, which the first change adds.
    var managed: ManagedConfiguration {
        get { additions[ManagedConfiguration.self] ?? ManagedConfiguration() }
        set { additions[ManagedConfiguration.self] = newValue }
    }
}

extension ObjectManager {
    /// The default destination of calls and operations that name none; `nil` by default.
    ///
    /// The ``RestNetworking/ObjectManager/logger`` gets the warnings of its model, as with any other store into
    /// which a response is imported.
    public var store: ManagedObjectStore? {
        get { managedConfiguration.store }
        set {
            if let newValue { logWarnings(of: newValue.model) }
            configure {
                $0.managed.store = newValue
                $0.entityImporter = newValue.map(StoreImporter.init)
            }
        }
    }

    /// Logs the warnings of a model, once for each manager.
    func logWarnings(of model: ManagedObjectModel) {
        let warnings = model.warnings
        guard !warnings.isEmpty else { return }
        managedConfiguration.loggedWarnings.new(of: warnings).forEach(warn)
    }

    /// The configuration about managed objects, which the first access adds.
    var managedConfiguration: ManagedConfiguration {
        // Its tables of requests in progress are shared, so that all accesses need the same ones.
        snapshot.value.additions[ManagedConfiguration.self]
            ?? configure { configuration in
                let managed = configuration.managed
                configuration.managed = managed
                return managed
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
