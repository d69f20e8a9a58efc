// SPDX-License-Identifier: Apache-2.0

public import RestMapping

/// The validated entities of a store.
public struct ManagedObjectModel: Sendable {
    /// The descriptions of the entities.
    public var entities: [EntityDescription] { contents.entities }
    /// A text that is equal for models with the same tables and attribute types.
    public var fingerprint: String { contents.fingerprint }

    /// Pairs of relationships that look like two sides of one, of which neither names its inverse, as
    /// sentences with what to declare.
    ///
    /// An object manager logs each of them once, when it imports into a store with the model.
    public var warnings: [String] { contents.warnings }

    /// The configuration of the full-text index.
    public var search: SearchConfiguration { contents.search }

    @inlinable package var tables: [TableLayout] { contents.tables }
    package var searchTables: [SearchTable] { contents.searchTables }
    @inlinable package var layouts: [EntityLayout] { contents.layouts }
    @inlinable package var links: [LinkLayout] { contents.links }
    /// The rules for deletions, by the index of the entity.
    package var deletionRules: [DeletionRules] { contents.deletionRules }
    var schema: SchemaPlan { contents.schema }

    /// A copy of the model copies one reference, because every context has it.
    @usableFromInline let contents: Contents

    @usableFromInline
    final class Contents: Sendable {
        let entities: [EntityDescription]
        let fingerprint: String
        let warnings: [String]
        let search: SearchConfiguration
        @usableFromInline let tables: [TableLayout]
        let searchTables: [SearchTable]
        @usableFromInline let layouts: [EntityLayout]
        @usableFromInline let links: [LinkLayout]
        let deletionRules: [DeletionRules]
        let schema: SchemaPlan
        let indices: [String: Int]
        let types: [ObjectIdentifier: Int]

        init(
            _ entities: [EntityDescription], _ search: SearchConfiguration,
            _ compiler: ModelCompiler, _ validator: ModelValidator, _ schema: SchemaPlan
        ) {
            self.entities = entities
            self.search = search
            self.schema = schema
            fingerprint = ManagedObjectModel.fingerprint(entities, schema)
            warnings = compiler.warnings
            tables = compiler.tables
            layouts = compiler.layouts
            links = compiler.links
            deletionRules = compiler.layouts.map {
                DeletionRules(
                    of: $0, tables: compiler.tables, layouts: compiler.layouts,
                    links: compiler.links)
            }
            searchTables = compiler.tables.compactMap { SearchTable($0, compiler.layouts) }
            indices = validator.indices
            types = validator.types
        }
    }

    /// Creates a model from descriptions of entities.
    ///
    /// - Parameters:
    ///   - entities: The entities.
    ///   - search: The configuration of the full-text index.
    /// - Throws: ``PersistenceError`` with code `invalidModel` and all errors in its details.
    public init(
        _ entities: [EntityDescription], search: SearchConfiguration = SearchConfiguration()
    ) throws(PersistenceError) {
        let (entities, problems) = search.applied(to: entities)
        let compiler = ModelCompiler(entities)
        var validator = compiler.validator
        for problem in problems { validator.note(problem) }
        let schema = SchemaPlan(
            tables: compiler.tables, layouts: compiler.layouts, links: compiler.links)
        validator.checkNames(of: schema, tables: compiler.tables)
        if validator.diagnostics.isEmpty {
            validator.checkLimits(of: compiler.tables, compiler.layouts)
        }
        guard validator.diagnostics.isEmpty else {
            throw PersistenceError(.invalidModel, details: validator.diagnostics)
        }
        contents = Contents(entities, search, compiler, validator, schema)
    }

    /// The entity with a name; `nil` if there is none.
    public subscript(name: String) -> EntityDescription? {
        contents.indices[name].map { entities[$0] }
    }

    /// Returns the properties of an entity for mappings; `nil` if there is no entity of that name.
    public func properties(of name: String) -> PropertyTable? {
        self[name]?.propertyTable(in: self)
    }

    /// Returns the SQL of the tables and the attribute types, which several column types share.
    private static func fingerprint(
        _ entities: [EntityDescription], _ schema: SchemaPlan
    ) -> String {
        var lines = schema.statements
        for entity in entities {
            for attribute in entity.attributes {
                lines.append("-- \(entity.name).\(attribute.name): \(attribute.type)")
            }
        }
        return lines.joined(separator: "\n")
    }

    package func index(of name: String) -> Int? { contents.indices[name] }

    package func layout(named name: String) throws(PersistenceError) -> EntityLayout {
        guard let index = contents.indices[name] else {
            throw unknownEntity(name)
        }
        return layouts[index]
    }

    package func layout(of type: any EntityDescribing.Type) throws(PersistenceError) -> EntityLayout
    {
        if let index = contents.types[ObjectIdentifier(type)] { return layouts[index] }
        throw unknownEntity(String(describing: type))
    }

    /// Returns the error for an entity that the model does not have.
    private func unknownEntity(_ name: String) -> PersistenceError {
        let names = entities.map(\.name).sorted()
        return PersistenceError(
            .unknownEntity, entity: name,
            details: [
                "the model has \(names.isEmpty ? "no entities" : names.joined(separator: ", ")); list the class "
                    + "among the entities with which the store is opened"
            ])
    }

    /// Returns the layout of the entity of a row, given the layout of one of the table's entities.
    ///
    /// - Throws: ``PersistenceError`` with code `corrupt` if the row names no entity of the table.
    @inlinable package func layout<Row: RandomAccessCollection>(
        ofRow row: Row, in layout: EntityLayout
    ) throws(PersistenceError) -> EntityLayout where Row.Element == StoredValue, Row.Index == Int {
        guard let column = layout.table.entityColumn else { return layout }
        return try self.layout(named: row[column], in: layout)
    }

    @usableFromInline
    func layout(
        named value: StoredValue, in layout: EntityLayout
    ) throws(PersistenceError) -> EntityLayout {
        guard case .text(let name) = value, let index = contents.indices[name],
            layouts[index].table === layout.table
        else {
            throw PersistenceError(
                .corrupt, entity: layout.name, property: EntityLayout.entityColumn,
                details: ["is not the name of an entity of the table"])
        }
        return layouts[index]
    }
}
