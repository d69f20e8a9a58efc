// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping

/// What a run of a plan collects: flat rows for each entity, and references between them.
///
/// Not Sendable: lives in the stack of one import.
final class ImportBatch {
    let plan: EntityMappingPlan
    let entities: [EntityBatch]
    /// Rows of the elements themselves, in document order.
    var roots: [BatchRow] = []
    /// By entity and relationship: which rows lead to which.
    private(set) var relations: [RelationBatch] = []
    private var relationIndices: [[Int]]
    /// By object of the plan: the entity it is of.
    private var entityIndices: [Int: Int] = [:]
    /// Nodes of related objects that were left out.
    var issues: [ImportIssue] = []

    /// Whether somebody watches the run.
    let isWatched: Bool
    /// Whether related objects ask what those around them became.
    let isAsked: Bool

    init(_ plan: EntityMappingPlan, isWatched: Bool) {
        self.plan = plan
        self.isWatched = isWatched
        isAsked = plan.plan.isAsked
        entities = plan.model.layouts.map {
            EntityBatch($0, identity: plan.identities[$0.index])
        }
        relationIndices = plan.model.layouts.map {
            Array(repeating: -1, count: $0.relationships.count)
        }
    }

    func relation(_ entity: Int, _ relationship: Int) -> RelationBatch {
        let known = relationIndices[entity][relationship]
        if known >= 0 { return relations[known] }
        let relation = RelationBatch(
            entity, plan.model.layouts[entity].relationships[relationship])
        relationIndices[entity][relationship] = relations.count
        relations.append(relation)
        return relation
    }

    /// Walks one object into a row of its own, of the entity its mapping is for.
    ///
    /// - Returns: The row; `nil` if it was left out.
    func row(of source: MappingSource) throws(MappingFailure) -> BatchRow? {
        do throws(MappingFailure) {
            let chosen = try source.chosenSource()
            guard chosen.node.kind == .object || chosen.isEntry else {
                throw chosen.mismatch("an object")
            }
            let batch = entities[entity(of: chosen)]
            let row = batch.append(
                node: chosen.place, mayBeLeftOut: chosen.objectPolicy.invalidObject == .drop)
            var destination = RowDestination(batch: self, entity: batch, row: row)
            try chosen.walk(into: &destination)
            chosen.countObject()
            return BatchRow(entity: batch.layout.index, row: row)
        } catch {
            dropRows(within: source)
            try source.leaveOut(error, isObject: true)
            return nil
        }
    }

    /// The entity that a mapping is for; compiling it has made sure that the model has it.
    private func entity(of source: MappingSource) -> Int {
        let object = source.objectIndex
        if let known = entityIndices[object] { return known }
        let found = plan.model.index(of: source.table.name) ?? 0
        entityIndices[object] = found
        return found
    }

    /// Leaves out every row that was made from inside a value: they are the last of each entity.
    func dropRows(within source: MappingSource) {
        for entity in entities { entity.drop(from: source.place) }
    }

    func note(
        _ failure: MappingFailure, _ source: MappingSource, _ entity: Int, property: String?
    ) {
        issues.append(
            ImportIssue(
                node: source.place, entity: entity, property: property, code: failure.code,
                expected: failure.expected))
    }

    /// Walks every object of a list, or the one object that is there instead; null is an empty list.
    ///
    /// An element that is no object is left out, or fails the list, as the policy says; in the
    /// list of a relationship, whose entity is given, as that of the relationship.
    func rows(
        of source: MappingSource, _ entity: Int?, property: String?,
        _ body: (BatchRow) -> Void
    ) throws(MappingFailure) {
        guard source.node.kind == .array else {
            if source.node.kind == .null { return }
            if source.isForcedCollection {
                return try source.forEachEntry { element throws(MappingFailure) in
                    if let row = try row(of: element) { body(row) }
                }
            }
            if entity != nil { source.noteCoercion(.singleToList) }
            if let row = try row(of: source) { body(row) }
            return
        }
        let end = source.node.node.contentEnd
        var index = source.node.index + 1
        while index < end {
            let element = source.at(index)
            if let entity, element.node.kind != .object {
                let failure = element.mismatch("an object")
                guard element.policy.invalidElement == .drop else { throw failure }
                note(failure, element, entity, property: property)
            } else if let row = try row(of: element) {
                body(row)
            }
            index = element.node.nextIndex
        }
    }
}

/// One row of a batch.
struct BatchRow {
    let entity: Int
    let row: Int
}

/// A problem found beside the walk, its path not yet rebuilt.
struct ImportIssue {
    let node: Int
    let entity: Int
    let property: String?
    let code: MappingIssue.Code
    let expected: String
}

/// The rows of one entity, column after column of each row in one array.
final class EntityBatch {
    let layout: EntityLayout
    let identity: [Int]
    private(set) var nodes: [Int] = []
    var values: [StoredValue] = []
    var masks: [ColumnMask] = []
    var isDropped: [Bool] = []
    /// Whether the policy of an object's mapping leaves it out when it cannot be built.
    var mayBeLeftOut: [Bool] = []

    init(_ layout: EntityLayout, identity: [Int]) {
        self.layout = layout
        self.identity = identity
    }

    var count: Int { nodes.count }

    func append(node: Int, mayBeLeftOut isDroppable: Bool) -> Int {
        nodes.append(node)
        values.append(contentsOf: layout.defaults)
        masks.append(ColumnMask())
        isDropped.append(false)
        mayBeLeftOut.append(isDroppable)
        return nodes.count - 1
    }

    func drop(from node: Int) {
        var row = count - 1
        while row >= 0, nodes[row] >= node {
            isDropped[row] = true
            row -= 1
        }
    }

    @inline(__always)
    func set(_ value: StoredValue, _ column: Int, of row: Int) {
        values[row &* layout.width &+ column] = value
        masks[row].insert(column)
    }

    func value(_ row: Int, _ column: Int) -> StoredValue { values[row * layout.width + column] }
}

/// The references of one relationship, between rows of the batch.
final class RelationBatch {
    /// What the document says a row's relationship leads to: nothing, one member or many.
    struct Assignment {
        let owner: Int
        fileprivate let range: Range<Int>
    }

    let entity: Int
    let relationship: RelationshipLayout
    /// In the document's order: a later one for the same object replaces an earlier one.
    private(set) var assignments: [Assignment] = []
    private var members: [Int] = []
    /// What happens to what the relationship led to.
    var policy = AssignmentPolicy.set
    /// Whether what the relationship led to stays.
    var isUnion: Bool { policy == .union }

    init(_ entity: Int, _ relationship: RelationshipLayout) {
        self.entity = entity
        self.relationship = relationship
    }

    func assign(_ owner: Int, _ assigned: some Collection<Int>) {
        let start = members.count
        members += assigned
        assignments.append(Assignment(owner: owner, range: start..<members.count))
    }

    func members(of assignment: Assignment) -> ArraySlice<Int> { members[assignment.range] }
}

/// Takes the properties of one object into its row.
struct RowDestination: MappingDestination {
    let batch: ImportBatch
    let entity: EntityBatch
    let row: Int

    mutating func assign(_ property: Int, from source: MappingSource) throws(MappingFailure) {
        switch entity.layout.properties[property] {
        case .attribute(let column):
            if source.isMissing {
                let value = (source.defaultForMissing as? any AttributeValue)?.storedValue
                entity.set(value ?? entity.layout.defaults[column], column, of: row)
            } else {
                let reading = entity.layout.columns[column].reading
                entity.set(try reading.read(source), column, of: row)
            }
            if batch.isWatched || batch.isAsked { tell(source, column) }
        case .relationship(let index):
            try relate(index, source)
        }
    }

    /// Tells who watches, and related objects that ask, what a column became.
    private func tell(_ source: MappingSource, _ column: Int) {
        let kind = entity.layout.columns[column].type.kind
        let value = kind.value(of: entity.value(row, column))
        if batch.isWatched, !source.isMissing { source.watchAssigned(value as Any) }
        if source.isHeld, let value = value as? any MappableValue { source.hold(value) }
    }

    private func relate(
        _ index: Int, _ source: MappingSource
    ) throws(MappingFailure) {
        let relation = batch.relation(entity.layout.index, index)
        let relationship = relation.relationship
        let row = row
        relation.policy = source.assignment
        if source.isMissing { return relation.assign(row, EmptyCollection()) }
        if relationship.isToMany {
            // Members are collected first: a list that fails leaves the relationship as it was.
            var members: [Int] = []
            do throws(MappingFailure) {
                try batch.rows(
                    of: source, relationship.destination, property: relationship.name
                ) { members.append($0.row) }
            } catch {
                batch.dropRows(within: source)
                throw error
            }
            assign(members, source, relation)
        } else if source.node.kind == .null {
            assign(EmptyCollection(), source, relation)
        } else if let member = try batch.row(of: source) {
            assign(CollectionOfOne(member.row), source, relation)
        }
    }

    private func assign(
        _ members: some Collection<Int>, _ source: MappingSource, _ relation: RelationBatch
    ) {
        relation.assign(row, members)
        if batch.isWatched { source.watchAssigned(members.count) }
    }
}
