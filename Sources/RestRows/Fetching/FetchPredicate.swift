// SPDX-License-Identifier: Apache-2.0

/// A condition on the objects of a fetch request.
///
/// A predicate for a class is a closure, `{ $0.city.name == "Oslo" && $0.terminals.count > 2 }`. A
/// predicate for an entity without a class uses names, `.attribute("city.name", .equal, "Oslo")`.
/// Names are resolved when fetching. Values are always bound and never part of the SQL text.
///
/// SQLite evaluates predicates, for saved rows and for unsaved changes. Unlike SQL, a predicate has
/// two truth values: an order comparison with null is false, and its negation is true; null equals
/// null. An attribute at the end of a relationship without a destination is null. Text is compared by
/// its UTF-8 bytes, unless ``TextOptions`` say otherwise. Arithmetic is that of SQLite: an integer
/// division truncates, a division by zero is null, and an integer overflow becomes a floating-point
/// number.
public struct FetchPredicate: Sendable, Hashable {
    package indirect enum Term: Sendable, Hashable {
        case constant(Bool)
        case compare(FetchExpression, FetchOperator, FetchExpression)
        case isIn(FetchExpression, Set<StoredValue>)
        case text(FetchExpression, TextMatch)
        case object(FetchPath, Set<ManagedObjectID>)
        case entity(FetchPath, String, isExact: Bool)
        case search(FetchPath, SearchPredicate)
        /// At least one destination matches; of a to-one relationship, the destination.
        case some(FetchPath, Term)
        /// At least one element of a type in an array matches.
        case elements(FetchExpression, AttributeType, Term)
        case and(Term, Term)
        case or(Term, Term)
        case not(Term)
    }

    package let term: Term

    package init(term: Term) {
        self.term = term
    }

    /// A predicate that matches all objects.
    public static let all = FetchPredicate(term: .constant(true))
    /// A predicate that matches no object.
    public static let none = FetchPredicate(term: .constant(false))

    /// Returns a predicate that compares the attribute at a dotted path with a value.
    ///
    /// The path leads through to-one relationships.
    public static func attribute(
        _ path: String, _ comparison: FetchOperator, _ value: some AttributeValue
    ) -> FetchPredicate {
        FetchPredicate(
            term: .compare(.attribute(FetchPath(path)), comparison, .value(value.storedValue)))
    }

    /// Returns a predicate that compares the attributes at two dotted paths.
    public static func attribute(
        _ path: String, _ comparison: FetchOperator, attribute other: String
    ) -> FetchPredicate {
        FetchPredicate(
            term: .compare(
                .attribute(FetchPath(path)), comparison, .attribute(FetchPath(other))))
    }

    /// Returns a predicate that matches if the attribute at a dotted path has one of several values.
    ///
    /// The number of values is not limited.
    public static func attribute(
        _ path: String, in values: some Sequence<some AttributeValue>
    ) -> FetchPredicate {
        FetchPredicate(term: .isIn(.attribute(FetchPath(path)), Set(values.map(\.storedValue))))
    }

    /// Returns a predicate that matches if the attribute at a dotted path is null.
    public static func isNull(_ path: String) -> FetchPredicate {
        FetchPredicate(term: .compare(.attribute(FetchPath(path)), .equal, .value(.null)))
    }

    /// Returns a predicate that compares the attribute at a dotted path with a text.
    public static func text(
        _ path: String, _ comparison: TextComparison, _ text: String, _ options: TextOptions = []
    ) -> FetchPredicate {
        FetchPredicate(
            term: .text(.attribute(FetchPath(path)), TextMatch(comparison.kind, text, options)))
    }

    /// Returns a predicate that compares the number of destinations of a to-many relationship.
    public static func count(
        _ path: String, _ comparison: FetchOperator, _ count: Int
    ) -> FetchPredicate {
        FetchPredicate(
            term: .compare(
                .count(FetchPath(path), .constant(true)), comparison, .value(.integer(Int64(count)))
            ))
    }

    /// Returns a predicate that matches if a to-one relationship has a destination, or none for `nil`.
    public static func relationship(_ path: String, _ id: ManagedObjectID?) -> FetchPredicate {
        let path = FetchPath(path)
        if let id { return FetchPredicate(term: .object(path, [id])) }
        return FetchPredicate(term: .not(.some(path, .constant(true))))
    }

    /// Returns a predicate that matches if a relationship has one of several destinations.
    public static func relationship(
        _ path: String, in ids: some Sequence<ManagedObjectID>
    ) -> FetchPredicate {
        FetchPredicate(term: .object(FetchPath(path), Set(ids)))
    }

    /// Returns a predicate that matches objects with one of several IDs.
    public static func ids(_ ids: some Sequence<ManagedObjectID>) -> FetchPredicate {
        FetchPredicate(term: .object(FetchPath(names: []), Set(ids)))
    }

    /// Returns a predicate that matches objects of an entity.
    ///
    /// Objects of sub-entities match as well, unless they are excluded.
    public static func entity(
        _ name: String, includesSubentities: Bool = true
    ) -> FetchPredicate {
        FetchPredicate(
            term: .entity(FetchPath(names: []), name, isExact: !includesSubentities))
    }

    /// Returns a predicate that matches if a predicate matches at least one destination.
    ///
    /// The dotted path consists of relationships, any of which may be to-many. The paths of the
    /// predicate begin at the destination.
    public static func any(_ path: String, _ predicate: FetchPredicate) -> FetchPredicate {
        FetchPredicate(term: .some(FetchPath(path), predicate.term.nested()))
    }

    /// Returns a predicate that matches if a predicate matches every destination, or there is none.
    public static func all(_ path: String, _ predicate: FetchPredicate) -> FetchPredicate {
        !any(path, !predicate)
    }

    /// Returns a predicate that matches if a predicate matches no destination.
    public static func none(_ path: String, _ predicate: FetchPredicate) -> FetchPredicate {
        !any(path, predicate)
    }

    /// Returns a predicate that matches if both predicates match.
    public static func && (left: FetchPredicate, right: FetchPredicate) -> FetchPredicate {
        FetchPredicate(term: .and(left.term, right.term))
    }

    /// Returns a predicate that matches if at least one of the predicates matches.
    public static func || (left: FetchPredicate, right: FetchPredicate) -> FetchPredicate {
        FetchPredicate(term: .or(left.term, right.term))
    }

    /// Returns a predicate that matches if the given one does not.
    public static prefix func ! (predicate: FetchPredicate) -> FetchPredicate {
        FetchPredicate(term: .not(predicate.term))
    }
}
