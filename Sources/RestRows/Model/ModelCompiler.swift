// SPDX-License-Identifier: Apache-2.0

/// A compiler of entity descriptions to layouts of tables, entities and join tables.
struct ModelCompiler {
    /// A relationship by the entity that declares it and its position there.
    private struct Reference: Hashable {
        let entity: Int
        let position: Int
    }

    /// The ends of a relationship, before its storage is chosen.
    private struct Ends {
        let destination: Int
        let inverse: Reference?
    }

    /// The columns of a table that are being collected.
    private struct Columns {
        var columns: [ColumnLayout] = []
        var indices: [String: Int] = [:]
    }

    private(set) var validator: ModelValidator
    private(set) var tables: [TableLayout] = []
    private(set) var layouts: [EntityLayout] = []
    private(set) var links: [LinkLayout] = []

    private let entities: [EntityDescription]
    private var ends: [Reference: Ends] = [:]
    private var storages: [Reference: RelationshipLayout.Storage] = [:]
    /// The column of each attribute and each to-one relationship with a column, by entity and name.
    private var columns: [Int: [String: Int]] = [:]

    /// Compiles entities; the layouts are valid only if the validator has no diagnostics.
    init(_ entities: [EntityDescription]) {
        self.entities = entities
        validator = ModelValidator(entities)
        for entity in entities.indices { resolveEnds(of: entity) }
        compile()
    }

    /// The indices of an entity and of all that inherit from it, the entity first.
    private func subentities(of entity: Int) -> [Int] {
        [entity]
            + entities.indices.filter { $0 != entity && validator.lineage(of: $0).contains(entity) }
    }

    private func relationship(_ reference: Reference) -> RelationshipDescription {
        entities[reference.entity].relationships[reference.position]
    }

    private func path(_ reference: Reference) -> String {
        "\(entities[reference.entity].name).\(relationship(reference).name)"
    }

    private func references(of entity: Int) -> [Reference] {
        entities[entity].relationships.indices.map { Reference(entity: entity, position: $0) }
    }

    // MARK: Destinations and inverses

    private func destination(of reference: Reference) -> Int? {
        switch relationship(reference).destination {
        case .name(let name): validator.indices[name]
        case .type(let type): validator.types[ObjectIdentifier(type)]
        }
    }

    /// Returns the relationship that a relationship declares as its inverse, inherited ones included.
    private func declaredInverse(of reference: Reference) -> Reference? {
        guard let destination = destination(of: reference),
            let name = relationship(reference).inverse
        else { return nil }
        for entity in validator.lineage(of: destination) {
            if let position = entities[entity].relationships.firstIndex(where: { $0.name == name })
            {
                return Reference(entity: entity, position: position)
            }
        }
        return nil
    }

    /// Resolves the destination and the inverse, which either relationship may declare.
    private mutating func resolveEnds(of entity: Int) {
        for reference in references(of: entity) {
            guard let destination = destination(of: reference) else {
                validator.note(
                    "relationship \(path(reference)) leads to "
                        + "\(relationship(reference).destinationName), which is not in the model")
                continue
            }
            let declared = declaredInverse(of: reference)
            if relationship(reference).inverse != nil, declared == nil {
                validator.note(
                    "inverse of \(path(reference)) is not a relationship of "
                        + "\(entities[destination].name)")
            }
            let declaring = validator.lineage(of: destination).flatMap(references).filter {
                declaredInverse(of: $0) == reference
            }
            if let declared {
                if self.destination(of: declared) != entity {
                    validator.note(
                        "inverse of \(path(reference)) does not lead back to "
                            + "\(entities[entity].name)")
                } else if relationship(declared).inverse != nil, !declaring.contains(declared) {
                    validator.note("inverse of \(path(reference)) has another inverse")
                }
            } else if declaring.count > 1 {
                validator.note(
                    "relationship \(path(reference)) is the inverse of several relationships")
            }
            ends[reference] = Ends(destination: destination, inverse: declared ?? declaring.first)
            validateReference(reference, to: destination)
        }
    }

    /// Checks that references in representations are by an attribute of the destination.
    private mutating func validateReference(_ reference: Reference, to destination: Int) {
        guard let description = relationship(reference).reference else { return }
        let name = entities[destination].name
        let attribute = referenceAttribute(description, of: destination)
        let isKnown = validator.lineage(of: destination).contains { entity in
            entities[entity].attributes.contains { $0.name == attribute }
        }
        if isKnown { return }
        validator.note(
            attribute.map {
                "reference \(path(reference)) is by \(name).\($0), which is no attribute"
            }
                ?? "reference \(path(reference)) names no attribute, and \(name) does not have one "
                + "identification attribute")
    }

    /// Pairs of relationships between two entities that look like two sides of one, of which neither names
    /// its inverse: they are the only ones in their direction without an inverse.
    var warnings: [String] {
        let independent = ends.filter {
            $0.value.inverse == nil && $0.value.destination != $0.key.entity
        }
        let groups = Dictionary(grouping: independent) { [$0.key.entity, $0.value.destination] }
        return groups.compactMap { direction, found -> String? in
            guard direction[0] < direction[1], found.count == 1,
                let back = groups[direction.reversed()], back.count == 1
            else { return nil }
            let (here, there) = (found[0].key, back[0].key)
            return
                "\(path(here)) and \(path(there)) do not change with each other, as neither names "
                + "its inverse; if they are two sides of one relationship, declare "
                + "'@Inverse(\\\(path(there)))' at \(path(here))"
        }.sorted()
    }

    private func referenceAttribute(
        _ description: ReferenceDescription, of destination: Int
    ) -> String? {
        let identity = validator.lineage(of: destination).flatMap { entity in
            entities[entity].attributes.filter(\.isIdentity).map(\.name)
        }
        return description.attributeName(of: entities[destination], identity: identity)
    }

    // MARK: Layouts

    private mutating func compile() {
        let roots = entities.indices.filter { validator.superentities[$0] == nil }
        var collected: [Int: Columns] = [:]
        for root in roots {
            for entity in subentities(of: root) {
                addColumns(of: entity, to: &collected[root, default: Columns()])
            }
        }
        addPositions(to: &collected)
        for reference in entities.indices.flatMap(references) {
            if let ends = ends[reference] { storages[reference] = storage(reference, ends) }
        }
        tables = roots.enumerated().map { index, root in
            var columns = collected[root, default: Columns()].columns
            let entities = subentities(of: root)
            var entityColumn: Int?
            if entities.count > 1 {
                entityColumn = columns.count
                columns.append(
                    ColumnLayout(
                        name: EntityLayout.entityColumn, type: .text, isRequired: true,
                        reading: .plain(.text, isOptional: false)))
            }
            return TableLayout(
                index: index, name: self.entities[root].name, columns: columns,
                entityColumn: entityColumn, entities: entities)
        }
        layouts = entities.indices.compactMap(layout)
    }

    private func root(of entity: Int) -> Int { validator.lineage(of: entity)[0] }

    private mutating func addColumns(of entity: Int, to table: inout Columns) {
        let description = entities[entity]
        let owners = validator.superentities[entity] == nil ? [] : subentities(of: entity)
        for attribute in description.attributes {
            let column = ColumnLayout(
                name: attribute.name, type: attribute.type, isRequired: !attribute.isOptional,
                reading: attribute.reading, check: attribute.check, entities: owners,
                maximumLength: attribute.maximumLength)
            add(column, of: entity, to: &table)
        }
        for reference in references(of: entity) where ownsColumn(reference) {
            let relationship = relationship(reference)
            let column = ColumnLayout(
                name: relationship.name, type: .integer, isRequired: !relationship.isOptional,
                reading: .plain(.integer, isOptional: true), entities: owners,
                destination: ends[reference]?.destination)
            add(column, of: entity, to: &table)
        }
    }

    private mutating func add(_ column: ColumnLayout, of entity: Int, to table: inout Columns) {
        let key = SQLIdentifier.caseFolded(column.name)
        if table.indices[key] != nil, !column.entities.isEmpty {
            validator.note(
                "\(entities[entity].name).\(column.name) has the column of another entity that "
                    + "inherits from \(entities[root(of: entity)].name); rename one of them, or "
                    + "declare the property in the super-entity")
        }
        table.indices[key] = table.columns.count
        columns[entity, default: [:]][column.name] = table.columns.count
        table.columns.append(column)
    }

    /// Adds the columns with the positions of destinations that are stored beside foreign keys.
    private mutating func addPositions(to tables: inout [Int: Columns]) {
        for reference in entities.indices.flatMap(references) {
            guard relationship(reference).isOrdered, let inverse = ends[reference]?.inverse,
                !relationship(inverse).isToMany
            else { continue }
            let owners =
                validator.superentities[inverse.entity] == nil
                ? [] : subentities(of: inverse.entity)
            let name = Self.positionColumn(relationship(inverse).name)
            let column = ColumnLayout(
                name: name, type: .integer, isRequired: false,
                reading: .plain(.integer, isOptional: true), entities: owners)
            add(
                column, of: inverse.entity,
                to: &tables[root(of: inverse.entity), default: Columns()])
        }
    }

    private static func positionColumn(_ relationship: String) -> String {
        ColumnLayout.positionPrefix + relationship
    }

    /// Returns a Boolean value that indicates whether a relationship is stored in a column of its
    /// source.
    private func ownsColumn(_ reference: Reference) -> Bool {
        guard !relationship(reference).isToMany, let ends = ends[reference] else { return false }
        guard let inverse = ends.inverse, !relationship(inverse).isToMany else { return true }
        return isFirst(reference, inverse)
    }

    private func isFirst(_ reference: Reference, _ other: Reference) -> Bool {
        (entities[reference.entity].name, relationship(reference).name)
            <= (entities[other.entity].name, relationship(other).name)
    }

    private func column(of reference: Reference) -> Int {
        columns[reference.entity]?[relationship(reference).name] ?? 0
    }

    private mutating func storage(
        _ reference: Reference, _ ends: Ends
    ) -> RelationshipLayout.Storage {
        if ownsColumn(reference) { return .column(column(of: reference)) }
        guard let inverse = ends.inverse else {
            return .link(link(reference, ends.destination, inverse: nil), isForward: true)
        }
        if !relationship(inverse).isToMany {
            let name = Self.positionColumn(relationship(inverse).name)
            return .inverseColumn(
                column(of: inverse), position: columns[inverse.entity]?[name])
        }
        return isFirst(reference, inverse)
            ? .link(link(reference, ends.destination, inverse: inverse), isForward: true)
            : .link(link(inverse, reference.entity, inverse: reference), isForward: false)
    }

    /// Returns the index of the join table of a relationship, which its inverse shares.
    private mutating func link(
        _ reference: Reference, _ destination: Int, inverse: Reference?
    ) -> Int {
        let name = relationship(reference).name
        let table = "\(entities[reference.entity].name)_\(name)"
        let known = links.firstIndex {
            $0.table == table && $0.source == reference.entity && $0.target == destination
        }
        if let known { return known }
        let isSymmetric = inverse == reference
        links.append(
            LinkLayout(
                table: table, relationship: name, source: reference.entity, target: destination,
                isTargetOrdered: relationship(reference).isOrdered,
                isSourceOrdered: !isSymmetric
                    && inverse.map { relationship($0).isOrdered } == true))
        return links.count - 1
    }

    private func layout(of entity: Int) -> EntityLayout? {
        let lineage = validator.lineage(of: entity)
        guard let table = tables.first(where: { $0.entities.contains(entity) }) else { return nil }
        var relationships: [RelationshipLayout] = []
        var properties: [(name: String, index: PropertyIndex)] = []
        var identity: [Int] = []
        var defaults = Array(repeating: StoredValue.null, count: table.width)
        if let column = table.entityColumn { defaults[column] = .text(entities[entity].name) }
        for ancestor in lineage {
            let description = entities[ancestor]
            let first = relationships.count
            for reference in references(of: ancestor) {
                guard let layout = layout(of: reference, at: relationships.count) else {
                    return nil
                }
                relationships.append(layout)
            }
            for attribute in description.attributes {
                guard let column = columns[ancestor]?[attribute.name] else { return nil }
                defaults[column] = attribute.defaultValue
                if attribute.isIdentity { identity.append(column) }
            }
            for name in description.order {
                if let position = description.relationships.firstIndex(where: { $0.name == name }) {
                    properties.append((name, .relationship(first + position)))
                } else if let column = columns[ancestor]?[name] {
                    properties.append((name, .attribute(column)))
                }
            }
        }
        return EntityLayout(
            index: entity, description: entities[entity], table: table,
            superentity: validator.superentities[entity], subentities: subentities(of: entity),
            properties: properties, relationships: relationships, identity: identity,
            defaults: defaults)
    }

    private func layout(of reference: Reference, at index: Int) -> RelationshipLayout? {
        guard let ends = ends[reference], let storage = storages[reference] else { return nil }
        let description = relationship(reference)
        var compiled: ReferenceLayout?
        if let reference = description.reference,
            let name = referenceAttribute(reference, of: ends.destination)
        {
            let column = validator.lineage(of: ends.destination).compactMap { columns[$0]?[name] }
            compiled = column.first.map {
                ReferenceLayout(column: $0, form: reference.form, missing: reference.missing)
            }
        }
        return RelationshipLayout(
            index: index, name: description.name, isToMany: description.isToMany,
            isOptional: description.isOptional, isOrdered: description.isOrdered,
            deleteRule: description.deleteRule, destination: ends.destination,
            inverse: ends.inverse.map(index(of:)), storage: storage,
            isSymmetric: ends.inverse == reference,
            isOneToOne: !description.isToMany
                && ends.inverse.map { !relationship($0).isToMany } == true,
            reference: compiled)
    }

    /// Returns the index of a relationship among all of its entity, inherited ones first.
    private func index(of reference: Reference) -> Int {
        validator.lineage(of: reference.entity).dropLast().reduce(reference.position) {
            $0 + entities[$1].relationships.count
        }
    }
}
