// SPDX-License-Identifier: Apache-2.0

/// Which objects a fetch finds: a value, evaluated by SQL for rows and in memory for unsaved changes.
///
/// Written with a closure over a class, `{ $0.city == "Oslo" && $0.terminals.count > 2 }`, or with
/// names for entities without one, `.attribute("city", .equal, "Oslo")`. Names are resolved when
/// fetching. Values are always bound, never made part of SQL text.
///
/// There are two truth values: comparing "no value" by order is false, and so `!` of it is true; "no
/// value" equals itself. Text is compared by its UTF-8 bytes.
public struct FetchPredicate: Sendable, Hashable {
    indirect enum Term: Sendable, Hashable {
        case constant(Bool)
        case compare(FetchPath, FetchOperator, StoredValue)
        case among(FetchPath, Set<StoredValue>)
        case object(FetchPath, ManagedObjectID?)
        case both(Term, Term)
        case either(Term, Term)
        case negated(Term)
    }

    let term: Term

    /// Finds every object.
    public static let all = FetchPredicate(term: .constant(true))
    /// Finds none.
    public static let none = FetchPredicate(term: .constant(false))

    /// Compares the attribute at a dotted path through to-one relationships with a value.
    public static func attribute(
        _ path: String, _ comparison: FetchOperator, _ value: some AttributeValue
    ) -> FetchPredicate {
        FetchPredicate(term: .compare(FetchPath(path), comparison, value.storedValue))
    }

    /// Whether the attribute at a dotted path has one of some values.
    public static func attribute(
        _ path: String, in values: some Sequence<some AttributeValue>
    ) -> FetchPredicate {
        FetchPredicate(term: .among(FetchPath(path), Set(values.map(\.storedValue))))
    }

    /// Whether the attribute at a dotted path has no value.
    public static func isNull(_ path: String) -> FetchPredicate {
        FetchPredicate(term: .compare(FetchPath(path), .equal, .null))
    }

    /// Compares the number of objects a to-many relationship leads to.
    public static func count(
        _ path: String, _ comparison: FetchOperator, _ count: Int
    ) -> FetchPredicate {
        let path = FetchPath(names: FetchPath(path).names, isCount: true)
        return FetchPredicate(term: .compare(path, comparison, .integer(Int64(count))))
    }

    /// Whether a to-one relationship leads to an object; to none if `nil`.
    public static func relationship(_ path: String, _ id: ManagedObjectID?) -> FetchPredicate {
        FetchPredicate(term: .object(FetchPath(path), id))
    }

    /// What both find.
    public static func && (left: FetchPredicate, right: FetchPredicate) -> FetchPredicate {
        FetchPredicate(term: .both(left.term, right.term))
    }

    /// What either finds.
    public static func || (left: FetchPredicate, right: FetchPredicate) -> FetchPredicate {
        FetchPredicate(term: .either(left.term, right.term))
    }

    /// What the predicate does not find.
    public static prefix func ! (predicate: FetchPredicate) -> FetchPredicate {
        FetchPredicate(term: .negated(predicate.term))
    }
}

/// How an attribute is compared with a value.
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

    /// The same value, or both none.
    public static let equal = FetchOperator(kind: .equal)
    /// Another value, or one has none.
    public static let notEqual = FetchOperator(kind: .notEqual)
    /// A value before.
    public static let less = FetchOperator(kind: .less)
    /// A value before or the same.
    public static let lessOrEqual = FetchOperator(kind: .lessOrEqual)
    /// A value after.
    public static let greater = FetchOperator(kind: .greater)
    /// A value after or the same.
    public static let greaterOrEqual = FetchOperator(kind: .greaterOrEqual)
}

/// Names of to-one relationships, then of the property compared.
struct FetchPath: Sendable, Hashable {
    var names: [String]
    /// Whether the number of objects is meant, not an attribute.
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
