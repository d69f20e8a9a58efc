// SPDX-License-Identifier: Apache-2.0

public import RestMapping

/// The result of an import.
public struct ImportResult: Sendable {
    /// The IDs of the imported objects in document order.
    ///
    /// An object that occurs twice has two entries.
    public internal(set) var objectIDs: [ManagedObjectID] = []
    /// The numbers of affected objects by the name of the entity; entities without one are absent.
    public internal(set) var counts: [String: ImportCounts] = [:]
    /// The mapping report.
    public internal(set) var report = MappingReport()
    /// The rows that the transaction wrote, including those of join tables; of no rows for an import
    /// into a context, whose save returns them.
    public internal(set) var changes = SaveReport()
    /// The keys of the objects that the representation contains, if they were asked for.
    package internal(set) var containedKeys: Set<Int64> = []
    /// The names of the entities of which the representation may have objects that were not identified.
    package internal(set) var uncertainEntities: Set<String> = []
    /// A Boolean value that indicates whether the import has left out values or objects of the
    /// representation, because of ``ImportOptions/fence``.
    package internal(set) var isHeldBack = false
    /// The greatest number of objects around an object of the representation.
    package internal(set) var nestingDepth = 0
    /// The keys of the objects that wait for their connections, by the index of the entity.
    var connectedKeys: [[Int64]] = []

    /// The IDs of the objects by the location of their representations, if they were asked for.
    package internal(set) var locations: ImportedLocations = [:]

    /// The numbers of affected objects of all entities.
    public var total: ImportCounts {
        counts.values.reduce(into: ImportCounts()) { $0.add($1) }
    }
}

/// The numbers of objects of an entity that an import affected, including related objects.
///
/// An object is counted for the entity of its mapping.
public struct ImportCounts: Sendable, Hashable {
    /// The number of inserted objects.
    public internal(set) var inserted = 0
    /// The number of existing objects of which a value changed, apart from relationships with a join
    /// table.
    public internal(set) var updated = 0
    /// The number of existing objects that already had all values.
    public internal(set) var unchanged = 0
    /// The number of destinations that references and connections found, by the entity that refers to
    /// them.
    public internal(set) var connected = 0
    /// The number of references that wait for their destination; see ``PendingReference``.
    ///
    /// The mapping report has the paths of the first ones.
    public internal(set) var pending = 0
    /// The number of objects that were left out because they are invalid, each of which has an issue, or
    /// because the delete rule of an invalid object includes them.
    public internal(set) var discarded = 0
    /// The number of objects that were deleted by deletion predicates, or because the document
    /// replaced them.
    public package(set) var deleted = 0
    /// The number of objects to which their representations did nothing, because of the ``ImportMode``:
    /// existing ones if objects are only inserted, those that do not exist if they are only updated, and if
    /// they are only deleted, those that do not exist or are inside of others.
    public internal(set) var leftOut = 0

    /// The number of existing objects that were found by identity.
    public var found: Int { updated + unchanged }

    /// Creates counts of zero.
    public init() {}

    /// Adds the numbers of another import.
    package mutating func add(_ other: ImportCounts) {
        inserted += other.inserted
        updated += other.updated
        unchanged += other.unchanged
        connected += other.connected
        pending += other.pending
        discarded += other.discarded
        deleted += other.deleted
        leftOut += other.leftOut
    }
}

/// The part of an import that a request decides.
package struct ImportOptions: Sendable {
    /// The object that a single representation is of, whatever its identity; `nil` to find it.
    package var target: ManagedObjectID?
    /// A Boolean value that indicates whether a representation of another entity than the target's is
    /// an error; otherwise it is another object.
    package var requiresTarget = false
    /// A Boolean value that indicates whether the target was new when the request was sent.
    package var sendsNewTarget = false
    /// A Boolean value that indicates whether to collect ``ImportResult/containedKeys``.
    package var collectsContainedKeys = false
    /// A Boolean value that indicates whether relationships that representations do not contain have no
    /// destinations for ``ImportResult/containedKeys`` and ``ImportResult/uncertainEntities``.
    package var treatsAbsentAsEmpty = false
    /// A Boolean value that indicates whether the caller makes connections, and then applies deletion
    /// predicates, after further imports; see ``ImportResult/connectedKeys``.
    var defersConnections = false
    /// The properties and objects that the import may not change, because they were written since the request
    /// was sent; `nil` for none.
    package var fence: WriteFence?

    package init() {}
}

/// The IDs of imported objects by the location of their representations; `nil` for dropped ones.
package typealias ImportedLocations = [RepresentationLocation: ManagedObjectID?]
