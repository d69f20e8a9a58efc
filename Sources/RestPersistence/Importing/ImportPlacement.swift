// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping

/// Places a batch in a context: objects found or made, values merged, relationships connected.
struct ImportPlacement {
    let batch: ImportBatch
    private let node: Node
    private let outer: [DocumentPath.Component]
    let context: ManagedObjectContext
    private(set) var resolutions: [ImportResolution] = []

    /// - Parameters:
    ///   - batch: What was walked.
    ///   - node: The representation.
    ///   - outer: What paths of issues begin with.
    ///   - context: Where the objects go.
    init(
        _ batch: ImportBatch, of node: Node, at outer: DocumentPath?,
        in context: ManagedObjectContext
    ) {
        self.batch = batch
        self.node = node
        self.outer = outer?.components ?? []
        self.context = context
    }

    mutating func run() throws(PersistenceError) {
        for entity in batch.entities {
            var resolution = ImportResolution(entity)
            if entity.count > 0 {
                if !entity.identity.isEmpty { try resolution.find(in: context) }
                try resolution.create(in: context)
            }
            resolutions.append(resolution)
        }
        try checkRequired()
        var replaced: [(key: Int64, entity: Int)] = []
        for relation in batch.relations { replaced += try self.replaced(by: relation) }
        for relation in batch.relations { fillColumns(relation) }
        for entity in batch.entities where entity.count > 0 { merge(entity) }
        // What the document takes away goes before what it gives: the two sides of a relationship
        // may be in one document.
        for relation in batch.relations { try release(relation) }
        for relation in batch.relations { try link(relation) }
        for (key, entity) in replaced { context.delete(key, in: context.model.layouts[entity]) }
    }

    // MARK: New objects

    /// New objects without a required value: an error with all of them, or left out with issues.
    private mutating func checkRequired() throws(PersistenceError) {
        var findings: [ImportIssue] = []
        var isError = false
        for entity in batch.entities where entity.count > 0 {
            let layout = entity.layout
            let required = (0..<layout.attributeCount).filter { layout.columns[$0].isRequired }
            guard !required.isEmpty else { continue }
            var dropped: [Int] = []
            for row in resolutions[layout.index].created {
                for column in required where entity.value(row, column).isNull {
                    findings.append(
                        ImportIssue(
                            node: entity.nodes[row], entity: layout.index,
                            property: layout.columns[column].name, code: .missingValue,
                            expected: "a value"))
                    if dropped.last != row { dropped.append(row) }
                    if !entity.mayBeLeftOut[row] { isError = true }
                }
            }
            resolutions[layout.index].drop(dropped)
        }
        guard !findings.isEmpty else { return }
        if isError { throw missing(findings) }
        batch.issues += findings
    }

    private func missing(_ findings: [ImportIssue]) -> PersistenceError {
        let sorted = findings.sorted { $0.node < $1.node }
        let shown = sorted.prefix(Self.maximumDetails)
        let paths = self.paths(of: shown)
        var details = zip(shown, paths).map { issue, path in
            let name = batch.plan.model.layouts[issue.entity].name
            return "missingValue at \(path.abbreviated): \(name).\(issue.property ?? "")"
        }
        if sorted.count > shown.count { details.append("\(sorted.count - shown.count) more") }
        return PersistenceError(
            .invalidObject, entity: batch.plan.model.layouts[sorted[0].entity].name,
            property: sorted[0].property, details: details)
    }

    /// Most missing values that one error names.
    private static var maximumDetails: Int { 20 }

    // MARK: Values

    /// Rows become changes of the context, and values of its living objects.
    private func merge(_ entity: EntityBatch) {
        let layout = entity.layout
        let resolution = resolutions[layout.index]
        context.changes.update(layout.index) { changes in
            changes.reserve(entity.count)
            for row in 0..<entity.count where resolution.canonical[row] == row {
                guard let key = resolution.key(of: row) else { continue }
                let values = entity.values[row * layout.width..<(row + 1) * layout.width]
                if resolution.createdKeys.contains(key) {
                    changes.insert(key, values)
                } else {
                    changes.merge(key, entity.masks[row], values)
                }
            }
        }
        for object in context.identityMap.objects
        where object.layout === layout && object.isLoaded && !object.isDeleted {
            context.changes.entities[layout.index].overlay(object.objectID.key, on: &object.values)
        }
    }

    // MARK: Result

    func finish(into result: inout ImportResult) {
        var issues = batch.issues
        for entity in batch.entities where entity.count > 0 {
            let resolution = resolutions[entity.layout.index]
            result.insertedCount += resolution.created.count
            let standing = (0..<entity.count).count {
                resolution.canonical[$0] == $0 && resolution.key(of: $0) != nil
            }
            result.foundCount += standing - resolution.created.count
            for row in resolution.anonymous where !entity.isDropped[row] {
                issues.append(
                    ImportIssue(
                        node: entity.nodes[row], entity: entity.layout.index,
                        property: entity.layout.columns[entity.identity[0]].name,
                        code: .missingIdentity, expected: "an identity"))
            }
        }
        result.objectIDs = batch.roots.compactMap { root in
            let resolution = resolutions[root.entity]
            return resolution.key(of: root.row).map {
                ManagedObjectID(
                    key: $0, layout: resolution.batch.layout, store: context.database.identity)
            }
        }
        report(issues, into: &result.report)
    }

    private func paths(of issues: ArraySlice<ImportIssue>) -> [DocumentPath] {
        withExtendedLifetime(node) {
            node.storage.view(at: 0).paths(of: issues.map(\.node))
        }.map { DocumentPath(outer + $0.components) }
    }

    /// Paths are rebuilt only for what is reported, in one pass over the tape.
    private func report(_ issues: [ImportIssue], into report: inout MappingReport) {
        guard !issues.isEmpty else { return }
        let sorted = issues.sorted { $0.node < $1.node }
        let kept = sorted.prefix(max(0, report.issueLimit - report.issues.count) + 1)
        let storage = node.storage
        let paths = self.paths(of: kept)
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
