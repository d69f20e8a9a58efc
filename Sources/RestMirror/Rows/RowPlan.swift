// SPDX-License-Identifier: Apache-2.0

import RestDefinition
import RestDocument
import RestMapping
import RestPersistence
import RestRows

/// The compiled mappings of a resource's records.
struct RowPlan: Sendable {
    /// The mapping of records.
    let records: EntityMappingPlan
    /// The mappings of records with short lists.
    let partial: PartialPlans
    /// The mapping of the records of rows that are deleted; `nil` if no record says so.
    let tombstones: EntityMappingPlan?
    /// The condition for records of rows that are deleted.
    let tombstone: Condition?
    /// The mappings of the records of other entities in the same document, by their path.
    let included: [(path: DocumentPath, plan: EntityMappingPlan)]
    /// The names of the entities of the records.
    let entities: [String]
    /// A Boolean value that indicates whether rows of the definition belong to others.
    private let ownsRows: Bool

    /// Compiles the mappings of a resource.
    ///
    /// - Throws: ``MirrorError`` with code `invalidDefinition`.
    init(
        of resource: ResourceDefinition, _ definition: Definition, in model: ManagedObjectModel
    ) throws(MirrorError) {
        let compiler = RecordMappingCompiler(definition, resource, model)
        partial = PartialPlans(compiler)
        do {
            records = try EntityMappingPlan(
                compiler.mapping(of: resource.entity, isRoot: true), in: model)
            var included: [(path: DocumentPath, plan: EntityMappingPlan)] = []
            for inclusion in resource.records.included {
                let mapping = try compiler.mapping(of: inclusion.entity, isRoot: false)
                included.append((inclusion.path, try EntityMappingPlan(mapping, in: model)))
            }
            self.included = included
            entities = resource.entity.names
            ownsRows = definition.entities.contains { $0.relations.contains(where: \.isOwned) }
            if case .tombstone(let condition) = resource.deletion {
                var mapping = try compiler.mapping(of: resource.entity, isRoot: true)
                mapping.mode = .deleteOnly
                tombstones = try EntityMappingPlan(mapping, in: model)
                tombstone = condition
            } else if let deleting = definition.resources.first(where: {
                if case .list(resource.name, _) = $0.deletion { true } else { false }
            }), case .list(_, let path) = deleting.deletion {
                // Every record of a list of deletions is one.
                tombstones = try compiler.deletionPlan(of: deleting.entity, identity: path)
                tombstone = nil
            } else {
                tombstones = nil
                tombstone = nil
            }
        } catch let error as MirrorError {
            throw error.of(resource.name)
        } catch {
            let details = (error as? PersistenceError)?.details ?? []
            throw MirrorError(
                .invalidDefinition, resource: resource.name, details: details, underlying: error)
        }
    }

    /// A Boolean value that indicates whether the records can delete rows.
    var deletesRows: Bool { tombstones != nil || ownsRows }

    /// A Boolean value that indicates whether all records are those of deleted rows.
    var deletesAllRecords: Bool { tombstones != nil && tombstone == nil }
}

/// The compiler of the mappings of records.
struct RecordMappingCompiler: Sendable {
    let definition: Definition
    let resource: ResourceDefinition
    let model: ManagedObjectModel

    init(_ definition: Definition, _ resource: ResourceDefinition, _ model: ManagedObjectModel) {
        self.definition = definition
        self.resource = resource
        self.model = model
    }

    /// Returns the mapping of records of one entity, or of several by a value.
    ///
    /// - Parameters:
    ///   - selection: The entities.
    ///   - isRoot: A Boolean value that indicates whether they are the records of the resource.
    ///   - short: The paths of lists that have a part of their members; only for records of one entity.
    /// - Returns: The mapping.
    /// - Throws: ``MirrorError`` with code `invalidDefinition`.
    func mapping(
        of selection: EntitySelection, isRoot: Bool, short: [DocumentPath] = []
    ) throws(MirrorError) -> EntityMapping {
        switch selection {
        case .one(let name):
            return EntityMapping(try mapping(of: name, isRoot: isRoot, short), rules: rules)
        case .byValue(let typed):
            var dynamic = DynamicMapping()
            for selected in typed.cases {
                let mapping = try mapping(of: selected.entity, isRoot: isRoot)
                dynamic.add(
                    MappingMatcher(
                        at: SourcePath(typed.path), equals: .string(selected.value),
                        mapping: mapping))
                if let number = try? Document(parsing: selected.value), number.root.kind == .number
                {
                    dynamic.add(
                        MappingMatcher(at: SourcePath(typed.path), equals: number, mapping: mapping)
                    )
                }
            }
            return EntityMapping(dynamic, rules: rules)
        }
    }

    /// Returns the plan that deletes the rows of an entity whose identity is at a path.
    func deletionPlan(
        of selection: EntitySelection, identity path: DocumentPath
    ) throws -> EntityMappingPlan {
        guard case .one(let name) = selection, let entity = definition.entity(named: name),
            entity.identity.count == 1, let table = model.properties(of: name)
        else {
            throw MirrorError(
                .invalidDefinition,
                details: ["a list of deletions needs one entity with one identity"])
        }
        var mapping = ObjectMapping(table: table, policy: .lenient)
        mapping.add(entity.identity[0], from: SourcePath(path))
        var plan = EntityMapping(mapping)
        plan.mode = .deleteOnly
        return try EntityMappingPlan(plan, in: model)
    }

    private func mapping(
        of name: String, isRoot: Bool, _ short: [DocumentPath] = []
    ) throws(MirrorError) -> ObjectMapping {
        guard let table = model.properties(of: name) else {
            throw MirrorError(.invalidDefinition, details: ["there is no entity \(name)"])
        }
        // What a schema refuses is decided by the issues, which name every value.
        var mapping = ObjectMapping(defaultFor: table, policy: .lenient)
        try mapLists(of: name, table, isRoot: isRoot, short, in: &mapping)
        if isRoot {
            for inclusion in resource.parents.flatMap(\.inclusions) {
                include(inclusion.key, of: table, in: &mapping)
            }
        }
        return mapping
    }

    /// Maps the lists of a record as what they are: the whole list, or a part of it.
    private func mapLists(
        of name: String, _ table: PropertyTable, isRoot: Bool, _ short: [DocumentPath],
        in mapping: inout ObjectMapping
    ) throws(MirrorError) {
        guard let entity = definition.entity(named: name) else { return }
        let authority = ListAuthority(definition: definition)
        for relation in entity.relations where relation.form != .inverse {
            let path = relation.path ?? DocumentPath([.key(relation.name)])
            guard let source = table.properties.first(where: { $0.name == relation.name })?.source
            else { continue }
            if relation.isToMany, short.contains(path) {
                mapping.remove(to: relation.name)
                guard authority.canBePart(relation) else { continue }
                mapping.add(RelationshipMapping(source, to: relation.name, assignment: .union))
            } else if relation.isToMany, isRoot {
                mapping.remove(to: relation.name)
                mapping.add(
                    RelationshipMapping(
                        source, to: relation.name,
                        assignment: authority.policy(of: relation, in: entity, at: .record)))
            } else if !relation.isToMany {
                let inner = short.compactMap { $0.relative(to: path) }
                if inner.isEmpty { continue }
                let nested = try self.mapping(of: relation.entity, isRoot: false, inner)
                mapping.remove(to: relation.name)
                mapping.add(
                    RelationshipMapping(
                        source, to: relation.name, mapping: nested,
                        assignment: relation.isOwned ? .replace : .set))
            }
        }
    }

    /// Maps the properties that are at a key, or inside of it, from the values of parents.
    private func include(
        _ key: String, of table: PropertyTable, in mapping: inout ObjectMapping
    ) {
        for property in table.properties {
            guard case .key(key)? = property.source.components.first else { continue }
            mapping.remove(to: property.name)
            let rest = property.source.components.dropFirst()
            mapping.add(
                property.name,
                from: SourcePath([.metadata, .key("parents"), .key(key)] + Array(rest)))
        }
    }

    /// Rules that remove the rows which belong to no row any more.
    private var rules: [String: EntityRules] {
        var rules: [String: EntityRules] = [:]
        for entity in definition.entities {
            for relation in entity.relations where relation.isOwned && relation.isToMany {
                guard let inverse = relation.inverse,
                    let destination = definition.entity(named: relation.entity),
                    destination.identity.isEmpty,
                    destination.relation(named: inverse).map({ !$0.isToMany })
                        ?? (relation.form == .object)
                else { continue }
                rules[relation.entity] = EntityRules(
                    deletionPredicate: .relationship(inverse, nil as ManagedObjectID?))
            }
        }
        return rules
    }
}

extension DocumentPath {
    /// Returns the rest of the path below another one; `nil` if it is not below it.
    func relative(to path: DocumentPath) -> DocumentPath? {
        guard components.count > path.components.count, components.starts(with: path.components)
        else { return nil }
        return DocumentPath(Array(components.dropFirst(path.components.count)))
    }
}
