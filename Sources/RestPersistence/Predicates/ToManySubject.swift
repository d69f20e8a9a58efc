// SPDX-License-Identifier: Apache-2.0

/// A placeholder for the destinations of a to-many relationship in a predicate.
public struct ToManySubject<Destination: ManagedEntity>: Sendable {
    let path: FetchPath

    private func term(
        _ predicate: (FetchSubject<Destination>) -> FetchPredicate
    ) -> FetchPredicate.Term {
        var nesting = FetchNesting.current
        nesting.rows += 1
        return FetchNesting.$current.withValue(nesting) {
            predicate(FetchSubject(path: FetchPath(scope: nesting.rows, names: []))).term
        }
    }

    /// The number of destinations.
    public var count: FetchAttribute<Int> { FetchAttribute(.count(path, .constant(true))) }

    /// A predicate that matches if there is no destination.
    public var isEmpty: FetchPredicate {
        FetchPredicate(term: .not(.some(path, .constant(true))))
    }

    /// Returns the number of destinations that match a predicate.
    public func count(
        where predicate: (FetchSubject<Destination>) -> FetchPredicate
    ) -> FetchAttribute<Int> {
        FetchAttribute(.count(path, term(predicate)))
    }

    /// Returns a predicate that matches if a predicate matches at least one destination.
    public func any(
        _ predicate: (FetchSubject<Destination>) -> FetchPredicate
    ) -> FetchPredicate {
        FetchPredicate(term: .some(path, term(predicate)))
    }

    /// Returns a predicate that matches if a predicate matches every destination, or there is none.
    public func all(
        _ predicate: (FetchSubject<Destination>) -> FetchPredicate
    ) -> FetchPredicate {
        FetchPredicate(term: .not(.some(path, .not(term(predicate)))))
    }

    /// Returns a predicate that matches if a predicate matches no destination.
    public func none(
        _ predicate: (FetchSubject<Destination>) -> FetchPredicate
    ) -> FetchPredicate {
        !any(predicate)
    }

    /// Returns a predicate that matches if an object is a destination.
    public func contains(_ object: Destination) -> FetchPredicate { contains(object.objectID) }

    /// Returns a predicate that matches if the object with an ID is a destination.
    public func contains(_ id: ManagedObjectID) -> FetchPredicate {
        FetchPredicate(term: .object(path, [id]))
    }
}
