// SPDX-License-Identifier: Apache-2.0

import GRDB
import RestDefinition
import RestDocument
import RestMapping
import RestPersistence
import RestRows

/// The result of writing the records of a page.
struct WrittenRows: Sendable {
    var counts = RowCounts()
    /// The keys of the rows of the records.
    var keys: [Int64] = []
    /// The number of the list.
    var listID: Int64?
    /// The number of values and records that do not fit.
    var issueCount = 0
    /// The first of the issues, without values.
    var issue: String?
    /// The attributes whose values do not fit, by entity.
    var unfitting: [String: Set<String>] = [:]
}

/// The mapped records of a page.
struct MappedRecords: Sendable {
    let representations: [MappedRepresentation]
    /// The number of the first representations whose rows are those of the page.
    let rootCount: Int
}

/// The mapping of the records of pages, and the transaction that writes them with the state of their list.
struct RowWriter: Sendable {
    let content: StoreContent
    let plan: RowPlan
    let resource: ResourceDefinition

    /// Maps the records of a page to rows.
    ///
    /// - Throws: ``MirrorError`` with code `recordsRefused` if the schema is frozen and they do not fit.
    func map(
        _ records: PageRecords, of document: Document, _ parents: ParentRecord
    ) throws(MirrorError) -> MappedRecords {
        var representations: [MappedRepresentation] = []
        var rootCount = 0
        do throws(MappingError) {
            if let node = records.node {
                let (living, deleted) = divided(records)
                if let node = living ?? (plan.tombstones == nil ? node : nil) {
                    representations.append(
                        try MappedRepresentation(
                            node, by: plan.records, in: environment(parents)))
                    rootCount = 1
                }
                if let deleted, let plan = plan.tombstones {
                    representations.append(
                        try MappedRepresentation(deleted, by: plan, in: environment(parents)))
                }
            }
            for (path, plan) in plan.included {
                guard let node = document.root[path], !node.isNull else { continue }
                representations.append(
                    try MappedRepresentation(node, by: plan, in: environment(parents)))
            }
        } catch {
            throw MirrorError(.recordsRefused, resource: resource.name, underlying: error)
        }
        return MappedRecords(representations: representations, rootCount: rootCount)
    }

    /// Writes mapped records in one transaction with the state of their list.
    ///
    /// - Parameters:
    ///   - records: The records; each can be written once.
    ///   - record: A closure that writes the state, given the keys of the rows of the records, and returns the
    ///     number of the list.
    /// - Returns: The numbers of rows, and their keys.
    /// - Throws: ``MirrorError`` with code `storeFailed`, or `CancellationError`.
    func write(
        _ records: MappedRecords?,
        recording record: @Sendable (MirrorTables, [Int64]) throws -> Int64?
    ) async throws -> WrittenRows {
        do {
            return try await content.write { context in
                var written = WrittenRows()
                if let records, !records.representations.isEmpty {
                    let results = try context.importObjects(
                        records.representations, ImportOptions())
                    written.issueCount = results.reduce(0) { $0 + $1.report.issueCount }
                    for issue in results.flatMap(\.report.issues) {
                        guard let property = issue.property else { continue }
                        written.unfitting[issue.mapping, default: []].insert(property)
                    }
                    written.issue = results.lazy.flatMap(\.report.issues).first.map {
                        "\($0.mapping).\($0.property ?? "") \($0.code)"
                    }
                    let saved = try context.save()
                    written.counts.add(saved)
                    if records.rootCount > 0 {
                        written.keys = results[0].objectIDs.map(\.key)
                    }
                }
                let keys = written.keys
                written.listID = try context.rows.read {
                    try record(MirrorTables(database: $0), keys)
                }
                return written
            }
        } catch let error as PersistenceError {
            throw MirrorError(
                .storeFailed, resource: resource.name, details: error.details, underlying: error)
        }
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
