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
    /// The keys of the imported objects in document order.
    private let keys: [Int64]
    /// The rows of the imported objects before the first connection.
    private let rows: [Int64: [StoredValue]]

    /// Creates a resolver for imported objects of an entity.
    init(
        _ keys: [Int64], of layout: EntityLayout, in context: ManagedObjectContext,
        observer: (any ConnectionObserver)?
    ) throws(PersistenceError) {
        self.context = context
        self.layout = layout
        self.observer = observer
        let rows = try context.rows(keys, layout)
        self.rows = rows
        self.keys = keys.filter { rows[$0] != nil }
    }

    /// Sets the relationship of a connection for all imported objects.
    mutating func connect(
        by connection: CompiledRules.CompiledConnection
    ) throws(PersistenceError) {
        var destinations: [(source: Int64, found: [Int64])] = []
        destinations.reserveCapacity(keys.count)
        var sources = keys
        if let predicate = connection.description.sourcePredicate {
            let matching = try self.matching(predicate)
            sources = keys.filter { matching.contains($0) }
            for key in keys where !matching.contains(key) { destinations.append((key, [])) }
        }
        switch connection.rule {
        case .columns(let columns):
            let search = ConnectionSearch(columns, connection, from: layout, in: context)
            destinations += try search.destinations(of: sources.map { ($0, rows[$0] ?? []) })
        case .path(let path):
            let objects = try context.loadObjects(sources, layout)
            for key in sources {
                guard let object = objects[key] else { continue }
                destinations.append((key, try self.destinations(of: object, along: path)))
            }
        }
        if !connection.relationship.isToMany {
            for index in destinations.indices where destinations[index].found.count > 1 {
                destinations[index].found.removeLast(destinations[index].found.count - 1)
            }
        }
        count += destinations.reduce(0) { $0 + $1.found.count }
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
            keys.map { ManagedObjectID(key: $0, layout: layout, store: store) })
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
        _ column: Int, _ destinations: [(source: Int64, found: [Int64])],
        _ relationship: RelationshipLayout
    ) throws(PersistenceError) {
        var changed: [(key: Int64, entity: Int, value: StoredValue)] = []
        for (source, found) in destinations {
            guard let row = rows[source] else { continue }
            let value = found.first.map { StoredValue.integer($0) } ?? .null
            // A connection in the other direction may have set it.
            let current =
                context.changedValue(source, column, layout.table.index) ?? row[column]
            if current == value { continue }
            let entity = try context.model.layout(ofRow: row, in: layout).index
            changed.append((source, entity, value))
        }
        if changed.isEmpty { return }
        context.set(changed, column, of: layout.table)
        // The last position: the object joins the end of the destination's list.
        if case .inverseColumn(_, let position?) = inverse(of: relationship)?.storage {
            for index in changed.indices { changed[index].value = .null }
            context.set(changed, position, of: layout.table)
        }
    }

    /// Sets a relationship by the objects, and tells the observer.
    private func setObjects(
        _ destinations: [(source: Int64, found: [Int64])],
        _ connection: CompiledRules.CompiledConnection
    ) throws(PersistenceError) {
        let relationship = connection.relationship
        let sources = try context.loadObjects(destinations.map(\.source), layout)
        let found = Set(destinations.lazy.flatMap(\.found))
        let objects = try context.loadObjects(
            Array(found), context.model.layouts[relationship.destination])
        for (source, found) in destinations {
            guard let source = sources[source] else { continue }
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
