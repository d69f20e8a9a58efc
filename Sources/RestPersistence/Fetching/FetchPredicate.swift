// SPDX-License-Identifier: Apache-2.0

/// A condition on the objects of a fetch request.
///
/// A predicate for a class is a closure, `{ $0.city == "Oslo" && $0.terminals.count > 2 }`. A
/// predicate for an entity without a class uses names, `.attribute("city", .equal, "Oslo")`. Names
/// are resolved when fetching. Values are always bound and never part of the SQL text.
///
/// SQL evaluates a predicate for rows; unsaved changes are evaluated in memory. Unlike SQL, a
/// predicate has two truth values: an order comparison with null is false, and its negation is
/// true; null equals null. Text is compared by its UTF-8 bytes.
public struct FetchPredicate: Sendable, Hashable {
    indirect enum Term: Sendable, Hashable {
        case constant(Bool)
        case compare(FetchPath, FetchOperator, StoredValue)
        case isIn(FetchPath, Set<StoredValue>)
        case object(FetchPath, ManagedObjectID?)
        case and(Term, Term)
        case or(Term, Term)
        case not(Term)
    }

    let term: Term

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
        FetchPredicate(term: .compare(FetchPath(path), comparison, value.storedValue))
    }

    /// Returns a predicate that matches if the attribute at a dotted path has one of several values.
    public static func attribute(
        _ path: String, in values: some Sequence<some AttributeValue>
    ) -> FetchPredicate {
        FetchPredicate(term: .isIn(FetchPath(path), Set(values.map(\.storedValue))))
    }

    /// Returns a predicate that matches if the attribute at a dotted path is null.
    public static func isNull(_ path: String) -> FetchPredicate {
        FetchPredicate(term: .compare(FetchPath(path), .equal, .null))
    }

    /// Returns a predicate that compares the number of destinations of a to-many relationship.
    public static func count(
        _ path: String, _ comparison: FetchOperator, _ count: Int
    ) -> FetchPredicate {
        let path = FetchPath(names: FetchPath(path).names, isCount: true)
        return FetchPredicate(term: .compare(path, comparison, .integer(Int64(count))))
    }

    /// Returns a predicate that matches if a to-one relationship has a destination, or none for `nil`.
    public static func relationship(_ path: String, _ id: ManagedObjectID?) -> FetchPredicate {
        FetchPredicate(term: .object(FetchPath(path), id))
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

/// A comparison of an attribute with a value.
public struct FetchOperator: Sendable, Hashable {
    enum Kind {
        case equal
        case notEqual
        case less
        case lessOrEqual
        case greater
        case greaterOrEqual
    }

    let kind: Kind

    /// The values are equal, or both are null.
    public static let equal = FetchOperator(kind: .equal)
    /// The values differ, or one of them is null.
    public static let notEqual = FetchOperator(kind: .notEqual)
    /// The attribute is less than the value.
    public static let less = FetchOperator(kind: .less)
    /// The attribute is less than or equal to the value.
    public static let lessOrEqual = FetchOperator(kind: .lessOrEqual)
    /// The attribute is greater than the value.
    public static let greater = FetchOperator(kind: .greater)
    /// The attribute is greater than or equal to the value.
    public static let greaterOrEqual = FetchOperator(kind: .greaterOrEqual)
}

/// The names of to-one relationships, followed by the name of a property.
struct FetchPath: Sendable, Hashable {
    var names: [String]
    /// A Boolean value that indicates whether the path means the number of destinations.
    var isCount = false

    init(names: [String], isCount: Bool = false) {
        self.names = names
        self.isCount = isCount
    }

    init(_ text: String) {
        names = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    }

    func appending(_ name: String) -> FetchPath { FetchPath(names: names + [name]) }

    var text: String { names.joined(separator: ".") }
}
