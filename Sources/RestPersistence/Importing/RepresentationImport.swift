// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping

/// The import of a representation into rows with unsaved changes: it finds or creates the objects, merges
/// values and connects relationships.
///
/// The representations of a document are imported together, each step for all of them. Managed objects are no
/// part of it: their context takes the changes, tells observers of connections, and provides the rules of classes.
struct RepresentationImport {
    let placement: ImportPlacement
    /// The report of mapping the representation.
    private let report: MappingReport
    private let options: ImportOptions
    private var references: ReferencePlacement
    private var batch: ImportBatch { placement.batch }
    private var layered: LayeredRows { placement.layered }

    init(_ placement: ImportPlacement, _ report: MappingReport, _ options: ImportOptions) {
        self.placement = placement
        self.report = report
        self.options = options
        references = ReferencePlacement(placement)
    }

    /// Finds or creates the objects, and sets their values, references and relationships.
    ///
    /// Connections, the discarding of invalid objects and deletion predicates follow, after all documents
    /// that are imported together.
    ///
    /// - Throws: ``PersistenceError``; `CancellationError` between two steps.
    mutating func place() throws {
        placement.formerChanges = layered.layers.top
        let target = try TargetRow.find(in: placement, options)
        let fence = ImportFence(placement, options.fence)
        try findObjects(target)
        try InvalidObjects(placement, report).resolveEntities()
        if placement.mode == .deleteOnly { return try deleteRoots() }
        try DestinationReuse(placement).reuseRelatedObjects()
        try placement.skipUnmodified()
        try Task.checkCancellation()
        fence.dropRemovedObjects()
        try fence.dropCreatedObjects()
        leaveOutUnknown()
        for index in placement.resolutions.indices where batch.entities[index].count > 0 {
            try placement.resolutions[index].create(in: layered)
        }
        let invalid = InvalidObjects(placement, report)
        invalid.resolveAliases()
        try invalid.checkRequired()
        try references.resolveReferences(joins: layered.database.comparesImports)
        let destinations = DestinationAssignment(placement)
        try destinations.readExistingOrders()
        if layered.database.comparesImports { try placement.compareLists() }
        var replaced: [(key: Int64, entity: Int)] = []
        for relation in batch.relations where placement.mode != .insertOnly {
            replaced += try destinations.replaced(by: relation)
        }
        fence.keepWrittenObjects(among: &replaced)
        ColumnAssignment(placement).assignColumns()
        try PartnerAssignment(placement).assignPartners()
        ReferenceDecisions(placement).record()
        fence.recordValues()
        let former = target.map { FormerTarget($0, in: placement, options) }
        for entity in batch.entities where entity.count > 0 {
            try placement.removeEqualValues(entity, options)
        }
        for entity in batch.entities where entity.count > 0 {
            merge(entity)
            InsertionRecord(placement, former).add(entity)
        }
        try Task.checkCancellation()
        // Removals come before additions, because the document may contain both sides of a
        // relationship.
        for relation in batch.relations { try destinations.removeDestinations(relation) }
        for relation in batch.relations { try destinations.addDestinations(relation) }
        try references.setPendingReferences()
        try delete(replaced)
        for relation in batch.relations {
            (relation.placed, relation.stored) = (nil, nil)
        }
    }

    /// Finds the rows of existing objects by identity, except that of the request's object.
    private func findObjects(_ target: TargetRow?) throws(PersistenceError) {
        for entity in batch.entities {
            let index = entity.layout.index
            placement.counts[index].discarded = entity.isDropped.all.count(where: \.self)
            var resolution = ImportResolution(entity)
            if let target, target.root.entity == index {
                resolution.assign(target.key, to: target.root.row)
            }
            if entity.count > 0, !entity.identity.isEmpty {
                try resolution.find(
                    in: layered,
                    matching: IdentificationPredicate(
                        batch.plan.rules[index], of: placement.node),
                    joins: layered.database.comparesImports)
            }
            placement.resolutions.append(resolution)
        }
    }

    /// Drops the representations for which no object has been found, if none may be inserted.
    private func leaveOutUnknown() {
        if placement.mode != .updateOnly { return }
        for index in placement.resolutions.indices {
            let resolution = placement.resolutions[index]
            let rows = (0..<resolution.batch.count).filter {
                resolution.canonical[$0] == $0 && resolution.isUnresolved($0)
            }
            if rows.isEmpty { continue }
            placement.leftOutRows.formUnion(rows.map { BatchRow(entity: index, row: $0) })
            placement.counts[index].leftOut += rows.count
            placement.resolutions[index].drop(rows)
        }
    }

    /// Merges rows into the unsaved changes.
    ///
    /// An object whose row has no column left is unchanged.
    private func merge(_ entity: EntityBatch) {
        let layout = entity.layout
        let resolution = placement.resolutions[layout.index]
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
        layered.layers.updateMany(
            layout.table.index, keys: layered.layers.unsavedKeys == nil ? nil : keys
        ) { changes in
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
    }

    // MARK: Deleting

    /// Deletes the objects of the document's elements, except those that were written since.
    private func deleteRoots() throws(PersistenceError) {
        var keys: [Int: Set<Int64>] = [:]
        for index in placement.resolutions.indices {
            let resolution = placement.resolutions[index]
            placement.counts[index].leftOut = (0..<resolution.batch.count).count {
                resolution.canonical[$0] == $0 && !resolution.batch.isDropped[$0]
                    && resolution.aliases[$0] == nil
            }
        }
        for root in batch.roots {
            guard let key = placement.resolutions[root.entity].key(of: root.row) else { continue }
            if options.fence?.written.contains(key) == true {
                placement.isHeldBack = true
                continue
            }
            let entity = placement.canonicalRow(root).entity
            guard keys[entity, default: []].insert(key).inserted else { continue }
            placement.counts[entity].deleted += 1
            placement.counts[entity].leftOut -= 1
        }
        try delete(keys.mapValues { $0.sorted() })
    }

    /// Deletes replaced destinations.
    private func delete(_ replaced: [(key: Int64, entity: Int)]) throws(PersistenceError) {
        var keys: [Int: [Int64]] = [:]
        for (key, entity) in replaced {
            keys[entity, default: []].append(key)
            placement.counts[entity].deleted += 1
        }
        try delete(keys)
    }

    /// Deletes objects of entities; a row of a sub-entity by the delete rules of that entity.
    private func delete(_ keys: [Int: [Int64]]) throws(PersistenceError) {
        var rows: [RowDeletion.Row] = []
        for (entity, keys) in keys.sorted(by: { $0.key < $1.key }) {
            rows += try layered.withEntities(keys, in: layered.model.layouts[entity])
        }
        try RowDeletion(in: layered).delete(rows)
    }

    // MARK: After placing

    /// Connects the objects, unless the caller connects them.
    ///
    /// - Returns: What an observer is to be told.
    /// - Throws: ``PersistenceError``; `CancellationError` between two connections.
    func connect() throws -> [ConnectedRows] {
        if options.defersConnections || placement.mode == .deleteOnly { return [] }
        let connected = try layered.connect(connectedKeys, by: batch.plan)
        for rows in connected { placement.counts[rows.layout.index].connected += rows.count }
        return batch.connectionObserver == nil ? [] : connected
    }

    /// Discards the new objects that could not be saved, if the policy drops invalid objects.
    ///
    /// - Returns: A Boolean value that indicates whether objects were discarded.
    /// - Throws: ``PersistenceError`` of the database.
    mutating func discardInvalid(_ rules: some ObjectRules) throws(PersistenceError) -> Bool {
        let discarding = InvalidObjectDiscarding(
            placement, rules, defersConnections: options.defersConnections)
        guard try discarding.discardInvalid() else { return false }
        references.restoreArrivals()
        discarding.drop()
        return true
    }

    /// Deletes the objects that match the deletion predicates, unless the caller deletes them.
    func deleteMatches() throws(PersistenceError) {
        if options.defersConnections { return }
        let deleted = try layered.deleteMatches(of: batch.plan, except: options.fence)
        for (entity, count) in deleted.enumerated() { placement.counts[entity].deleted += count }
    }

    /// The keys of the objects to connect, by the index of the entity.
    private var connectedKeys: [[Int64]] {
        if placement.mode == .deleteOnly { return placement.resolutions.map { _ in [] } }
        return placement.resolutions.map {
            $0.connectedKeys.filter { !placement.keepsValues(of: $0) }
        }
    }

    // MARK: Result

    /// Returns the counts, the issues and the objects of the representation.
    ///
    /// - Throws: ``PersistenceError`` of the database.
    func result() throws(PersistenceError) -> ImportResult {
        var result = ImportResult()
        result.report = report
        if batch.locatesObjects {
            // Mapping the plain objects reports their issues.
            result.report = report.restricted(
                toMappings: batch.plan.plan.entityNames,
                droppedObjectCount: batch.entities.reduce(0) {
                    $0 + $1.isDropped.all.count(where: \.self)
                })
        }
        let pending = references.countPending().prefix(result.report.issueLimit)
        if !pending.isEmpty {
            result.report.add(pendingPaths: placement.paths(of: Array(pending)))
        }
        ImportReport(placement).finish(&result)
        let contents = ResponseContents(placement)
        result.nestingDepth = batch.nestingDepth
        result.isHeldBack = placement.isHeldBack
        result.uncertainEntities = contents.uncertainEntities(
            absentIsEmpty: options.treatsAbsentAsEmpty)
        if options.collectsContainedKeys {
            result.containedKeys = try contents.containedKeys(
                absentIsEmpty: options.treatsAbsentAsEmpty)
        }
        if options.defersConnections { result.connectedKeys = connectedKeys }
        return result
    }
}
