// SPDX-License-Identifier: Apache-2.0

/// A description of the objects to fetch and of their order.
public struct FetchRequest: Sendable, Hashable {
    /// The name of the entity.
    public var entityName: String
    /// The predicate that objects must match.
    public var predicate: FetchPredicate
    /// The orderings, in descending significance.
    public var orderings: [RowOrdering]
    /// The maximum number of objects; `nil` for no limit.
    public var limit: Int?
    /// The number of objects to skip.
    public var offset: Int
    /// A Boolean value that indicates whether to fetch objects of sub-entities as well; `true` by
    /// default.
    public var includesSubentities = true
    /// A Boolean value that indicates whether the result reflects unsaved changes of the context and
    /// of its ancestors; `true` by default.
    ///
    /// Without them, the request selects the rows that are saved. The properties of the objects still
    /// have their unsaved values.
    public var includesPendingChanges = true
    /// The dotted paths of relationships whose destinations are read with the objects; see
    /// ``ManagedObjectContext/prefetch(_:of:)-(String,_)``.
    ///
    /// A fetch of IDs, values or a count ignores them.
    public var prefetchedPaths: [String] = []

    /// Creates a fetch request for an entity by name.
    public init(
        _ entityName: String, where predicate: FetchPredicate = .all,
        orderBy orderings: [RowOrdering] = [], limit: Int? = nil, offset: Int = 0
    ) {
        self.entityName = entityName
        self.predicate = predicate
        self.orderings = orderings
        self.limit = limit
        self.offset = offset
    }
}
