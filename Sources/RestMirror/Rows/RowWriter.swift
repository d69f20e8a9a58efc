// SPDX-License-Identifier: Apache-2.0

import GRDB
import RestDefinition
import RestDocument
import RestMapping
import RestPersistence
import RestRows
import Synchronization

/// The result of writing the records of a page.
struct WrittenRows: Sendable {
    var counts = RowCounts()
    /// The keys of the rows of the records.
    var keys: [Int64] = []
    /// The keys of the rows that the records have deleted, with those that belong to them.
    var gone: [Int64] = []
    /// The number of the list.
    var listID: Int64?
    /// The values and records that do not fit; `nil` if all do.
    var issues: RecordIssues?
}

/// The mapped records of a page.
struct MappedRecords: Sendable {
    var representations: [MappedRepresentation] = []
    /// The nodes of the representations.
    var nodes: [Node] = []
    /// The number of the first representations whose rows are those of the page.
    var rootCount = 0
    /// The records of the page, by whose identities values in quarantine are found.
    var records: [Node] = []
    /// The values at keys that the definition does not describe.
    var unknown: [QuarantinedValue] = []
    /// The response, which explains the rows.
    var origin: ResponseWrite?
    /// The mapping of each representation, and the values of parents, by which they are mapped again.
    fileprivate var plans: [EntityMappingPlan] = []
    fileprivate var parents = ParentRecord.none
}

/// The mapping of the records of pages, and the transaction that writes them with the state of their list.
struct RowWriter: Sendable {
    let content: StoreContent
    let plan: RowPlan
    let resource: ResourceDefinition
    let definition: Definition
    let run: MirrorRun

    /// Maps the records of a page to rows.
    ///
    /// - Parameters:
    ///   - records: The records.
    ///   - document: The document of the page.
    ///   - parents: The values of the parents.
    ///   - lists: The lists in records, some of which are short; `nil` if none is.
    /// - Returns: The rows.
    /// - Throws: ``MirrorError`` with code `recordsRefused` if the document exceeds a limit.
    func map(
        _ records: PageRecords, of document: Document, _ parents: ParentRecord,
        short lists: EmbeddedLists? = nil
    ) throws(MirrorError) -> MappedRecords {
        var mapped = MappedRecords()
        mapped.parents = parents
        func add(_ node: Node, by plan: EntityMappingPlan) throws(MappingError) {
            mapped.nodes.append(node)
            mapped.plans.append(plan)
            mapped.representations.append(
                try MappedRepresentation(node, by: plan, in: environment(parents)))
        }
        do {
            if let node = records.node {
                let (living, deleted) = divided(records)
                if let node = living ?? (plan.tombstones == nil ? node : nil) {
                    for (part, plan) in try parts(of: node, lists) { try add(part, by: plan) }
                    mapped.rootCount = mapped.nodes.count
                }
                if let deleted, let plan = plan.tombstones { try add(deleted, by: plan) }
            }
            for (path, plan) in plan.included {
                guard let node = document.root[path], !node.isNull else { continue }
                try add(node, by: plan)
            }
        } catch {
            throw MirrorError(.recordsRefused, resource: resource.name, underlying: error)
        }
        mapped.records = records.elements
        return mapped
    }

    /// Writes mapped records with the state of their list, in a transaction that other lists share.
    ///
    /// The cancellation of the task has no effect.
    ///
    /// - Parameters:
    ///   - records: The records; each can be written once.
    ///   - record: A closure that writes the state, given what was written of the records, and returns the number of
    ///     the list.
    /// - Returns: The numbers of rows, and their keys.
    /// - Throws: ``MirrorError`` with code `recordsRefused` if the schema is frozen and they do not fit, or
    ///   `storeFailed`.
    func write(
        _ records: MappedRecords?,
        recording record: @escaping @Sendable (MirrorTables, WrittenRows) throws -> Int64?
    ) async throws -> WrittenRows {
        do {
            let isImported = Mutex(false)
            return try await content.writeTogether { context in
                var written = WrittenRows()
                if let records, !records.representations.isEmpty {
                    let isRepeated = isImported.withLock { isImported in
                        defer { isImported = true }
                        return isImported
                    }
                    // A representation can be imported once.
                    let results = try context.importObjects(
                        isRepeated ? mappedAgain(records) : records.representations,
                        ImportOptions())
                    var issues = RecordIssues(definition, resource)
                    for (index, result) in results.enumerated() {
                        issues.add(
                            result.report, of: records.nodes[index],
                            isRoot: index < records.rootCount)
                    }
                    issues.add(unknown: records.unknown)
                    if let refusal = issues.refusal {
                        throw MirrorError(
                            .recordsRefused, resource: resource.name, details: [refusal])
                    }
                    if issues.count > 0 { written.issues = issues }
                    if let origin = records.origin { context.recordOrigin(origin) }
                    if plan.deletesRows {
                        written.gone = context.deletedObjects.map(\.objectID.key)
                    }
                    let saved = try context.save()
                    written.counts.add(saved)
                    written.keys = results.prefix(records.rootCount).flatMap {
                        $0.objectIDs.map(\.key)
                    }
                }
                let result = written
                written.listID = try context.rows.read { database in
                    let tables = MirrorTables(database: database)
                    try tables.addGone(result.gone)
                    return try record(tables, result)
                }
                return written
            }
        } catch let error as PersistenceError {
            throw MirrorError(
                .storeFailed, resource: resource.name, details: error.details, underlying: error)
        }
    }

    private func mappedAgain(
        _ records: MappedRecords
    ) throws(MappingError) -> [MappedRepresentation] {
        var representations: [MappedRepresentation] = []
        for (node, plan) in zip(records.nodes, records.plans) {
            representations.append(
                try MappedRepresentation(node, by: plan, in: environment(records.parents)))
        }
        return representations
    }

    /// Reads the state.
    ///
    /// - Throws: ``MirrorError`` with code `storeFailed`, or `CancellationError`.
    func read<Value: Sendable>(
        _ body: @Sendable (MirrorTables) throws -> Value
    ) async throws -> Value {
        do {
            return try await content.read { context in
                try context.rows.read { try body(MirrorTables(database: $0)) }
            }
        } catch let error as PersistenceError {
            throw MirrorError(
                .storeFailed, resource: resource.name, details: error.details, underlying: error)
        }
    }

    /// Divides records by the lists in them that are short, with the mapping of each part.
    private func parts(
        of node: Node, _ lists: EmbeddedLists?
    ) throws -> [(Node, EntityMappingPlan)] {
        guard let lists else { return [(node, plan.records)] }
        if node.kind != .array {
            let paths = lists.shortRelations(of: node)
            return [(node, paths.isEmpty ? plan.records : try plan.partial.plan(paths))]
        }
        var parts: [(paths: [DocumentPath], builder: DocumentBuilder)] = []
        for record in node.elements {
            let paths = lists.shortRelations(of: record)
            let index: Int
            if let known = parts.firstIndex(where: { $0.paths == paths }) {
                index = known
            } else {
                index = parts.count
                parts.append((paths, DocumentBuilder()))
                parts[index].builder.beginArray()
            }
            parts[index].builder.value(record)
        }
        return try parts.map { part in
            var builder = part.builder
            builder.end()
            let plan = part.paths.isEmpty ? plan.records : try plan.partial.plan(part.paths)
            return (builder.finish().root, plan)
        }
    }

    /// Divides records into those of rows that exist and those of rows that are deleted.
    private func divided(_ records: PageRecords) -> (living: Node?, deleted: Node?) {
        guard plan.tombstones != nil else { return (records.node, nil) }
        guard let condition = plan.tombstone else { return (nil, records.node) }
        var (living, deleted) = (DocumentBuilder(), DocumentBuilder())
        living.beginArray()
        deleted.beginArray()
        for record in records.elements {
            if condition.holds(for: record) { deleted.value(record) } else { living.value(record) }
        }
        living.end()
        deleted.end()
        return (living.finish().root, deleted.finish().root)
    }

    /// Returns the metadata of a run: the values of parents that records get.
    private func environment(_ parents: ParentRecord) -> sending MappingEnvironment {
        var builder = DocumentBuilder()
        builder.beginObject()
        builder.key("parents")
        builder.beginObject()
        var isEmpty = true
        for parent in resource.parents {
            for inclusion in parent.inclusions {
                guard let value = parents[parent.name, inclusion.path] else { continue }
                isEmpty = false
                builder.key(inclusion.key)
                value.append(to: &builder)
            }
        }
        builder.end()
        builder.end()
        return MappingEnvironment(metadata: isEmpty ? [] : [builder.finish()])
    }
}

extension ScalarValue {
    func append(to builder: inout DocumentBuilder) {
        switch self {
        case .null: builder.null()
        case .boolean(let value): builder.bool(value)
        case .number(let text):
            if let number = try? Document(parsing: text) {
                builder.value(number)
            } else {
                builder.null()
            }
        case .text(let text): builder.string(text)
        }
    }
}

extension RowCounts {
    fileprivate mutating func add(_ saved: SaveReport) {
        inserted += saved.inserted
        updated += saved.updated
        unchanged += saved.unchanged
        deleted += saved.deleted
        links += saved.relationships.reduce(0) { $0 + $1.inserted + $1.deleted + $1.moved }
    }
}
