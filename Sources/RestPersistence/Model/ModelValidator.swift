// SPDX-License-Identifier: Apache-2.0

/// A validator that compiles entities into layouts and collects all errors.
struct ModelValidator {
    private(set) var diagnostics: [String] = []
    private(set) var links: [LinkLayout] = []
    private(set) var indices: [String: Int] = [:]
    private(set) var types: [ObjectIdentifier: Int] = [:]

    private let entities: [EntityDescription]
    /// The maximum number of columns in SQLite, without the primary key.
    private static let maximumColumns = 1999

    init(_ entities: [EntityDescription]) {
        self.entities = entities
        var folded: [String: String] = [:]
        for (index, entity) in entities.enumerated() {
            checkName(entity.name, "entity")
            if let other = folded.updateValue(
                entity.name, forKey: SQLIdentifier.caseFolded(entity.name))
            {
                diagnostics.append(
                    other == entity.name
                        ? "entity \(entity.name) is described twice"
                        : "entities \(other) and \(entity.name) differ in case only")
            }
            indices[entity.name] = index
            if let type = entity.objectType { types[ObjectIdentifier(type)] = index }
            checkProperties(entity)
        }
    }

    private mutating func checkName(_ name: String, _ what: String) {
        guard let problem = SQLIdentifier.problem(with: name) else { return }
        let shown = String(name.unicodeScalars.map { $0.value < 0x20 ? "?" : Character($0) })
        diagnostics.append("name of \(what) '\(shown)' \(problem)")
    }

    private mutating func checkProperties(_ entity: EntityDescription) {
        var folded: [String: String] = [:]
        for name in entity.attributes.map(\.name) + entity.relationships.map(\.name) {
            checkName(name, "property \(entity.name).")
            if let other = folded.updateValue(name, forKey: SQLIdentifier.caseFolded(name)) {
                diagnostics.append(
                    other == name
                        ? "property \(entity.name).\(name) is described twice"
                        : "properties \(entity.name).\(other) and \(name) differ in case only")
            }
        }
        for attribute in entity.attributes where !attribute.type.accepts(attribute.defaultValue) {
            diagnostics.append(
                "default of \(entity.name).\(attribute.name) is not of type \(attribute.type)")
        }
        if entity.attributes.count + entity.relationships.count > Self.maximumColumns {
            diagnostics.append(
                "entity \(entity.name) has more than \(Self.maximumColumns) properties")
        }
    }

    /// Checks the names of join tables and indexes, which share a namespace with the entities.
    mutating func checkNames(of schema: SchemaPlan) {
        var folded = Set(entities.map { SQLIdentifier.caseFolded($0.name) })
        for name in schema.derivedNames
        where !folded.insert(SQLIdentifier.caseFolded(name)).inserted {
            diagnostics.append("table or index \(name) is needed twice")
        }
    }

    // MARK: Layouts

    mutating func layouts() -> [EntityLayout] {
        entities.indices.map { index in
            let entity = entities[index]
            var columns = entity.attributes.map {
                ColumnLayout(
                    name: $0.name, type: $0.type, isRequired: !$0.isOptional,
                    reading: $0.reading, relationship: nil)
            }
            var relationships: [RelationshipLayout] = []
            for (position, relationship) in entity.relationships.enumerated() {
                guard let ends = ends(of: relationship, position, in: index) else { continue }
                let storage = storage(of: relationship, position, in: index, ends, columns.count)
                if case .column = storage {
                    columns.append(
                        ColumnLayout(
                            name: relationship.name, type: .integer,
                            isRequired: !relationship.isOptional,
                            reading: .plain(.integer, isOptional: true), relationship: position))
                }
                relationships.append(
                    RelationshipLayout(
                        index: position, name: relationship.name,
                        isToMany: relationship.isToMany, isOptional: relationship.isOptional,
                        destination: ends.destination, inverse: ends.inverse, storage: storage))
            }
            return EntityLayout(
                index: index, description: entity, columns: columns, relationships: relationships)
        }
    }

    private struct Ends {
        var destination: Int
        var inverse: Int?
    }

    private func destination(of relationship: RelationshipDescription) -> Int? {
        switch relationship.destination {
        case .name(let name): indices[name]
        case .type(let type): types[ObjectIdentifier(type)]
        }
    }

    private func inverse(of relationship: RelationshipDescription, in destination: Int) -> Int? {
        let candidates = entities[destination].relationships
        let name: String? =
            switch relationship.inverse {
            case .none: nil
            case .name(let name): name
            case .path(let path): entities[destination].paths[PropertyPath(path)]
            }
        return name.flatMap { name in candidates.firstIndex { $0.name == name } }
    }

    /// Returns the destination and the inverse, which either relationship may declare.
    private mutating func ends(
        of relationship: RelationshipDescription, _ position: Int, in entity: Int
    ) -> Ends? {
        let path = "\(entities[entity].name).\(relationship.name)"
        guard let destination = destination(of: relationship) else {
            diagnostics.append(
                "relationship \(path) leads to \(relationship.destinationName), "
                    + "which is not in the model")
            return nil
        }
        let declared = inverse(of: relationship, in: destination)
        if relationship.inverse != nil, declared == nil {
            diagnostics.append(
                "inverse of \(path) is not a relationship of \(entities[destination].name)")
        }
        let declaring = entities[destination].relationships.indices.filter { candidate in
            let other = entities[destination].relationships[candidate]
            return self.destination(of: other) == entity
                && inverse(of: other, in: entity) == position
        }
        if let declared {
            let other = entities[destination].relationships[declared]
            if self.destination(of: other) != entity {
                diagnostics.append(
                    "inverse of \(path) does not lead back to \(entities[entity].name)")
            } else if other.inverse != nil, !declaring.contains(declared) {
                diagnostics.append("inverse of \(path) has another inverse")
            }
            return Ends(destination: destination, inverse: declared)
        }
        if declaring.count > 1 {
            diagnostics.append("relationship \(path) is the inverse of several relationships")
        }
        return Ends(destination: destination, inverse: declaring.first)
    }

    private mutating func storage(
        of relationship: RelationshipDescription, _ position: Int, in entity: Int, _ ends: Ends,
        _ nextColumn: Int
    ) -> RelationshipLayout.Storage {
        guard let inverse = ends.inverse else {
            return relationship.isToMany
                ? link(entity, relationship.name, ends.destination) : .column(nextColumn)
        }
        let other = entities[ends.destination].relationships[inverse]
        let isFirst =
            (entities[entity].name, relationship.name)
            <= (entities[ends.destination].name, other.name)
        switch (relationship.isToMany, other.isToMany) {
        case (false, true): return .column(nextColumn)
        case (false, false):
            return isFirst
                ? .column(nextColumn) : .inverseColumn(column(of: inverse, in: ends.destination))
        case (true, false): return .inverseColumn(column(of: inverse, in: ends.destination))
        case (true, true):
            if isFirst { return link(entity, relationship.name, ends.destination) }
            return reverseLink(ends.destination, other.name, entity)
        }
    }

    /// Returns the column of a to-one relationship: attributes come first, then relationships in order.
    private func column(of position: Int, in entity: Int) -> Int {
        let description = entities[entity]
        var column = description.attributes.count
        for index in 0..<position where ownsColumn(index, in: entity) { column += 1 }
        return column
    }

    private func ownsColumn(_ position: Int, in entity: Int) -> Bool {
        let relationship = entities[entity].relationships[position]
        guard !relationship.isToMany, let destination = destination(of: relationship) else {
            return false
        }
        let others = entities[destination].relationships
        let inverse =
            inverse(of: relationship, in: destination)
            ?? others.indices.first { candidate in
                self.destination(of: others[candidate]) == entity
                    && self.inverse(of: others[candidate], in: entity) == position
            }
        guard let inverse, !others[inverse].isToMany else { return true }
        return (entities[entity].name, relationship.name)
            <= (entities[destination].name, others[inverse].name)
    }

    private mutating func link(
        _ entity: Int, _ name: String, _ destination: Int
    ) -> RelationshipLayout.Storage {
        .link(linkIndex(entity, name, destination), isForward: true)
    }

    private mutating func reverseLink(
        _ owner: Int, _ name: String, _ entity: Int
    ) -> RelationshipLayout.Storage {
        .link(linkIndex(owner, name, entity), isForward: false)
    }

    private mutating func linkIndex(_ owner: Int, _ name: String, _ destination: Int) -> Int {
        let table = "\(entities[owner].name)_\(name)"
        if let index = links.firstIndex(where: {
            $0.table == table && $0.source == owner && $0.target == destination
        }) {
            return index
        }
        links.append(
            LinkLayout(table: table, relationship: name, source: owner, target: destination))
        return links.count - 1
    }
}
