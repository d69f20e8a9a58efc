// SPDX-License-Identifier: Apache-2.0

public import RestMapping

/// The entities of a store, checked as a whole.
public struct ManagedObjectModel: Sendable {
    /// The entities as described.
    public let entities: [EntityDescription]
    /// Two models with the same fingerprint have the same tables.
    public let fingerprint: String

    let layouts: [EntityLayout]
    let links: [LinkLayout]
    let schema: SchemaPlan
    private let indices: [String: Int]
    private let types: [ObjectIdentifier: Int]

    /// Checks entities and compiles them.
    ///
    /// - Throws: ``PersistenceError`` with code `invalidModel` and every mistake in its details.
    public init(_ entities: [EntityDescription]) throws(PersistenceError) {
        var check = ModelCheck(entities)
        let layouts = check.layouts()
        let schema = SchemaPlan(layouts: layouts, links: check.links)
        check.checkNames(of: schema)
        guard check.mistakes.isEmpty else {
            throw PersistenceError(.invalidModel, details: check.mistakes)
        }
        self.entities = entities
        fingerprint = Self.fingerprint(entities, schema)
        self.layouts = layouts
        self.schema = schema
        links = check.links
        indices = check.indices
        types = check.types
    }

    /// Checks the entities of classes and compiles them.
    public init(_ types: [any ManagedEntity.Type]) throws(PersistenceError) {
        try self.init(types.map { $0.entity })
    }

    /// The entity of that name, if there is one.
    public subscript(name: String) -> EntityDescription? { indices[name].map { entities[$0] } }

    /// The properties of the entity of that name, for mappings; `nil` if there is no such entity.
    public func properties(of name: String) -> PropertyTable? {
        self[name]?.propertyTable(in: self)
    }

    /// The tables, and what the types of their columns do not tell.
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

    func index(of name: String) -> Int? { indices[name] }

    func layout(named name: String) throws(PersistenceError) -> EntityLayout {
        guard let index = indices[name] else {
            throw PersistenceError(.unknownEntity, entity: name)
        }
        return layouts[index]
    }

    func layout(of type: any ManagedEntity.Type) throws(PersistenceError) -> EntityLayout {
        if let index = types[ObjectIdentifier(type)] { return layouts[index] }
        throw PersistenceError(.unknownEntity, entity: String(describing: type))
    }
}
