// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// Sets the relationships of imported objects that have connections, with one fetch for each
/// connection.
struct ConnectionResolver {
    let context: ManagedObjectContext
    let observer: (any ConnectionObserver)?
    /// The number of destinations that have been set.
    private(set) var count = 0

    init(context: ManagedObjectContext, observer: (any ConnectionObserver)?) {
        self.context = context
        self.observer = observer
    }

    /// Connects imported objects of an entity.
    mutating func connect(
        _ objects: [ManagedObject], of layout: EntityLayout,
        by connection: CompiledRules.CompiledConnection
    ) throws(PersistenceError) {
        var sources = objects
        if let predicate = connection.description.sourcePredicate {
            let matching = Set(
                try context.fetchIDs(FetchRequest(layout.name, where: predicate)).map(\.key))
            sources = objects.filter { matching.contains($0.objectID.key) }
            for object in objects where !matching.contains(object.objectID.key) {
                try set([], of: object, connection)
            }
        }
        switch connection.rule {
        case .columns(let columns): try connect(sources, columns, connection)
        case .path(let path):
            for object in sources {
                try set(destinations(of: object, along: path), of: object, connection)
            }
        }
    }

    private mutating func set(
        _ destinations: [ManagedObject], of object: ManagedObject,
        _ connection: CompiledRules.CompiledConnection
    ) throws(PersistenceError) {
        let isToMany = connection.relationship.isToMany
        let connected = isToMany ? destinations : Array(destinations.prefix(1))
        count += connected.count
        try object.setRelated(connection.relationship.name, connected)
        observer?.observe(connection.description, of: object, destinations: connected)
    }

    // MARK: Paths

    /// Returns the objects at the end of a path, each once, in the order in which they are reached.
    private func destinations(
        of object: ManagedObject, along path: [RelationshipLayout]
    ) throws(PersistenceError) -> [ManagedObject] {
        var objects = [object]
        for relationship in path {
            var next: [ManagedObject] = []
            var known: Set<Int64> = []
            for object in objects {
                for related in try object.related(relationship.name)
                where known.insert(related.objectID.key).inserted {
                    next.append(related)
                }
            }
            objects = next
        }
        return objects
    }

    // MARK: Attributes

    /// For each attribute of a source, the values of which a destination must have one.
    private typealias Alternatives = [[StoredValue]]

    private mutating func connect(
        _ objects: [ManagedObject], _ columns: [(source: Int, destination: Int)],
        _ connection: CompiledRules.CompiledConnection
    ) throws(PersistenceError) {
        let destination = context.model.layouts[connection.relationship.destination]
        var wanted: [(object: ManagedObject, values: Alternatives)] = []
        for object in objects {
            let values = columns.map { column in
                alternatives(
                    object.storedColumn(column.source), of: object.layout.columns[column.source],
                    as: destination.columns[column.destination].type)
            }
            // Without any value the relationship stays as it is.
            if !values.allSatisfy({ $0 == [.null] }) { wanted.append((object, values)) }
        }
        guard !wanted.isEmpty else { return }
        let found = try destinations(wanted.map(\.values), columns, destination, connection)
        for (object, values) in wanted {
            let matches = Self.matches(of: values, among: found)
            var known: Set<Int64> = []
            let unique = matches.filter { known.insert($0.objectID.key).inserted }
            let isSorted = values.allSatisfy { $0.count == 1 }
            let sorted =
                isSorted ? unique.sorted { $0.objectID.key < $1.objectID.key } : unique
            try set(sorted, of: object, connection)
        }
    }

    /// Fetches all possible destinations, by the values of their attributes.
    private func destinations(
        _ wanted: [Alternatives], _ columns: [(source: Int, destination: Int)],
        _ destination: EntityLayout, _ connection: CompiledRules.CompiledConnection
    ) throws(PersistenceError) -> [[StoredValue]: [ManagedObject]] {
        var predicate = connection.description.destinationPredicate ?? .all
        for (index, column) in columns.enumerated() {
            let values = Set(wanted.flatMap { $0[index] })
            predicate =
                predicate && .column(destination.columns[column.destination].name, in: values)
        }
        var found: [[StoredValue]: [ManagedObject]] = [:]
        for object in try context.fetch(FetchRequest(destination.name, where: predicate)) {
            if !connection.description.includesSubentities, object.layout !== destination {
                continue
            }
            found[columns.map { object.storedColumn($0.destination) }, default: []].append(object)
        }
        return found
    }

    /// Returns the values that match that of an attribute: the elements of an array, or the value.
    ///
    /// Values that the type of the destination cannot have match nothing.
    private func alternatives(
        _ value: StoredValue, of column: ColumnLayout, as type: AttributeType
    ) -> [StoredValue] {
        guard column.type == .json, let root = JSONColumn.root(of: value) else {
            return [Self.converted(value, to: type)].filter(type.accepts)
        }
        guard root.kind == .array else {
            return [Self.value(of: root, as: type)].filter(type.accepts)
        }
        let elements = root.elements.map { Self.value(of: $0, as: type) }
        return elements.filter { !$0.isNull && type.accepts($0) }
    }

    private static func value(of node: Node, as type: AttributeType) -> StoredValue {
        switch node.kind {
        case .number:
            if let number = node.int64 { return converted(.integer(number), to: type) }
            return node.double.map { .double($0) } ?? .null
        case .string: return converted(node.string.map { .text($0) } ?? .null, to: type)
        case .boolean: return node.bool.map { .integer($0 ? 1 : 0) } ?? .null
        default: return .null
        }
    }

    /// Returns a number as text or text as a number, if the destination has the other type.
    private static func converted(_ value: StoredValue, to type: AttributeType) -> StoredValue {
        switch (value, type) {
        case (.integer(let number), .text): .text(String(number))
        case (.integer(let number), .double): .double(Double(number))
        case (.text(let text), .integer): Int64(text).map { .integer($0) } ?? value
        default: value
        }
    }

    /// Returns the destinations whose attributes have one of the values each, in the order of the
    /// combinations of values.
    ///
    /// The combinations of several arrays may be many more than the destinations, which are then
    /// compared instead.
    private static func matches(
        of values: Alternatives, among found: [[StoredValue]: [ManagedObject]]
    ) -> [ManagedObject] {
        var count = 1
        for alternatives in values {
            let (product, overflows) = count.multipliedReportingOverflow(by: alternatives.count)
            count = overflows ? .max : product
        }
        if count <= found.count { return tuples(values).flatMap { found[$0] ?? [] } }
        let positions = values.map { alternatives in
            Dictionary(alternatives.enumerated().map { ($1, $0) }) { first, _ in first }
        }
        let matches = found.compactMap { tuple, objects in
            let indices = zip(tuple, positions).compactMap { $1[$0] }
            return indices.count == tuple.count ? (indices: indices, objects: objects) : nil
        }
        return matches.sorted { $0.indices.lexicographicallyPrecedes($1.indices) }
            .flatMap(\.objects)
    }

    /// Returns all combinations of one value of each attribute.
    private static func tuples(_ values: Alternatives) -> [[StoredValue]] {
        values.reduce([[]]) { tuples, alternatives in
            tuples.flatMap { tuple in alternatives.map { tuple + [$0] } }
        }
    }
}

extension FetchPredicate {
    /// Returns a predicate that matches if a column has one of several values.
    fileprivate static func column(_ name: String, in values: Set<StoredValue>) -> FetchPredicate {
        FetchPredicate(term: .isIn(.attribute(FetchPath(name)), values))
    }
}

extension ManagedObject {
    /// Returns the value of a column, with unsaved changes.
    fileprivate final func storedColumn(_ column: Int) -> StoredValue {
        if !isLoaded { load() }
        return values[column]
    }
}
