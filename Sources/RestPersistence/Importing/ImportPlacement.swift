// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping

/// The transfer of a batch into a context, which finds or creates objects, merges values and
/// connects relationships.
struct ImportPlacement {
    let batch: ImportBatch
    let node: Node
    private let location: DocumentLocation
    /// A Boolean value that indicates whether the caller makes connections after further imports.
    let defersConnections: Bool
    let context: ManagedObjectContext
    /// The unsaved changes before the objects were placed.
    private(set) var formerChanges: ChangeSet
    /// The numbers of affected objects by entity.
    var counts: [ImportCounts]
    var resolutions: [ImportResolution] = []
    /// The resolutions of the batches of references.
    var referenced: [ReferenceResolution] = []
    /// A Boolean value that indicates whether the context or the store has pending references.
    var hasPendingReferences = false
    /// The keys of the unmodified objects whose relationships are skipped.
    var skippedOwners: Set<Int64> = []
    /// The references of the document that wait for their destinations.
    var pending: [PendingNode] = []
    /// The references that have waited for objects of the document, and the keys of these.
    var arrivals: [(reference: WaitingReference, key: Int64)] = []
    /// The canonical rows of objects that do not exist and may not be inserted.
    var leftOutRows: Set<BatchRow> = []
    /// A Boolean value that indicates whether values or objects were left out, because they were written
    /// since the request was sent.
    var isHeldBack = false
    /// The object of the request.
    var target: RequestTarget?

    /// Creates a transfer.
    ///
    /// - Parameters:
    ///   - batch: The rows and references.
    ///   - node: The representation.
    ///   - location: The place of the representation in its document.
    ///   - defersConnections: A Boolean value that indicates whether the caller makes connections.
    ///   - context: The context to transfer into.
    init(
        _ batch: ImportBatch, of node: Node, at location: DocumentLocation,
        defersConnections: Bool, in context: ManagedObjectContext
    ) {
        self.batch = batch
        self.node = node
        self.location = location
        self.defersConnections = defersConnections
        self.context = context
        formerChanges = context.layers.top
        counts = Array(repeating: ImportCounts(), count: batch.entities.count)
    }

    /// Finds or creates the objects, and sets their values, references and relationships.
    ///
    /// Connections, the discarding of invalid objects and deletion predicates follow, after all documents
    /// that are imported together.
    ///
    /// - Parameters:
    ///   - options: The part of the import that a request decides.
    ///   - report: The report of mapping the representation, whose issues are the reasons for missing values.
    /// - Throws: ``PersistenceError``; `CancellationError` between two steps.
    mutating func place(_ options: ImportOptions, _ report: MappingReport) throws {
        formerChanges = context.layers.top
        let target = try target(options)
        for entity in batch.entities {
            counts[entity.layout.index].discarded = entity.isDropped.all.count(where: \.self)
            var resolution = ImportResolution(entity)
            if let target, target.root.entity == entity.layout.index {
                resolution.assign(target.key, to: target.root.row)
            }
            if entity.count > 0, !entity.identity.isEmpty {
                try resolution.find(
                    in: context,
                    matching: IdentificationPredicate(
                        batch.plan.rules[entity.layout.index], of: node),
                    joins: options.comparesInSQLite)
            }
            resolutions.append(resolution)
        }
        try resolveEntities(report)
        if mode == .deleteOnly { return try deleteRoots(except: options.fence) }
        try reuseRelatedObjects()
        try skipUnmodified()
        try Task.checkCancellation()
        if let fence = options.fence {
            dropRemovedObjects(fence)
            try dropCreatedObjects(fence)
        }
        leaveOutUnknown()
        for index in resolutions.indices where batch.entities[index].count > 0 {
            try resolutions[index].create(in: context)
        }
        resolveAliases()
        try checkRequired(report)
        try resolveReferences(joins: options.comparesInSQLite)
        var replaced: [(key: Int64, entity: Int)] = []
        for relation in batch.relations where mode != .insertOnly {
            replaced += try self.replaced(by: relation)
        }
        if let fence = options.fence { keepWrittenObjects(fence, among: &replaced) }
        try readExistingOrders()
        if options.comparesInSQLite { try compareLists() }
        try assignColumns()
        recordDecisions()
        recordValues(except: options.fence)
        self.target = target.map { requestTarget($0.key, $0.root, options) }
        for entity in batch.entities where entity.count > 0 {
            try removeEqualValues(entity, options)
        }
        for entity in batch.entities where entity.count > 0 { merge(entity) }
        try Task.checkCancellation()
        // Removals come before additions, because the document may contain both sides of a
        // relationship.
        for relation in batch.relations { try removeDestinations(relation) }
        for relation in batch.relations { try addDestinations(relation) }
        try setPendingReferences()
        try delete(replaced)
        for relation in batch.relations {
            (relation.placed, relation.stored) = (nil, nil)
        }
    }

    /// Connects the objects, unless the caller connects them.
    ///
    /// - Throws: ``PersistenceError``; `CancellationError` between two connections.
    mutating func connect() throws {
        if defersConnections || mode == .deleteOnly { return }
        let connected = try context.connect(
            connectedKeys, by: batch.plan, batch.connectionObserver)
        for (entity, count) in connected.enumerated() { counts[entity].connected += count }
    }

    /// Deletes the objects that match the deletion predicates, unless the caller deletes them.
    mutating func deleteMatches(except fence: WriteFence?) throws(PersistenceError) {
        if defersConnections { return }
        let deleted = try context.deleteMatches(of: batch.plan, except: fence)
        for (entity, count) in deleted.enumerated() { counts[entity].deleted += count }
    }

    /// The keys of the objects to connect, by the index of the entity.
    var connectedKeys: [[Int64]] {
        if mode == .deleteOnly { return resolutions.map { _ in [] } }
        return resolutions.map { $0.connectedKeys.filter { !keepsValues(of: $0) } }
    }

    /// A Boolean value that indicates whether the representation is a list.
    var isList: Bool { node.kind == .array }

    // MARK: Merging

    /// Merges rows into the changes of the context and into the values of its objects.
    ///
    /// An object whose row has no column left is unchanged.
    private func merge(_ entity: EntityBatch) {
        defer { recordInsertions(of: entity) }
        let layout = entity.layout
        let resolution = resolutions[layout.index]
        var (rows, keys): ([Int], [Int64]) = ([], [])
        for row in 0..<entity.count
        where resolution.canonical[row] == row && resolution.aliases[row] == nil {
            guard let key = resolution.key(of: row),
                resolution.createdKeys.contains(key) || !entity.masks[row].isEmpty
            else { continue }
            rows.append(row)
            keys.append(key)
        }
        if rows.isEmpty { return }
        context.updateMany(layout.table.index, keys: context.layers.unsavedKeys == nil ? nil : keys)
        {
            changes in
            changes.reserve(rows.count)
            for (row, key) in zip(rows, keys) {
                let values = entity.values(row)
                if resolution.createdKeys.contains(key) {
                    changes.insert(key, values, entity: layout.index)
                } else {
                    changes.merge(key, entity.masks[row], values[...], entity: layout.index)
                }
            }
        }
        for object in context.identityMap.objects
        where object.layout.table === layout.table && object.isLoaded && !object.isDeleted {
            var row = Array(object.values)
            context.layers.overlay(object.objectID.key, layout.table.index, on: &row)
            object.take(RowValues(row))
        }
    }

    // MARK: Result

    mutating func finish(into result: inout ImportResult) {
        var issues = batch.issues
        for entity in batch.entities where entity.count > 0 {
            let resolution = resolutions[entity.layout.index]
            counts[entity.layout.index].inserted = resolution.created.count
            for row in resolution.anonymous where !entity.isDropped[row] && mode != .deleteOnly {
                issues.append(
                    ImportIssue(
                        node: entity.nodes[row], entity: entity.layout.index,
                        property: entity.layout.columns[entity.identity[0]].name,
                        code: .missingIdentity, expected: "an identity"))
            }
            for row in resolution.ambiguous where !entity.isDropped[row] {
                issues.append(
                    ImportIssue(
                        node: entity.nodes[row], entity: entity.layout.index,
                        property: entity.layout.columns[entity.identity[0]].name,
                        code: .ambiguousIdentity, expected: "one object with the identity"))
            }
        }
        let pending = countPending().prefix(result.report.issueLimit)
        if !pending.isEmpty { result.report.add(pendingPaths: paths(of: Array(pending))) }
        for (layout, counts) in zip(context.model.layouts, counts) where counts != ImportCounts() {
            result.entities[layout.name] = counts
        }
        result.objectIDs = batch.roots.compactMap(id(of:))
        result.locations = batch.located.mapValues { $0.flatMap(id(of:)) }
        report(issues, into: &result.report)
    }

    /// Returns the ID of the object of a row; `nil` if the row was dropped.
    private func id(of row: BatchRow) -> ManagedObjectID? {
        guard let key = resolutions[row.entity].key(of: row.row) else { return nil }
        let layout = context.model.layouts[canonicalRow(row).entity]
        return ManagedObjectID(key: key, layout: layout, store: context.database.identity)
    }

    func paths(of nodes: [Int]) -> [DocumentPath] {
        withExtendedLifetime(node) {
            node.storage.view(at: 0).paths(of: nodes)
        }.map(location.path(of:))
    }

    /// Adds issues to the report, whose paths are computed in one pass over the tape.
    private func report(_ issues: [ImportIssue], into report: inout MappingReport) {
        guard !issues.isEmpty else { return }
        let sorted = issues.sorted { $0.node < $1.node }
        let kept = sorted.prefix(max(0, report.issueLimit - report.issues.count) + 1)
        let storage = node.storage
        let paths = self.paths(of: kept.map(\.node))
        for (issue, path) in zip(kept, paths) {
            report.add(
                MappingIssue(
                    path: path, mapping: batch.plan.model.layouts[issue.entity].name,
                    property: issue.property, code: issue.code, expected: issue.expected,
                    found: Node(storage: storage, index: issue.node).kind.description))
        }
        for issue in sorted.dropFirst(kept.count) {
            report.add(
                MappingIssue(
                    path: DocumentPath([]), mapping: batch.plan.model.layouts[issue.entity].name,
                    property: issue.property, code: issue.code, expected: issue.expected,
                    found: ""))
        }
    }
}
