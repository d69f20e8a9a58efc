// SPDX-License-Identifier: Apache-2.0

extension FetchRequest {
    /// Creates a fetch request for the entity of a class.
    public init<Object: ManagedEntity>(
        _ type: Object.Type, where predicate: (FetchSubject<Object>) -> FetchPredicate,
        orderBy orderings: [FetchOrdering<Object>] = [], limit: Int? = nil, offset: Int = 0
    ) {
        self.init(
            type.entity.name, where: FetchSubject.evaluate(predicate),
            orderBy: orderings.map(\.rows), limit: limit, offset: offset)
    }
}
