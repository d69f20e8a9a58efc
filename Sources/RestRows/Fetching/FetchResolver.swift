// SPDX-License-Identifier: Apache-2.0

/// Resolves the names of a predicate and checks the types of its values.
///
/// A comparison at the end of a path of to-one relationships becomes a condition on the destination,
/// which a nested query evaluates with the indexes of its table. A comparison of values at the ends
/// of different paths keeps the paths.
struct FetchResolver {
    typealias Condition = FetchPlan.Condition
    typealias Row = FetchPlan.Row
    typealias Value = FetchPlan.Value

    let model: ManagedObjectModel
    /// The fetched entity, for errors.
    let layout: EntityLayout
    /// The keys of rows; `nil` if the condition is not evaluated.
    private let keys: (any StoredKeys)?
    private(set) var tables: Set<Int>
    private(set) var links: Set<Int> = []

    var aliasCount = 1
    /// The elements of arrays for which the enclosing closures stand, the innermost last.
    var elements: [Value] = []
    /// The aliases of destinations of to-one relationships, which several conditions share.
    private var aliases: [[Int]: Int] = [:]

    /// The maximum number of nested relationships.
    ///
    /// With unsaved changes, the length of the SQL is
    /// exponential in it.
    private static let maximumDepth = 6

    init(model: ManagedObjectModel, layout: EntityLayout, keys: (any StoredKeys)?) {
        self.model = model
        self.layout = layout
        self.keys = keys
        tables = [layout.table.index]
    }

    // MARK: Conditions

    /// Returns the condition of a term, given the rows of the enclosing closures, the innermost last.
    mutating func condition(
        _ term: FetchPredicate.Term, in scopes: [Row]
    ) throws(PersistenceError) -> Condition {
        switch term {
        case .constant(let value): return .constant(value)
        case .compare(let left, let comparison, let right):
            return try self.comparison(left, comparison.kind, right, in: scopes)
        case .isIn(let operand, let values): return try membership(operand, values, in: scopes)
        case .text(let operand, let match): return try text(operand, match, in: scopes)
        case .object(let path, let ids): return try objects(path, ids, in: scopes)
        case .entity(let path, let name, let isExact):
            return try entity(path, name, isExact, in: scopes)
        case .search(let path, let predicate): return try search(path, predicate, in: scopes)
        case .some(let path, let inner): return try some(path, inner, in: scopes)
        case .elements(let array, let type, let inner):
            return try elements(array, type, inner, in: scopes)
        case .and:
            return .and(FetchPlan.merged(try chain(term, in: scopes), isConjunction: true))
        case .or:
            return .or(FetchPlan.merged(try chain(term, in: scopes), isConjunction: false))
        case .not(let inner): return .not(try condition(inner, in: scopes))
        }
    }

    /// Returns the operands of a chain of one operator, without recursion for each of them.
    private mutating func chain(
        _ term: FetchPredicate.Term, in scopes: [Row]
    ) throws(PersistenceError) -> [Condition] {
        var isAnd = false
        if case .and = term { isAnd = true }
        var pending = [term]
        var result: [Condition] = []
        while let next = pending.popLast() {
            switch next {
            case .and(let left, let right) where isAnd: pending += [right, left]
            case .or(let left, let right) where !isAnd: pending += [right, left]
            default: result.append(try condition(next, in: scopes))
            }
        }
        return result
    }

    private mutating func comparison(
        _ left: FetchExpression, _ kind: FetchOperator.Kind, _ right: FetchExpression,
        in scopes: [Row]
    ) throws(PersistenceError) -> Condition {
        let comparison: FetchPlan.Comparison
        switch kind {
        case .equal: comparison = .equal
        case .notEqual: return .not(try self.comparison(left, .equal, right, in: scopes))
        case .less: comparison = .less
        case .lessOrEqual: comparison = .lessOrEqual
        case .greater: comparison = .greater
        case .greaterOrEqual: comparison = .greaterOrEqual
        }
        let shared = sharedPath(left.paths + right.paths)
        var isTrueForNull = false
        let condition = try at(shared, in: scopes) {
            (resolver, base) throws(PersistenceError) -> Condition in
            var values = (
                try resolver.value(left, in: scopes, from: base),
                try resolver.value(right, in: scopes, from: base)
            )
            try resolver.matchTypes(&values.0, &values.1, left.paths.first ?? right.paths.first)
            isTrueForNull =
                comparison == .equal
                && (!values.0.isConstant && !values.1.isConstant
                    || values.0.isNull || values.1.isNull)
            // NaN equals nothing, and has no order.
            if values.0.isUnstorable || values.1.isUnstorable { return .constant(false) }
            if values.1.isNull {
                return comparison == .equal ? .isNull(values.0) : .constant(false)
            }
            if values.0.isNull {
                return comparison == .equal ? .isNull(values.1) : .constant(false)
            }
            return .compare(values.0, comparison, values.1)
        }
        return isTrueForNull ? try orMissing(condition, shared, in: scopes) : condition
    }

    private mutating func membership(
        _ operand: FetchExpression, _ values: Set<StoredValue>, in scopes: [Row]
    ) throws(PersistenceError) -> Condition {
        let shared = sharedPath(operand.paths)
        let hasNull = values.contains(.null)
        let condition = try at(shared, in: scopes) {
            (resolver, base) throws(PersistenceError) -> Condition in
            let value = try resolver.value(operand, in: scopes, from: base)
            var accepted: Set<StoredValue> = []
            accepted.reserveCapacity(values.count)
            for element in values where !element.isNull && !element.isUnstorable {
                accepted.insert(try resolver.converted(element, value.type, operand.paths.first))
            }
            let isIn = accepted.isEmpty ? Condition.constant(false) : .isIn(value, accepted)
            return hasNull ? .or([.isNull(value), isIn]) : isIn
        }
        return hasNull ? try orMissing(condition, shared, in: scopes) : condition
    }

    private mutating func text(
        _ operand: FetchExpression, _ match: TextMatch, in scopes: [Row]
    ) throws(PersistenceError) -> Condition {
        try at(sharedPath(operand.paths), in: scopes) {
            (resolver, base) throws(PersistenceError) -> Condition in
            let value = try resolver.value(operand, in: scopes, from: base)
            guard value.type == .text || value.type == .url else {
                throw resolver.invalid(operand.paths.first, "is not a text")
            }
            guard !match.options.contains(.numeric) else {
                throw resolver.invalid(
                    operand.paths.first, "is compared numerically, which only orders can be")
            }
            return .text(value, match)
        }
    }

    private mutating func objects(
        _ path: FetchPath, _ ids: Set<ManagedObjectID>, in scopes: [Row]
    ) throws(PersistenceError) -> Condition {
        try related(path.names[...], of: path, from: start(path, in: scopes)) {
            (resolver, row) throws(PersistenceError) -> Condition in
            let entity = resolver.model.layouts[row.entity]
            var keys: Set<Int64> = []
            for id in ids {
                guard let other = try? resolver.model.layout(named: id.entityName),
                    other.table === entity.table
                else {
                    throw resolver.invalid(path, "is compared with an object of \(id.entityName)")
                }
                // An object of another store is none of the rows.
                if let key = resolver.key(of: id) { keys.insert(key) }
            }
            return keys.isEmpty ? .constant(false) : .isKey(row, keys.sorted())
        }
    }

    private func key(of id: ManagedObjectID) -> Int64? {
        guard let keys else { return id.key }
        return keys.key(of: id)
    }

    private mutating func entity(
        _ path: FetchPath, _ name: String, _ isExact: Bool, in scopes: [Row]
    ) throws(PersistenceError) -> Condition {
        let other = try model.layout(named: name)
        return try related(path.names[...], of: path, from: start(path, in: scopes)) {
            (resolver, row) throws(PersistenceError) -> Condition in
            guard resolver.model.layouts[row.entity].table === other.table else {
                return .constant(false)
            }
            let names = resolver.model.names(of: other, isExact: isExact)
            return names.map { .isEntity(row, $0) } ?? .constant(true)
        }
    }

    private mutating func search(
        _ path: FetchPath, _ predicate: SearchPredicate, in scopes: [Row]
    ) throws(PersistenceError) -> Condition {
        try related(path.names[...], of: path, from: start(path, in: scopes)) {
            (resolver, row) throws(PersistenceError) -> Condition in
            let entity = resolver.model.layouts[row.entity]
            let compiler = try SearchCompiler(entity, resolver.model)
            return try compiler.condition(predicate, row)
        }
    }

    private mutating func some(
        _ path: FetchPath, _ inner: FetchPredicate.Term, in scopes: [Row]
    ) throws(PersistenceError) -> Condition {
        try related(path.names[...], of: path, from: start(path, in: scopes)) {
            (resolver, row) throws(PersistenceError) -> Condition in
            try resolver.condition(inner, in: scopes + [row])
        }
    }

    // MARK: Paths

    /// Returns the path of relationships that all values of a comparison share, if it begins in the
    /// innermost closure.
    func sharedPath(_ paths: [FetchPath]) -> FetchPath? {
        guard let first = paths.first else { return nil }
        let owner = first.owner
        guard !owner.names.isEmpty, paths.allSatisfy({ $0.owner == owner }) else { return nil }
        return owner
    }

    /// Returns a condition on the destination of a shared path, or on the row itself without one.
    mutating func at(
        _ path: FetchPath?, in scopes: [Row],
        _ body: (inout FetchResolver, (FetchPath, Row)?) throws(PersistenceError) -> Condition
    ) throws(PersistenceError) -> Condition {
        guard let path, try start(path, in: scopes) == scopes.last else {
            return try body(&self, nil)
        }
        return try related(path.names[...], of: path, from: start(path, in: scopes), isToOne: true)
        {
            (resolver, row) throws(PersistenceError) -> Condition in
            try body(&resolver, (path, row))
        }
    }

    /// Returns a condition that also holds if a shared path has no destination.
    private mutating func orMissing(
        _ condition: Condition, _ path: FetchPath?, in scopes: [Row]
    ) throws(PersistenceError) -> Condition {
        guard let path, try start(path, in: scopes) == scopes.last else { return condition }
        let exists = try at(path, in: scopes) {
            (_, _) throws(PersistenceError) -> Condition in .constant(true)
        }
        return .or([.not(exists), condition])
    }

    private func start(_ path: FetchPath, in scopes: [Row]) throws(PersistenceError) -> Row {
        let index = path.scope ?? scopes.count - 1
        guard scopes.indices.contains(index) else {
            throw invalid(path, "is used outside of the closure of its object")
        }
        return scopes[index]
    }

    /// Returns a condition on the destinations at the end of a path of relationships.
    private mutating func related(
        _ names: ArraySlice<String>, of path: FetchPath, from row: Row, isToOne: Bool = false,
        _ body: (inout FetchResolver, Row) throws(PersistenceError) -> Condition
    ) throws(PersistenceError) -> Condition {
        guard let name = names.first else { return try body(&self, row) }
        let hop = try self.hop(name, of: path, from: row)
        if isToOne, hop.relationship.isToMany { throw unknown(path) }
        let inner = try related(names.dropFirst(), of: path, from: hop.row, isToOne: isToOne, body)
        return .some(row, hop.relationship, hop.row, inner)
    }

    private mutating func hop(
        _ name: String, of path: FetchPath, from row: Row
    ) throws(PersistenceError) -> FetchPlan.Hop {
        let entity = model.layouts[row.entity]
        guard case .relationship(let index) = entity.propertyIndices[name] else {
            throw unknown(path)
        }
        guard row.depth < Self.maximumDepth else {
            throw invalid(path, "follows more than \(Self.maximumDepth) relationships")
        }
        let relationship = entity.relationships[index]
        tables.insert(model.layouts[relationship.destination].table.index)
        if case .link(let link, _) = relationship.storage { links.insert(link) }
        var alias: Int?
        if !relationship.isToMany { alias = aliases[[row.alias, index]] }
        let number = alias ?? aliasCount
        if alias == nil {
            aliasCount += 1
            if !relationship.isToMany { aliases[[row.alias, index]] = number }
        }
        return FetchPlan.Hop(
            relationship: relationship,
            row: Row(alias: number, entity: relationship.destination, depth: row.depth + 1))
    }

    // MARK: Values

    mutating func value(
        _ expression: FetchExpression, in scopes: [Row], from base: (FetchPath, Row)? = nil
    ) throws(PersistenceError) -> Value {
        switch expression {
        case .value(let value): return .constant(value)
        case .attribute(let path):
            let (start, hops) = try hops(to: path, in: scopes, from: base)
            let entity = model.layouts[(hops.last?.row ?? start).entity]
            guard case .attribute(let column) = entity.propertyIndices[path.names.last ?? ""] else {
                throw unknown(path)
            }
            return .leaf(start, hops, .column(column), entity.columns[column].type)
        case .count(let path, let term):
            let (start, hops) = try hops(to: path, in: scopes, from: base)
            let hop = try hop(path.names.last ?? "", of: path, from: hops.last?.row ?? start)
            guard hop.relationship.isToMany else { throw unknown(path) }
            let condition = try condition(term, in: scopes + [hop.row])
            return .leaf(start, hops, .count(hop.relationship, hop.row, condition), .integer)
        case .arithmetic(let left, let symbol, let right):
            var values = (
                try value(left, in: scopes, from: base), try value(right, in: scopes, from: base)
            )
            try matchTypes(&values.0, &values.1, expression.paths.first)
            guard values.0.type?.isArithmetic != false, values.1.type?.isArithmetic != false else {
                throw invalid(expression.paths.first, "is not a number of SQLite")
            }
            return .arithmetic(values.0, symbol, values.1)
        case .element(let number):
            guard elements.indices.contains(number - 1) else {
                throw invalid(nil, "an element is used outside of the closure of its array")
            }
            return elements[number - 1]
        case .elementCount(let array):
            return .elementCount(try json(array, in: scopes, from: base))
        case .member(let object, let member):
            return try self.member(member, of: object, in: scopes, from: base)
        }
    }

    /// Returns the to-one relationships before the last name of a path.
    private mutating func hops(
        to path: FetchPath, in scopes: [Row], from base: (FetchPath, Row)?
    ) throws(PersistenceError) -> (start: Row, hops: [FetchPlan.Hop]) {
        if let base, base.0 == path.owner { return (base.1, []) }
        let start = try start(path, in: scopes)
        var hops: [FetchPlan.Hop] = []
        for name in path.owner.names {
            let hop = try hop(name, of: path, from: hops.last?.row ?? start)
            if hop.relationship.isToMany { throw unknown(path) }
            hops.append(hop)
        }
        return (start, hops)
    }

    /// Converts a constant to the type of the other value, and compares the types of two attributes.
    private func matchTypes(
        _ left: inout Value, _ right: inout Value, _ path: FetchPath?
    ) throws(PersistenceError) {
        switch (left, right) {
        case (_, .constant(let value)):
            right = .constant(try converted(value, left.type, path))
        case (.constant(let value), _):
            left = .constant(try converted(value, right.type, path))
        default:
            guard let first = left.type, let second = right.type, first != second,
                !(first.isArithmetic && second.isArithmetic)
            else { return }
            throw invalid(path, "is of type \(first) and compared with one of type \(second)")
        }
    }

    /// Returns a value as the column stores it, with integers converted for floating-point columns.
    private func converted(
        _ value: StoredValue, _ type: AttributeType?, _ path: FetchPath?
    ) throws(PersistenceError) -> StoredValue {
        guard let type else { return value }
        if case .integer(let number) = value, type == .double { return .double(Double(number)) }
        if case .double(let seconds) = value, type == .date, !seconds.isNaN {
            // Before and after the texts of all dates.
            return .text(seconds < 0 ? "" : "~")
        }
        guard type.accepts(value) || value.isUnstorable else {
            throw invalid(path, "is compared with a value that is not of type \(type)")
        }
        return value
    }

    func invalid(_ path: FetchPath?, _ problem: String) -> PersistenceError {
        PersistenceError(
            .invalidPredicate, entity: layout.name, property: path?.text, details: [problem])
    }

    private func unknown(_ path: FetchPath) -> PersistenceError {
        PersistenceError(
            .unknownProperty, entity: layout.name, property: path.text,
            details: [
                "predicates and orders have stored properties and what is calculated from them: "
                    + layout.propertyIndices.keys.sorted().joined(separator: ", ")
            ])
    }
}

extension AttributeType {
    fileprivate var isArithmetic: Bool { self == .integer || self == .double || self == .boolean }
}

extension FetchPath {
    /// The path of relationships before the last name.
    fileprivate var owner: FetchPath { FetchPath(scope: scope, names: names.dropLast()) }
}

extension FetchExpression {
    /// The paths of the attributes and of the counted relationships.
    var paths: [FetchPath] {
        switch self {
        case .value: []
        case .attribute(let path), .count(let path, _): [path]
        case .arithmetic(let left, _, let right): left.paths + right.paths
        case .element: []
        case .elementCount(let value), .member(let value, _): value.paths
        }
    }
}

extension FetchPlan {
    /// Combines the conditions on the destination of one to-one relationship, so that one nested
    /// query evaluates them.
    fileprivate static func merged(_ conditions: [Condition], isConjunction: Bool) -> [Condition] {
        var result: [Condition] = []
        var positions: [Row: Int] = [:]
        var inner: [Int: [Condition]] = [:]
        for condition in conditions {
            guard case .some(_, let relationship, let row, let term) = condition,
                !relationship.isToMany
            else {
                result.append(condition)
                continue
            }
            if let position = positions[row] {
                inner[position, default: []].append(term)
            } else {
                positions[row] = result.count
                inner[result.count] = [term]
                result.append(condition)
            }
        }
        for (position, terms) in inner where terms.count > 1 {
            guard case .some(let owner, let relationship, let row, _) = result[position] else {
                continue
            }
            let terms = merged(terms, isConjunction: isConjunction)
            result[position] = .some(
                owner, relationship, row, isConjunction ? .and(terms) : .or(terms))
        }
        return result
    }
}
