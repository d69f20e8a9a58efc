// SPDX-License-Identifier: Apache-2.0

// The conditions that an object is one of several, as Swift writes them.

extension Sequence where Element: ManagedEntity {
    /// Returns a predicate that matches if the object, or the destination of a relationship, is one of the
    /// objects.
    public func contains(_ subject: FetchSubject<Element>) -> FetchPredicate {
        subject.isIn(map(\.objectID))
    }
}

extension Sequence<ManagedObjectID> {
    /// Returns a predicate that matches if the object, or the destination of a relationship, has one of the
    /// IDs.
    public func contains<Object: ManagedEntity>(
        _ subject: FetchSubject<Object>
    ) -> FetchPredicate {
        subject.isIn(self)
    }
}
