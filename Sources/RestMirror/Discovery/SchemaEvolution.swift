// SPDX-License-Identifier: Apache-2.0

import RestDefinition
import RestDocument
import Synchronization

/// The records of a run that do not fit the schema, from which the next schema is inferred.
///
/// A class, so that the lists of a run share the samples.
final class SchemaEvolution: Sendable {
    private struct Sample: Sendable {
        let entity: String
        let records: Document
    }

    private struct State {
        var samples: [Sample] = []
        /// The attributes whose values do not fit, by entity.
        var unfitting: [String: Set<String>] = [:]
        /// The attributes without which there are records, by entity.
        var missing: [String: Set<String>] = [:]
    }

    private let state = Mutex(State())

    /// The number of samples for each entity.
    private static let sampleCount = 8

    init() {}

    /// Adds records that have keys which the schema does not have, or values that do not fit.
    func add(_ records: [Node], of entity: String, unfitting: Set<String> = []) {
        let isFull = state.withLock { state in
            state.unfitting[entity, default: []].formUnion(unfitting)
            return state.samples.count { $0.entity == entity } >= Self.sampleCount
        }
        if isFull || records.isEmpty { return }
        var builder = DocumentBuilder()
        builder.beginArray()
        for record in records where record.kind == .object { builder.value(record) }
        builder.end()
        let sample = Sample(entity: entity, records: builder.finish())
        state.withLock { $0.samples.append(sample) }
    }

    /// Adds required attributes of an entity that records lack.
    func add(missing names: Set<String>, of entity: String) {
        state.withLock { $0.missing[entity, default: []].formUnion(names) }
    }

    /// Returns the definition whose schema the records fit; `nil` if nothing changes.
    func definition(after definition: Definition) -> Definition? {
        let state = state.withLock(\.self)
        if state.samples.isEmpty, state.missing.isEmpty { return nil }
        var completion = EntityCompletion(definition, widening: state.unfitting)
        for sample in state.samples { completion.add(sample.records, of: sample.entity) }
        var evolved = completion.finish()
        for index in evolved.entities.indices {
            let entity = evolved.entities[index]
            guard let names = state.missing[entity.name] else { continue }
            for position in entity.attributes.indices
            where names.contains(entity.attributes[position].name)
                && !entity.identity.contains(entity.attributes[position].name)
            {
                evolved.entities[index].attributes[position].isOptional = true
            }
        }
        return evolved == definition ? nil : evolved
    }
}

/// The keys of the records of an entity that a definition describes.
struct KeyInventory: Sendable {
    let entity: String
    private let known: Set<String>
    let mode: SchemaPolicy.Mode

    /// Creates the inventory of the records of a resource; `nil` if they are of several entities, or if the
    /// definition declares the attributes that are stored.
    init?(of resource: ResourceDefinition, _ definition: Definition) {
        guard case .one(let name) = resource.entity, let entity = definition.entity(named: name)
        else { return nil }
        let mode = (entity.schema ?? definition.schema).unknown
        // A definition without `auto` stores what it declares, unless it says more about other keys.
        guard entity.infersAttributes || mode != .evolve else { return nil }
        var known: Set<String> = []
        func add(_ path: DocumentPath?, _ name: String) {
            if case .key(let key)? = path?.components.first {
                known.insert(key)
            } else {
                known.insert(name)
            }
        }
        for attribute in entity.attributes { add(attribute.path, attribute.name) }
        for relation in entity.relations where relation.form != .inverse {
            add(relation.path, relation.name)
        }
        for path in entity.ignored { add(path, "") }
        for inclusion in resource.parents.flatMap(\.inclusions) { known.insert(inclusion.key) }
        if case .tombstone(let condition) = resource.deletion { add(condition.path, "") }
        self.entity = name
        self.known = known
        self.mode = mode
    }

    /// Returns the values at unknown keys of all records.
    func unknownValues(
        in records: [Node], _ identity: RecordIdentity
    ) -> [QuarantinedValue] {
        records.enumerated().flatMap { element, record in
            record.members.filter { !known.contains($0.key) }.map { key, value in
                QuarantinedValue(
                    entity: entity, identity: identity.text(of: record), element: element,
                    path: key, expected: "no such key", value: QuarantinedValue.text(of: value))
            }
        }
    }

    /// Returns records with unknown keys, and the keys.
    ///
    /// Records of one page with the same number of members usually have the same keys, so that one of each number
    /// is looked at, and the last record.
    func unknown(in records: [Node]) -> (records: [Node], keys: Set<String>) {
        var counts: Set<Int> = []
        var found: [Node] = []
        var keys: Set<String> = []
        for (index, record) in records.enumerated() {
            guard counts.insert(record.count).inserted || index == records.count - 1 else {
                continue
            }
            let unknown = record.members.map(\.key).filter { !known.contains($0) }
            if unknown.isEmpty { continue }
            found.append(record)
            keys.formUnion(unknown)
        }
        return (found, keys)
    }
}
