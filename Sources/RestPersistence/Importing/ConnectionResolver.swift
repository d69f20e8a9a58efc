// SPDX-License-Identifier: Apache-2.0

/// The destinations that a connection found for imported objects.
struct ConnectedRows {
    let connection: CompiledRules.CompiledConnection
    /// The entity of the imported objects.
    let layout: EntityLayout
    /// The destinations of each object; empty if it is not connected.
    let destinations: [(source: Int64, found: [Int64])]

    /// The number of destinations that have been set.
    var count: Int { destinations.reduce(0) { $0 + $1.found.count } }
}

/// Sets the relationships of imported objects that have connections, with one query for the rows of an
/// entity and one for the destinations of each connection, or of each step of a path.
struct ConnectionResolver {
    private let layered: LayeredRows
    /// The entity of the imported objects.
    private let layout: EntityLayout
    private let sources: ConnectionSources
    /// A Boolean value that indicates whether a connection may have changed the values of the sources.
    private var isChanged = false

    /// The destinations of a source, by its index.
    typealias Destinations = [(source: Int, found: [Int64])]

    /// Creates a resolver for imported objects of an entity and their connections.
    init(
        _ keys: [Int64], of layout: EntityLayout,
        by connections: [CompiledRules.CompiledConnection], in layered: LayeredRows
    ) throws(PersistenceError) {
        self.layered = layered
        self.layout = layout
        var columns = Set([layout.table.entityColumn].compactMap(\.self))
        for connection in connections {
            if case .columns(let pairs) = connection.rule { columns.formUnion(pairs.map(\.source)) }
            if case .column(let column) = connection.relationship.storage { columns.insert(column) }
        }
        sources = try ConnectionSources(keys, reading: columns, of: layout, in: layered)
    }

    /// Sets the relationship of a connection for all imported objects.
    mutating func connect(
        by connection: CompiledRules.CompiledConnection
    ) throws(PersistenceError) -> ConnectedRows {
        var destinations: Destinations = []
        destinations.reserveCapacity(sources.count)
        var rows = Array(0..<sources.count)
        if let predicate = connection.description.sourcePredicate {
            let matching = try self.matching(predicate)
            for row in rows where !matching.contains(sources.keys[row]) {
                destinations.append((row, []))
            }
            rows.removeAll { !matching.contains(sources.keys[$0]) }
        }
        switch connection.rule {
        case .columns(let columns):
            let search = ConnectionSearch(columns, connection, from: layout, in: layered)
            destinations += try search.destinations(of: rows, in: sources)
        case .path(let path):
            destinations += try self.destinations(of: rows, along: path)
        }
        if !connection.relationship.isToMany {
            for index in destinations.indices where destinations[index].found.count > 1 {
                destinations[index].found.removeLast(destinations[index].found.count - 1)
            }
        }
        defer { isChanged = true }
        let connected = ConnectedRows(
            connection: connection, layout: layout,
            destinations: destinations.map { (sources.keys[$0.source], $0.found) })
        if let column = columnToSet(connection.relationship) {
            try set(column, destinations, connection.relationship)
        } else {
            var writer = ConnectionWriter(connection.relationship, of: layout, in: layered)
            try writer.set(connected.destinations)
        }
        return connected
    }

    /// Returns the imported objects that match a predicate.
    private func matching(_ predicate: FetchPredicate) throws(PersistenceError) -> Set<Int64> {
        let store = layered.database.identity
        let imported = FetchPredicate.ids(
            sources.keys.map { ManagedObjectID(key: $0, layout: layout, store: store) })
        let request = FetchRequest(layout.name, where: predicate && imported)
        return Set(try layered.fetchIDs(request).map(\.key))
    }

    // MARK: Setting

    /// Returns the column of the source that alone stores a relationship; `nil` if setting it changes
    /// other rows as well.
    private func columnToSet(_ relationship: RelationshipLayout) -> Int? {
        guard case .column(let column) = relationship.storage, !relationship.isSymmetric else {
            return nil
        }
        guard let inverse = inverse(of: relationship) else { return column }
        return inverse.isToMany ? column : nil
    }

    private func inverse(of relationship: RelationshipLayout) -> RelationshipLayout? {
        relationship.inverse.map {
            layered.model.layouts[relationship.destination].relationships[$0]
        }
    }

    /// Sets a column of the sources.
    private func set(
        _ column: Int, _ destinations: Destinations, _ relationship: RelationshipLayout
    ) throws(PersistenceError) {
        var settings: [(key: Int64, entity: Int, value: StoredValue)] = []
        settings.reserveCapacity(destinations.count)
        // A row of which only the name of the entity is known.
        var named = Array(repeating: StoredValue.null, count: layout.table.width)
        var entity = layout.index
        for (row, found) in destinations {
            let key = sources.keys[row]
            let value = found.first.map { StoredValue.integer($0) } ?? .null
            // A connection in the other direction may have set it.
            let unsaved =
                isChanged ? layered.layers.changedValue(key, column, layout.table.index) : nil
            if unsaved ?? sources.value(row, column) == value { continue }
            if let column = layout.table.entityColumn {
                named[column] = sources.value(row, column)
                entity = try layered.model.layout(ofRow: named, in: layout).index
            }
            settings.append((key, entity, value))
        }
        if settings.isEmpty { return }
        layered.set(settings, column, of: layout.table)
        // The last position: the object joins the end of the destination's list.
        if case .inverseColumn(_, let position?) = inverse(of: relationship)?.storage {
            for index in settings.indices { settings[index].value = .null }
            layered.set(settings, position, of: layout.table)
        }
    }

    // MARK: Paths

    /// Returns the destinations at the end of a path, each once, in the order in which they are reached.
    private func destinations(
        of rows: [Int], along path: [RelationshipLayout]
    ) throws(PersistenceError) -> Destinations {
        var reached: Destinations = rows.map { ($0, [sources.keys[$0]]) }
        var layout = layout
        for relationship in path {
            let keys = Set(reached.lazy.flatMap(\.found)).sorted()
            let members = try layered.members(of: keys, relationship, in: layout)
            for index in reached.indices {
                var known: Set<Int64> = []
                var next: [Int64] = []
                for key in reached[index].found {
                    let found = members[key] ?? []
                    for member in relationship.isToMany ? found[...] : found.prefix(1)
                    where known.insert(member).inserted {
                        next.append(member)
                    }
                }
                reached[index].found = next
            }
            layout = layered.model.layouts[relationship.destination]
        }
        return reached
    }
}
