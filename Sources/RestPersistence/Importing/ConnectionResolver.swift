// SPDX-License-Identifier: Apache-2.0

/// Sets the relationships of imported objects that have connections, with one query for the rows of an
/// entity and one for the destinations of each connection.
///
/// Objects are created only for an observer, along a path, and for relationships that are not a column of
/// the source.
struct ConnectionResolver {
    let context: ManagedObjectContext
    /// The entity of the imported objects.
    let layout: EntityLayout
    let observer: (any ConnectionObserver)?
    /// The number of destinations that have been set.
    private(set) var count = 0
    private let sources: ConnectionSources
    /// A Boolean value that indicates whether a connection may have changed the values of the sources.
    private var isChanged = false

    /// The destinations of a source, by its index.
    typealias Destinations = [(source: Int, found: [Int64])]

    /// Creates a resolver for imported objects of an entity and their connections.
    init(
        _ keys: [Int64], of layout: EntityLayout,
        by connections: [CompiledRules.CompiledConnection], in context: ManagedObjectContext,
        observer: (any ConnectionObserver)?
    ) throws(PersistenceError) {
        self.context = context
        self.layout = layout
        self.observer = observer
        var columns = Set([layout.table.entityColumn].compactMap(\.self))
        for connection in connections {
            if case .columns(let pairs) = connection.rule { columns.formUnion(pairs.map(\.source)) }
            if case .column(let column) = connection.relationship.storage { columns.insert(column) }
        }
        sources = try ConnectionSources(keys, reading: columns, of: layout, in: context)
    }

    /// Sets the relationship of a connection for all imported objects.
    mutating func connect(
        by connection: CompiledRules.CompiledConnection
    ) throws(PersistenceError) {
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
            let search = ConnectionSearch(columns, connection, from: layout, in: context)
            destinations += try search.destinations(of: rows, in: sources)
        case .path(let path):
            let objects = try context.loadObjects(rows.map { sources.keys[$0] }, layout)
            for row in rows {
                guard let object = objects[sources.keys[row]] else { continue }
                destinations.append((row, try self.destinations(of: object, along: path)))
            }
        }
        if !connection.relationship.isToMany {
            for index in destinations.indices where destinations[index].found.count > 1 {
                destinations[index].found.removeLast(destinations[index].found.count - 1)
            }
        }
        count += destinations.reduce(0) { $0 + $1.found.count }
        defer { isChanged = true }
        if observer == nil, let column = columnToSet(connection.relationship) {
            try set(column, destinations, connection.relationship)
        } else {
            try setObjects(destinations, connection)
        }
    }

    /// Returns the imported objects that match a predicate.
    private func matching(_ predicate: FetchPredicate) throws(PersistenceError) -> Set<Int64> {
        let store = context.database.identity
        let imported = FetchPredicate.ids(
            sources.keys.map { ManagedObjectID(key: $0, layout: layout, store: store) })
        let request = FetchRequest(layout.name, where: predicate && imported)
        return Set(try context.fetchIDs(request).map(\.key))
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
            context.model.layouts[relationship.destination].relationships[$0]
        }
    }

    /// Sets a column of the sources.
    private func set(
        _ column: Int, _ destinations: Destinations, _ relationship: RelationshipLayout
    ) throws(PersistenceError) {
        var settings: [(key: Int64, entity: Int, value: StoredValue)] = []
        // A row of which only the name of the entity is known.
        var named = Array(repeating: StoredValue.null, count: layout.table.width)
        for (row, found) in destinations {
            let key = sources.keys[row]
            let value = found.first.map { StoredValue.integer($0) } ?? .null
            // A connection in the other direction may have set it.
            let unsaved =
                isChanged ? context.layers.changedValue(key, column, layout.table.index) : nil
            if unsaved ?? sources.value(row, column) == value { continue }
            if let column = layout.table.entityColumn { named[column] = sources.value(row, column) }
            let entity = try context.model.layout(ofRow: named, in: layout).index
            settings.append((key, entity, value))
        }
        if settings.isEmpty { return }
        context.set(settings, column, of: layout.table)
        // The last position: the object joins the end of the destination's list.
        if case .inverseColumn(_, let position?) = inverse(of: relationship)?.storage {
            for index in settings.indices { settings[index].value = .null }
            context.set(settings, position, of: layout.table)
        }
    }

    /// Sets a relationship by the objects, and tells the observer.
    private func setObjects(
        _ destinations: Destinations, _ connection: CompiledRules.CompiledConnection
    ) throws(PersistenceError) {
        let relationship = connection.relationship
        let keys = sources.keys
        let sources = try context.loadObjects(destinations.map { keys[$0.source] }, layout)
        let found = Set(destinations.lazy.flatMap(\.found))
        let objects = try context.loadObjects(
            Array(found), context.model.layouts[relationship.destination])
        for (source, found) in destinations {
            guard let source = sources[keys[source]] else { continue }
            let connected = found.compactMap { objects[$0] }
            try context.withoutEditing { () throws(PersistenceError) in
                try source.setRelated(relationship.name, connected)
            }
            observer?.observe(connection.description, of: source, destinations: connected)
        }
    }

    // MARK: Paths

    /// Returns the keys of the objects at the end of a path, each once, in the order in which they are
    /// reached.
    private func destinations(
        of object: ManagedObject, along path: [RelationshipLayout]
    ) throws(PersistenceError) -> [Int64] {
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
        return objects.map(\.objectID.key)
    }
}
