// SPDX-License-Identifier: Apache-2.0

/// A fetch request compiled for a model, with indices for names and values of the column types.
///
/// The compilation is independent of unsaved changes and of SQL.
package struct FetchPlan {
    /// A row of the request or of a nested query.
    package struct Row: Hashable {
        /// The number in the name of the row's table, `t0` for the request.
        package let alias: Int
        let entity: Int
        /// The number of relationships from the request to the row.
        let depth: Int
    }

    /// A relationship from the previous row of a path, and its destination.
    package struct Hop {
        let relationship: RelationshipLayout
        let row: Row
    }

    package enum Leaf {
        case column(Int)
        case count(RelationshipLayout, Row, Condition)
    }

    package indirect enum Value {
        case constant(StoredValue)
        /// A value at the end of a path of to-one relationships; null without destination.
        case leaf(Row, [Hop], Leaf, AttributeType)
        case arithmetic(Value, FetchArithmetic, Value)
        /// The element of an array, by the number in the name of its alias, `e1`.
        case element(Int, AttributeType)
        /// The number of elements of an array.
        case elementCount(Value)
        case member(Value, JSONMember)
    }

    package enum Comparison {
        case equal
        case less
        case lessOrEqual
        case greater
        case greaterOrEqual
    }

    package indirect enum Condition {
        case constant(Bool)
        /// Only `equal` is true for null, if both sides are null.
        case compare(Value, Comparison, Value)
        case isNull(Value)
        /// The values contain no null.
        case isIn(Value, Set<StoredValue>)
        case text(Value, TextMatch)
        case isKey(Row, [Int64])
        case isEntity(Row, [String])
        /// The words of the row match a query of the full-text index.
        case search(Row, String)
        /// The condition holds for a destination of the relationship of the first row.
        case some(Row, RelationshipLayout, Row, Condition)
        /// The condition holds for an element of an array, by the number in the name of its alias.
        case elements(Value, Int, Condition)
        case and([Condition])
        case or([Condition])
        case not(Condition)
    }

    package struct Ordering {
        package let value: Value
        let isAscending: Bool
        let options: TextOptions
        /// The order of texts in a locale; `nil` for that of their bytes.
        let collation: TextCollation?
    }

    package let model: ManagedObjectModel
    package let layout: EntityLayout
    package let root: Row
    package var condition: Condition
    package let orderings: [Ordering]
    /// The values of a projection or of an aggregate.
    let values: [Value]
    /// The names of the entities to fetch; `nil` for all of the table.
    package let entities: [String]?
    /// The tables whose unsaved changes affect the result.
    package let tables: Set<Int>
    /// The join tables whose unsaved changes affect the result.
    package let links: Set<Int>
    package let limit: Int?
    package let offset: Int
    package let includesPendingChanges: Bool

    /// Compiles a request to look at it; the IDs in it are those of any store.
    ///
    /// - Throws: An error of ``init(_:reading:in:keys:)``.
    package init(
        _ request: FetchRequest, checkedBy model: ManagedObjectModel
    ) throws(PersistenceError) {
        try self.init(request, reading: [], in: model, keys: nil)
    }

    /// Compiles a request.
    ///
    /// The expressions are the values of a projection or of an aggregate.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - expressions: The values to read.
    ///   - model: The model.
    ///   - keys: The keys of the rows that IDs denote; `nil` if the condition is not evaluated.
    /// - Throws: ``PersistenceError`` with code `unknownEntity`, `unknownProperty` or
    ///   `invalidPredicate`.
    package init(
        _ request: FetchRequest, reading expressions: [FetchExpression],
        in model: ManagedObjectModel, keys: (any StoredKeys)?
    ) throws(PersistenceError) {
        self.model = model
        layout = try model.layout(named: request.entityName)
        root = Row(alias: 0, entity: layout.index, depth: 0)
        var resolver = FetchResolver(model: model, layout: layout, keys: keys)
        condition = try resolver.condition(request.predicate.term, in: [root])
        var orderings: [Ordering] = []
        for ordering in request.orderings {
            let value = try resolver.value(ordering.expression, in: [root])
            if !ordering.options.isEmpty || ordering.locale != nil, value.type != .text {
                throw PersistenceError(
                    .invalidPredicate, entity: layout.name,
                    details: ["text options or a locale apply to an ordering that is not by text"])
            }
            orderings.append(
                Ordering(
                    value: value, isAscending: ordering.isAscending, options: ordering.options,
                    collation: ordering.locale.map {
                        TextCollation(options: ordering.options, locale: $0)
                    }))
        }
        self.orderings = orderings
        var values: [Value] = []
        for expression in expressions { values.append(try resolver.value(expression, in: [root])) }
        self.values = values
        entities = model.names(of: layout, isExact: !request.includesSubentities)
        tables = resolver.tables
        links = resolver.links
        limit = request.limit.map { max(0, $0) }
        offset = max(0, request.offset)
        includesPendingChanges = request.includesPendingChanges
    }
}

extension FetchPlan.Value {
    /// The type of the value; `nil` for a constant, which has the type of what it is compared with.
    var type: AttributeType? {
        switch self {
        case .constant: nil
        case .leaf(_, _, _, let type), .element(_, let type): type
        case .elementCount: .integer
        case .member(_, let member): member.type
        case .arithmetic(let left, _, let right):
            left.type == .double || right.type == .double ? .double : left.type ?? right.type
        }
    }

    package var isConstant: Bool {
        switch self {
        case .constant: true
        case .leaf, .element, .elementCount, .member: false
        case .arithmetic(let left, _, let right): left.isConstant && right.isConstant
        }
    }

    var isNull: Bool {
        if case .constant(.null) = self { true } else { false }
    }

    var isUnstorable: Bool {
        if case .constant(let value) = self { value.isUnstorable } else { false }
    }
}

extension FetchPlan {
    /// A Boolean value that indicates whether the condition bounds an attribute with which an index begins.
    var isBoundedByIndex: Bool {
        condition.isBound { column in
            let name = layout.columns[column].name
            return layout.table.entities.contains { entity in
                let attributes = model.layouts[entity].description.attributes
                return attributes.first(where: \.isIdentity)?.name == name
                    || attributes.contains { $0.isIndexed && $0.name == name }
            }
        }
    }
}

extension FetchPlan.Comparison {
    /// A Boolean value that indicates whether the comparison bounds a range of an index.
    fileprivate var boundsRange: Bool {
        switch self {
        case .less, .lessOrEqual, .greater, .greaterOrEqual: true
        case .equal: false
        }
    }
}

extension FetchPlan.Condition {
    /// Returns a Boolean value that indicates whether the condition bounds a column of the request's rows.
    fileprivate func isBound(_ isIndexed: (Int) -> Bool) -> Bool {
        switch self {
        case .compare(.leaf(let row, let hops, .column(let column), _), let comparison, .constant),
            .compare(.constant, let comparison, .leaf(let row, let hops, .column(let column), _)):
            row.alias == 0 && hops.isEmpty && comparison.boundsRange && isIndexed(column)
        case .and(let terms): terms.contains { $0.isBound(isIndexed) }
        default: false
        }
    }
}

extension ManagedObjectModel {
    /// Returns the names in the entity column for an entity; `nil` if they are all of the table.
    func names(of layout: EntityLayout, isExact: Bool) -> [String]? {
        let entities = isExact ? [layout.index] : layout.subentities
        guard layout.table.entityColumn != nil, entities.count < layout.table.entities.count else {
            return nil
        }
        return entities.map { layouts[$0].name }
    }
}
