// SPDX-License-Identifier: Apache-2.0

/// A validator of the names, properties and super-entities of a model, which collects all errors.
struct ModelValidator {
    private(set) var diagnostics: [String] = []
    private(set) var indices: [String: Int] = [:]
    private(set) var types: [ObjectIdentifier: Int] = [:]
    /// The super-entity of each entity.
    private(set) var superentities: [Int?] = []

    private let entities: [EntityDescription]
    /// The maximum number of columns in SQLite, with the primary key.
    private static let maximumColumns = 2_000
    /// The maximum number of searchable attributes, which are two arguments each of a function that has
    /// at most 127.
    private static let maximumSearchableColumns = 63

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
        }
        resolveSuperentities()
        for index in entities.indices { checkProperties(index) }
    }

    /// The super-entities of an entity, the topmost first, followed by the entity itself.
    func lineage(of entity: Int) -> [Int] {
        var lineage = [entity]
        while let superentity = superentities[lineage[0]] { lineage.insert(superentity, at: 0) }
        return lineage
    }

    mutating func note(_ diagnostic: String) { diagnostics.append(diagnostic) }

    // MARK: Checks

    private mutating func resolveSuperentities() {
        for entity in entities {
            let found: Int? =
                switch entity.superentity {
                case .name(let name): indices[name]
                case .type(let type): types[ObjectIdentifier(type)]
                case nil: nil
                }
            if let name = entity.superentityName, found == nil {
                diagnostics.append(
                    "entity \(entity.name) inherits from \(name), which is not in the model")
            }
            superentities.append(found)
        }
        for start in entities.indices {
            var visited: Set<Int> = [start]
            var entity = start
            while let next = superentities[entity] {
                if !visited.insert(next).inserted {
                    diagnostics.append("entity \(entities[start].name) inherits from itself")
                    superentities[start] = nil
                    break
                }
                entity = next
            }
        }
    }

    private mutating func checkName(_ name: String, _ what: String) {
        guard let problem = SQLIdentifier.problem(with: name) else { return }
        let shown = String(name.unicodeScalars.map { $0.value < 0x20 ? "?" : Character($0) })
        diagnostics.append("name of \(what) '\(shown)' \(problem)")
    }

    private mutating func checkProperties(_ index: Int) {
        let entity = entities[index]
        var folded: [String: (entity: String, name: String)] = [:]
        for ancestor in lineage(of: index) {
            for name in entities[ancestor].propertyNames {
                if ancestor == index { checkName(name, "property \(entity.name).") }
                let key = SQLIdentifier.caseFolded(name)
                guard let other = folded.updateValue((entities[ancestor].name, name), forKey: key),
                    ancestor == index
                else { continue }
                diagnostics.append(
                    other.entity != entity.name
                        ? "property \(entity.name).\(name) is inherited from \(other.entity)"
                        : other.name == name
                            ? "property \(entity.name).\(name) is described twice"
                            : "properties \(entity.name).\(other.name) and \(name) differ in case only"
                )
            }
        }
        for attribute in entity.attributes { check(attribute, of: index) }
        for relationship in entity.relationships where relationship.isOrdered {
            if !relationship.isToMany {
                diagnostics.append(
                    "to-one relationship \(entity.name).\(relationship.name) has no order")
            }
        }
    }

    private mutating func check(_ attribute: AttributeDescription, of index: Int) {
        let path = "\(entities[index].name).\(attribute.name)"
        if attribute.isSearchable, let problem = SearchTable.problem(with: attribute) {
            diagnostics.append("\(path) cannot be searchable: \(problem)")
        }
        if !attribute.type.accepts(attribute.defaultValue) {
            diagnostics.append("default of \(path) is not of type \(attribute.type)")
        }
        if let maximum = attribute.maximumLength {
            if attribute.type != .text {
                diagnostics.append("\(path) is not a text and cannot have a maximum length")
            } else if maximum < 1 {
                diagnostics.append("maximum length of \(path) is less than 1")
            } else if case .text(let value) = attribute.defaultValue,
                value.unicodeScalars.count > maximum
            {
                diagnostics.append("default of \(path) is longer than \(maximum)")
            }
        }
        if attribute.isIdentity,
            lineage(of: index).dropLast().contains(where: { ancestor in
                entities[ancestor].attributes.contains(where: \.isIdentity)
            })
        {
            diagnostics.append(
                "\(path) cannot identify objects, because a super-entity declares the identity")
        }
    }

    /// Checks the limits of SQLite.
    mutating func checkLimits(of tables: [TableLayout], _ layouts: [EntityLayout]) {
        for table in tables {
            let count = table.width + 1
            if count > Self.maximumColumns {
                diagnostics.append(
                    "the table of \(table.name) and its sub-entities has \(count) columns, and SQLite "
                        + "allows \(Self.maximumColumns)")
            }
            let searchable = SearchTable(table, layouts)?.columns.count ?? 0
            if searchable > Self.maximumSearchableColumns {
                diagnostics.append(
                    "the table of \(table.name) and its sub-entities has \(searchable) searchable "
                        + "attributes, and at most \(Self.maximumSearchableColumns) are possible")
            }
        }
    }

    /// Checks the names of join tables and indexes, which share a namespace with the tables.
    mutating func checkNames(of schema: SchemaPlan, tables: [TableLayout]) {
        var folded = Set(tables.map { SQLIdentifier.caseFolded($0.name) })
        for name in schema.derivedNames
        where !folded.insert(SQLIdentifier.caseFolded(name)).inserted {
            diagnostics.append("table or index \(name) is needed twice")
        }
    }
}

extension EntityDescription {
    /// The names of the properties, attributes first, without inherited ones.
    var propertyNames: [String] { attributes.map(\.name) + relationships.map(\.name) }
}
