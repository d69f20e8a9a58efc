// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RestMapping
import RestNetworking
public import RestPersistence
public import RestTransport

/// The result of importing a response into a store or a context.
public struct ManagedResult: Sendable {
    /// The origin of the objects of a result, open to additions in future versions.
    public struct Origin: Sendable, Hashable, CustomStringConvertible {
        private enum Storage: String {
            case server
            case notModified
            case fresh
            case offline
        }

        private let storage: Storage

        /// The server sent them.
        public static let server = Origin(storage: .server)
        /// The store has them, and the server confirmed that they have not been modified.
        public static let notModified = Origin(storage: .notModified)
        /// The store has them, and their response was still fresh, so that no request was sent.
        public static let fresh = Origin(storage: .fresh)
        /// The store has them, and the server was not reached, or not asked because of the cache
        /// policy.
        ///
        /// They may be out of date.
        public static let offline = Origin(storage: .offline)

        /// The name of the origin.
        public var description: String { storage.rawValue }
    }

    /// The IDs of the imported objects in document order, without those that were deleted.
    ///
    /// An object that occurs twice in the response has two entries. For an empty body, the only object
    /// is that of the request, if there is one. If the store answered, the objects are those of the
    /// stored collection, in the order of the server and each once, or without a collection those of all
    /// fetch requests for the URL.
    public internal(set) var objectIDs: [ManagedObjectID] = []

    /// The IDs of the objects that were deleted because fetch requests found them and the response
    /// does not contain them.
    public internal(set) var orphanIDs: [ManagedObjectID] = []

    /// The number of orphans that were not deleted, because they exceeded
    /// ``ManagedRequestOptions/maximumOrphanShare``, or because the response does not say that the server
    /// has none of them.
    public internal(set) var keptOrphanCount = 0

    /// The numbers of affected objects by the name of the entity; entities without one are absent.
    ///
    /// Orphans and the object of a DELETE request are among the deleted ones. Nothing is counted if
    /// the response was not modified.
    public internal(set) var counts: [String: ImportCounts] = [:]

    /// The rows that the transaction wrote, including those of related objects and join tables; the
    /// changes of the context, if they were not saved to the store.
    public internal(set) var changes = SaveReport()

    /// The mapping report.
    public internal(set) var report = MappingReport()

    /// The origin of the objects.
    public internal(set) var origin = Origin.server

    /// The time at which the stored collection was fetched that answered; `nil` if the server sent the
    /// objects, or fetch requests found them without a collection.
    public internal(set) var fetchedAt: Date?

    /// The time at which the server has sent or confirmed the stored collection that answered; that of
    /// the response if it confirms the collection, otherwise up to an hour before the last confirmation.
    public internal(set) var confirmedAt: Date?

    /// A Boolean value that indicates whether the objects have not been modified since they were
    /// fetched, so that nothing was mapped or changed.
    public var isNotModified: Bool { origin == .notModified || origin == .fresh }

    /// The collection that was stored or has answered; `nil` if there is none.
    var collectionRequest: CollectionRequest?

    /// A Boolean value that indicates whether values or objects of the response were left out, because they
    /// were written since the request was sent.
    var isHeldBack = false

    /// The greatest number of objects around an object of the response.
    var nestingDepth = 0

    /// The names of the entities of which the response may have objects that were not identified.
    var uncertainEntities: Set<String> = []

    /// The locations of the objects in the representation of each match, if plain objects hold them.
    var locations: [ImportedLocations] = []

    /// The URL of the response.
    public let url: HTTPURL

    init(url: HTTPURL) {
        self.url = url
    }

    /// The numbers of affected objects of all entities.
    public var total: ImportCounts {
        counts.values.reduce(into: ImportCounts()) { $0.add($1) }
    }

    /// A Boolean value that indicates whether the import has left out a representation, at the root or in
    /// another one, which a response that was not modified would never contain again.
    var isIncomplete: Bool { report.droppedObjectCount > 0 || total.discarded > 0 }

    /// The names of the entities of objects inside of those that the result has.
    var nestedEntities: Set<String> {
        var roots: [String: Int] = [:]
        for id in Set(objectIDs) { roots[id.entityName, default: 0] += 1 }
        return Set(
            counts.filter { name, counts in
                counts.inserted + counts.found > roots[name] ?? 0
            }.keys)
    }

    /// Adds the objects, counts and issues of a representation.
    mutating func add(_ imported: ImportResult) {
        objectIDs += imported.objectIDs
        report.add(imported.report)
        locations.append(imported.locations)
        uncertainEntities.formUnion(imported.uncertainEntities)
        isHeldBack = isHeldBack || imported.isHeldBack
        nestingDepth = max(nestingDepth, imported.nestingDepth)
        for (name, added) in imported.counts {
            counts[name, default: ImportCounts()].add(added)
        }
    }

    /// Counts a deleted object that the mapping did not delete.
    mutating func countDeleted(_ id: ManagedObjectID) {
        counts[id.entityName, default: ImportCounts()].deleted += 1
    }

    /// Returns the objects in a context, for the plain objects that hold them.
    ///
    /// - Throws: ``/RestPersistence/PersistenceError`` of the database.
    func entities(in context: ManagedObjectContext) throws(PersistenceError) -> ResponseEntities {
        var objects: [any ImportedObjects] = []
        for ids in locations { objects.append(try ImportedObjectTable(ids, in: context)) }
        return ResponseEntities(objects)
    }
}
