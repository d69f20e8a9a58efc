// SPDX-License-Identifier: Apache-2.0

/// The names of relationships, followed by the name of a property.
package struct FetchPath: Sendable, Hashable {
    /// The placeholder in whose closure the path begins; `nil` for the innermost one, to which
    /// predicates by name apply.
    var scope: Int?
    package var names: [String]

    package init(scope: Int? = nil, names: [String]) {
        self.scope = scope
        self.names = names
    }

    package init(_ text: String) {
        names = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    }

    package func appending(_ name: String) -> FetchPath {
        FetchPath(scope: scope, names: names + [name])
    }

    var text: String { names.joined(separator: ".") }
}

/// The numbers of enclosing closures for which a placeholder stands, while a closure is evaluated.
///
/// A placeholder has the number of its own closure, also if it is used in closures inside.
package struct FetchNesting: Sendable {
    /// The number of enclosing closures over destinations of relationships.
    package var rows = 0
    /// The number of enclosing closures over elements of arrays.
    var elements = 0

    package init() {}

    @TaskLocal package static var current = FetchNesting()
}

/// A value to compare, to order by or to read.
package indirect enum FetchExpression: Sendable, Hashable {
    case value(StoredValue)
    case attribute(FetchPath)
    /// The number of destinations of a to-many relationship that match a predicate.
    case count(FetchPath, FetchPredicate.Term)
    case arithmetic(FetchExpression, FetchArithmetic, FetchExpression)
    /// The element of the array for which the closure with a number is evaluated.
    case element(Int)
    /// The number of elements of an array.
    case elementCount(FetchExpression)
    /// A member of a JSON value; null if it has another type.
    case member(FetchExpression, JSONMember)
}

/// A member of a JSON value with a type.
package struct JSONMember: Sendable, Hashable {
    /// The keys that lead to the member.
    let keys: [String]
    let type: AttributeType
    /// A Boolean value that indicates whether the member has the form of a column of its type.
    ///
    /// Members of dictionaries have it. Those of `Codable` types have the form of their encoding.
    let hasColumnForm: Bool
}

/// An arithmetic operator of SQL.
package enum FetchArithmetic: String, Sendable, Hashable {
    case add = "+"
    case subtract = "-"
    case multiply = "*"
    case divide = "/"
    case remainder = "%"
}

extension FetchExpression {
    /// Returns the expression for use in a closure that is nested one level deeper.
    func nested() -> FetchExpression {
        switch self {
        case .value: self
        case .attribute(let path): .attribute(path.nested())
        case .count(let path, let term): .count(path.nested(), term.nested())
        case .arithmetic(let left, let symbol, let right):
            .arithmetic(left.nested(), symbol, right.nested())
        case .element: self
        case .elementCount(let array): .elementCount(array.nested())
        case .member(let value, let member): .member(value.nested(), member)
        }
    }
}

extension FetchPath {
    fileprivate func nested() -> FetchPath { FetchPath(scope: scope.map { $0 + 1 }, names: names) }
}

extension FetchPredicate.Term {
    /// Returns the term for use in a closure that is nested one level deeper.
    func nested() -> FetchPredicate.Term {
        switch self {
        case .constant: self
        case .compare(let left, let comparison, let right):
            .compare(left.nested(), comparison, right.nested())
        case .isIn(let operand, let values): .isIn(operand.nested(), values)
        case .text(let operand, let match): .text(operand.nested(), match)
        case .object(let path, let ids): .object(path.nested(), ids)
        case .entity(let path, let name, let isExact):
            .entity(path.nested(), name, isExact: isExact)
        case .search(let path, let predicate): .search(path.nested(), predicate)
        case .some(let path, let term): .some(path.nested(), term.nested())
        case .elements(let array, let type, let term):
            .elements(array.nested(), type, term.nested())
        case .and(let left, let right): .and(left.nested(), right.nested())
        case .or(let left, let right): .or(left.nested(), right.nested())
        case .not(let term): .not(term.nested())
        }
    }
}
