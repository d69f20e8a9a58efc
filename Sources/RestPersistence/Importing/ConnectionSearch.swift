// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// The search for the destinations of a connection by the values of attributes.
struct ConnectionSearch {
    /// For each attribute of a source, the values of which a destination must have one.
    private typealias Alternatives = [[StoredValue]]

    private let columns: [(source: Int, destination: Int)]
    private let connection: Connection
    private let source: EntityLayout
    private let destination: EntityLayout
    private let layered: LayeredRows

    init(
        _ columns: [(source: Int, destination: Int)],
        _ connection: CompiledRules.CompiledConnection, from source: EntityLayout,
        in layered: LayeredRows
    ) {
        self.columns = columns
        self.connection = connection.description
        self.source = source
        destination = layered.model.layouts[connection.relationship.destination]
        self.layered = layered
    }

    /// Returns the keys of the destinations of some sources.
    ///
    /// Rows without any value are left out, as their relationship stays as it is.
    func destinations(
        of rows: [Int], in sources: ConnectionSources
    ) throws(PersistenceError) -> ConnectionResolver.Destinations {
        if columns.count == 1, source.columns[columns[0].source].type != .json {
            return try destinations(of: rows, in: sources, by: columns[0])
        }
        var wanted: [(source: Int, values: Alternatives)] = []
        for row in rows {
            let values = columns.map { column in
                alternatives(
                    sources.value(row, column.source), of: source.columns[column.source],
                    as: destination.columns[column.destination].type)
            }
            if !values.allSatisfy({ $0 == [.null] }) { wanted.append((row, values)) }
        }
        if wanted.isEmpty { return [] }
        let sets = columns.indices.map { index in Set(wanted.lazy.flatMap { $0.values[index] }) }
        var found: [[StoredValue]: [Int64]] = [:]
        try forEachDestination(with: sets) { key, values in found[values, default: []].append(key) }
        return wanted.map { source, values in
            var known: Set<Int64> = []
            let unique = Self.matches(of: values, among: found).filter { known.insert($0).inserted }
            let isSorted = values.allSatisfy { $0.count == 1 }
            return (source, isSorted ? unique.sorted() : unique)
        }
    }

    /// Returns the destinations of sources by a single attribute with a single value.
    private func destinations(
        of rows: [Int], in sources: ConnectionSources, by column: (source: Int, destination: Int)
    ) throws(PersistenceError) -> ConnectionResolver.Destinations {
        let type = destination.columns[column.destination].type
        // The sources with a value, and the index of the value among the different ones.
        var wanted: [(source: Int, index: Int)] = []
        wanted.reserveCapacity(rows.count)
        // Many sources have few values, and a small table stays in the cache of the processor.
        var known = IdentityTable()
        var values: [StoredValue] = []
        for row in rows {
            let value = Self.converted(sources.value(row, column.source), to: type)
            if value.isNull { continue }
            let index =
                if case .integer(let integer) = value {
                    known.insert(integer, values.count)
                } else {
                    known.insert(IdentityKey(single: value), values.count)
                }
            if index == values.count { values.append(value) }
            wanted.append((row, index))
        }
        if wanted.isEmpty { return [] }
        var found: [[Int64]] = Array(repeating: [], count: values.count)
        try forEachDestination(with: [Set(values.lazy.filter(type.accepts))]) { key, values in
            if let index = known[IdentityKey(single: values[0])] { found[index].append(key) }
        }
        return wanted.map { ($0.source, found[$0.index]) }
    }

    /// Calls a closure with the key and the values of each possible destination, in the order of keys.
    private func forEachDestination(
        with values: [Set<StoredValue>], _ body: (Int64, [StoredValue]) -> Void
    ) throws(PersistenceError) {
        let names = columns.map { destination.columns[$0.destination].name }
        var predicate = connection.destinationPredicate ?? .all
        for (name, values) in zip(names, values) {
            predicate =
                predicate && FetchPredicate(term: .isIn(.attribute(FetchPath(name)), values))
        }
        var request = FetchRequest(destination.name, where: predicate)
        request.includesSubentities = connection.includesSubentities
        let plan = try FetchPlan(
            request, reading: names.map { .attribute(FetchPath($0)) }, in: layered.database)
        try layered.read(plan, { $0.projection() }) { statement throws(PersistenceError) in
            while try statement.step() {
                body(statement.integer(0), statement.values(from: 2, names.count))
            }
        }
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
        of values: Alternatives, among found: [[StoredValue]: [Int64]]
    ) -> [Int64] {
        var count = 1
        for alternatives in values {
            let (product, overflows) = count.multipliedReportingOverflow(by: alternatives.count)
            count = overflows ? .max : product
        }
        if count <= found.count { return tuples(values).flatMap { found[$0] ?? [] } }
        let positions = values.map { alternatives in
            Dictionary(alternatives.enumerated().map { ($1, $0) }) { first, _ in first }
        }
        let matches = found.compactMap { tuple, keys in
            let indices = zip(tuple, positions).compactMap { $1[$0] }
            return indices.count == tuple.count ? (indices: indices, keys: keys) : nil
        }
        return matches.sorted { $0.indices.lexicographicallyPrecedes($1.indices) }
            .flatMap(\.keys)
    }

    /// Returns all combinations of one value of each attribute.
    private static func tuples(_ values: Alternatives) -> [[StoredValue]] {
        values.reduce([[]]) { tuples, alternatives in
            tuples.flatMap { tuple in alternatives.map { tuple + [$0] } }
        }
    }
}
