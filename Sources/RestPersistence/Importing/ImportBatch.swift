// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping

/// The rows and references that an import collects from a document.
///
/// Not `Sendable`, because it is local to one import.
final class ImportBatch {
    let plan: EntityMappingPlan
    let entities: [EntityBatch]
    /// The rows of the document's elements, in document order.
    var roots: [BatchRow] = []
    private let relationBatches = BatchArray<RelationBatch>()
    /// The indices of the references of each relationship by policy, those of an entity together; -1 if
    /// there are none.
    private let relationIndices: BatchArray<Int>
    /// The start of the indices of each entity.
    private let relationStarts: [Int]
    /// The number of assignments to relationships.
    private var assignmentCount = 0
    /// The identities to which relationships refer in place of objects.
    private(set) var references: [ReferenceBatch] = []
    /// The entity of each object of the plan; -1 if it is not known yet.
    private let entityIndices = BatchArray<Int>()
    /// The members of the lists that are being mapped, those of inner lists last.
    private let openMembers = BatchArray<BatchMember>()
    /// The document of the rows.
    private let document: DocumentStorage
    /// The rows of the entities among the roots and inside of plain objects, by the location of their
    /// representation; `nil` for those that were dropped.
    var located: [RepresentationLocation: BatchRow?] = [:]
    /// The issues that were found outside of the plan's execution.
    var issues: [ImportIssue] = []
    /// The entities of which a list lacks elements that were dropped.
    private(set) var incompleteMembers: Set<Int> = []
    /// The entities of which a list is null.
    private(set) var nullMembers: Set<Int> = []
    /// The number of objects around the one that is mapped, with itself.
    private var depth = 0
    /// The greatest number of objects around an object.
    private(set) var nestingDepth = 0
    /// The entities that the properties of plain objects contain.
    var plainStatements = PlainStatements()

    /// A Boolean value that indicates whether an observer is registered.
    let isWatched: Bool
    /// The observer of connections.
    let connectionObserver: (any ConnectionObserver)?
    /// A Boolean value that indicates whether plain objects hold the objects, so that
    /// ``ImportResult/locations`` is set.
    let locatesObjects: Bool
    /// A Boolean value that indicates whether related objects read values of their parents.
    let hasDependentObjects: Bool

    init(
        _ plan: EntityMappingPlan, of document: DocumentStorage,
        observer: (any MappingObserver)?, locatesObjects: Bool = false
    ) {
        self.locatesObjects = locatesObjects
        self.document = document
        self.plan = plan
        isWatched = observer != nil
        connectionObserver = observer as? any ConnectionObserver
        hasDependentObjects = plan.plan.hasDependentObjects
        entities = plan.model.layouts.map {
            EntityBatch($0, identity: plan.rules[$0.index].identity, of: document)
        }
        var starts: [Int] = []
        var end = 0
        for layout in plan.model.layouts {
            starts.append(end)
            end += layout.relationships.count * AssignmentPolicy.allPolicies.count
        }
        relationStarts = starts
        relationIndices = BatchArray(Array(repeating: -1, count: end))
    }

    /// Creates the rows and references of a representation, or of the entities inside of the plain
    /// objects that it represents.
    ///
    /// - Throws: `MappingError` if the policy ends the mapping.
    convenience init(
        of node: Node, by plan: EntityMappingPlan, in environment: MappingEnvironment?,
        insidePlainObjects: Bool = false, isKeyed: Bool = false, report: inout MappingReport
    ) throws(MappingError) {
        self.init(
            plan, of: node.storage, observer: environment?.observer,
            locatesObjects: insidePlainObjects)
        try plan.plan.run(node, in: environment, report: &report) {
            source throws(MappingFailure) in
            if insidePlainObjects {
                try mapNestedRoots(source, isKeyed: isKeyed)
            } else {
                try mapRoots(source)
            }
        }
    }

    /// The references of each relationship, by the policy for its existing destinations.
    var relations: [RelationBatch] { relationBatches.all }

    /// Returns the references of a relationship that a mapping assigns by a policy.
    func relation(
        _ entity: Int, _ relationship: Int, _ policy: AssignmentPolicy
    ) -> RelationBatch {
        let index = index(of: relationship, entity, policy)
        let known = relationIndices[index]
        if known >= 0 { return relationBatches[known] }
        let relation = RelationBatch(
            entity, plan.model.layouts[entity].relationships[relationship], policy,
            missing: plan.rules[entity].missing(relationship))
        relationIndices[index] = relationBatches.count
        relationBatches.append(relation)
        return relation
    }

    /// Assigns destinations to the relationship of a row, after all assignments inside of them.
    func assign(
        _ members: some Collection<BatchMember>, to row: Int, _ relation: RelationBatch,
        isComplete: Bool = true
    ) {
        relation.assign(row, members, ordinal: assignmentCount, isComplete: isComplete)
        assignmentCount += 1
    }

    /// Returns the destination that was assigned last to the to-one relationship of a row.
    func member(of row: Int, _ entity: Int, _ relationship: Int) -> BatchMember? {
        for policy in AssignmentPolicy.allPolicies {
            let known = relationIndices[index(of: relationship, entity, policy)]
            if known >= 0, let member = relationBatches[known].member(of: row) { return member }
        }
        return nil
    }

    private func index(of relationship: Int, _ entity: Int, _ policy: AssignmentPolicy) -> Int {
        relationStarts[entity] + relationship * AssignmentPolicy.allPolicies.count
            + Int(policy.rawValue)
    }

    /// Returns the index of the references to objects of an entity by a column.
    func referenceBatch(_ layout: EntityLayout, _ column: Int) -> Int {
        let known = references.firstIndex {
            $0.identities.layout === layout && $0.column == column
        }
        if let known { return known }
        references.append(ReferenceBatch(layout, column: column))
        return references.count - 1
    }

    /// Maps an object into a new row of its mapping's entity.
    ///
    /// - Returns: The row; `nil` if the object was dropped.
    func row(of source: ValueSource) throws(MappingFailure) -> BatchRow? {
        depth += 1
        nestingDepth = max(nestingDepth, depth - 1)
        defer { depth -= 1 }
        do throws(MappingFailure) {
            let chosen = try source.chosenSource()
            guard chosen.isRepresentation else { throw chosen.mismatch("an object") }
            let batch = entities[layout(of: chosen).index]
            let row = batch.append(
                node: chosen.location, isDroppable: chosen.objectPolicy.invalidObject == .drop)
            var destination = RowDestination(batch: self, entity: batch, row: row)
            try chosen.walk(into: &destination)
            destination.finish()
            chosen.countObject()
            return BatchRow(entity: batch.layout.index, row: row)
        } catch {
            dropRows(within: source)
            try PolicyEvaluator(source).applyElementPolicy(to: error, isObject: true)
            return nil
        }
    }

    /// Returns the entity of a mapping, which compilation has checked to be in the model.
    func layout(of source: ValueSource) -> EntityLayout {
        let object = source.objectIndex
        if object < entityIndices.count, entityIndices[object] >= 0 {
            return entities[entityIndices[object]].layout
        }
        let found = plan.model.index(of: source.table.name) ?? 0
        while entityIndices.count <= object { entityIndices.append(-1) }
        entityIndices[object] = found
        return entities[found].layout
    }

    /// Returns a Boolean value that indicates whether a value is one of the batch's document.
    @inline(__always)
    func isOfDocument(_ view: NodeView) -> Bool { unsafe view.nodes == document.nodes }

    /// Drops all rows that were created from inside a value, which are the last of each entity.
    func dropRows(within source: ValueSource) {
        for entity in entities { entity.drop(from: source.location) }
    }

    func note(
        _ failure: MappingFailure, _ source: ValueSource, _ entity: Int, property: String?
    ) {
        issues.append(
            ImportIssue(
                node: source.location, entity: entity, property: property, code: failure.code,
                expected: failure.expected))
    }

    /// Maps the objects of a document.
    private func mapRoots(_ source: ValueSource) throws(MappingFailure) {
        try forEachElement(of: source, nil) { element throws(MappingFailure) in
            if let row = try row(of: element) { roots.append(row) }
        }
    }

    /// Maps a list and assigns its elements to a to-many relationship of a row.
    ///
    /// A list that fails leaves the relationship unchanged.
    ///
    /// - Returns: The number of destinations.
    func assignMembers(
        of source: ValueSource, to row: Int, _ relation: RelationBatch
    ) throws(MappingFailure) -> Int {
        let start = openMembers.count
        defer { openMembers.removeElements(from: start) }
        var isComplete = true
        try forEachElement(of: source, relation, dropping: { isComplete = false }) {
            element throws(MappingFailure) in
            if let member = try member(of: element, relation) {
                openMembers.append(member)
            } else {
                isComplete = false
            }
        }
        if !isComplete { incompleteMembers.insert(relation.relationship.destination) }
        if source.view.kind == .null { nullMembers.insert(relation.relationship.destination) }
        assign(openMembers[start..<openMembers.count], to: row, relation, isComplete: isComplete)
        return openMembers.count - start
    }

    /// Calls a closure for each representation of a list, or for a single one in its place.
    ///
    /// Null is an empty list, and a null element is an issue and left out. Another element that is not a
    /// representation is dropped or fails the list, as the policy specifies. The root of a document has no
    /// relation.
    private func forEachElement(
        of source: ValueSource, _ relation: RelationBatch?,
        dropping drop: () -> Void = {}, _ body: (ValueSource) throws(MappingFailure) -> Void
    ) throws(MappingFailure) {
        guard source.view.kind == .array else {
            if source.view.kind == .null { return }
            if source.isForcedCollection { return try source.forEachMember(body) }
            if relation != nil { source.noteCoercion(.singleToList) }
            return try body(source)
        }
        let end = source.view.tapeNode.contentEnd
        var index = source.view.index + 1
        while index < end {
            let element = source.at(index)
            if let relation, element.view.kind != .object, !element.isRepresentation {
                let failure = element.mismatch("an object")
                let isDropped =
                    element.view.kind == .null
                    ? element.policy.invalidValue == .drop : element.policy.invalidElement == .drop
                guard isDropped else { throw failure }
                note(
                    failure, element, relation.relationship.destination,
                    property: relation.relationship.name)
                drop()
            } else {
                try body(element)
            }
            index = element.view.nextIndex
        }
    }
}

extension AssignmentPolicy {
    /// The policies in the order of their raw values.
    fileprivate static let allPolicies: [AssignmentPolicy] = [.set, .union, .replace]
}

/// The entity and the index of a row.
struct BatchRow: Hashable {
    let entity: Int
    let row: Int
}

/// An issue that was found outside of the plan's execution, with a node in place of a path.
struct ImportIssue {
    let node: Int
    let entity: Int
    let property: String?
    let code: MappingIssue.Code
    let expected: String
}
