// SPDX-License-Identifier: Apache-2.0

/// Which objects to find, in which order, how many: a value that can be kept and sent.
public struct FetchRequest: Sendable, Hashable {
    /// The entity's name.
    public var entityName: String
    /// What the objects must be like.
    public var predicate: FetchPredicate
    /// The order, most significant first.
    public var orderings: [FetchOrdering]
    /// Most objects to find; `nil` for all.
    public var limit: Int?
    /// Objects to skip first.
    public var offset: Int

    /// Makes a request for an entity by name.
    public init(
        _ entityName: String, where predicate: FetchPredicate = .all,
        orderBy orderings: [FetchOrdering] = [], limit: Int? = nil, offset: Int = 0
    ) {
        self.entityName = entityName
        self.predicate = predicate
        self.orderings = orderings
        self.limit = limit
        self.offset = offset
    }

    /// Makes a request for the entity of a class.
    public init<Object: ManagedEntity>(
        _ type: Object.Type, where predicate: (FetchSubject<Object>) -> FetchPredicate,
        orderBy orderings: [FetchOrdering] = [], limit: Int? = nil, offset: Int = 0
    ) {
        self.init(
            type.entity.name, where: predicate(FetchSubject(path: FetchPath(names: []))),
            orderBy: orderings, limit: limit, offset: offset)
    }
}
