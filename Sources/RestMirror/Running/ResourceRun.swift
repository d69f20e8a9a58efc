// SPDX-License-Identifier: Apache-2.0

import RestDefinition
import RestDocument

/// The reading of all lists of a resource.
struct ResourceRun: Sendable {
    let plan: ResourcePlan
    let definition: Definition
    let gate: Gate

    /// The number of lists that wait for their turn.
    private static let waitingCount = 16
    /// The number of lists that may fail in a row before the resource is given up.
    private static let failureCount = 8

    /// The result of a list.
    private struct ListResult: Sendable {
        let list: Int64?
        let summary: ResourceSummary
        var failure: MirrorError?
        var reach: WalkReach?
    }

    /// Reads the lists.
    ///
    /// - Throws: ``MirrorError`` if the parents cannot be read; `CancellationError`.
    func run(_ recorder: RunRecorder) async throws -> ResourceSummary {
        let references = plan.references
        let reader = ParentReader(
            definition: definition, resource: plan.resource, references: references,
            content: plan.writer.content)
        var summary = ResourceSummary(plan.name)
        var visited = KeySet()
        var failures = 0
        var isGivenUp = false
        let cursor = plan.resource.cursor
        let name = plan.name
        var shared: SharedCursor?
        if cursor?.isPerParent == false {
            shared = try await plan.writer.read { try $0.sharedCursor(of: name) }
        }
        let start = shared
        func note(_ result: ListResult) {
            summary.add(result.summary)
            if let reach = result.reach { shared?.note(reach) }
            if let list = result.list { visited.insert(list) }
            guard let failure = result.failure else {
                failures = 0
                return
            }
            failures += 1
            summary.incompleteListCount += 1
            if summary.failure == nil { summary.failure = "\(failure)" }
            let isFinal = [.budgetSpent, .ceilingReached, .storeFailed, .missingSecret].contains(
                failure.code)
            if isFinal || failures >= Self.failureCount { isGivenUp = true }
        }
        try await withThrowingTaskGroup(of: ListResult.self) { group in
            var running = 0
            func take(from group: inout ThrowingTaskGroup<ListResult, any Error>) async throws {
                guard let result = try await group.next() else { return }
                running -= 1
                note(result)
            }
            do {
                try await reader.forEach { parents in
                    try Task.checkCancellation()
                    if isGivenUp { throw GivenUp() }
                    if running >= Self.waitingCount { try await take(from: &group) }
                    running += 1
                    group.addTask {
                        try await read(parents, key: parents.key(references), start)
                    }
                }
            } catch is GivenUp {}
            while running > 0 { try await take(from: &group) }
        }
        try Task.checkCancellation()
        if summary.failure == nil, !isGivenUp {
            try await removeLists(except: visited)
            if let cursor, let next = shared?.advanced(by: cursor), next != start {
                _ = try await plan.writer.write(nil) { tables, _ in
                    try tables.store(next, of: name)
                    return nil
                }
            }
        }
        return summary
    }

    private struct GivenUp: Error {}

    private func read(
        _ parents: ParentRecord, key: String, _ shared: SharedCursor?
    ) async throws -> ListResult {
        let plan = plan
        return try await gate.run {
            try Task.checkCancellation()
            let list = try await plan.writer.read { try $0.list(plan.name, of: key) }
            if let digest = parents.digest, list.isComplete, list.parentDigest == digest {
                return ListResult(list: list.id, summary: ResourceSummary(plan.name))
            }
            var walk = ListWalk(plan, of: parents, from: list, shared)
            do {
                try await walk.run()
                return ListResult(
                    list: walk.stored.id, summary: walk.summary, reach: walk.reach)
            } catch let error as MirrorError {
                return ListResult(
                    list: walk.stored.id, summary: walk.summary, failure: error.of(plan.name))
            }
        }
    }

    /// Removes the lists of parents that do not exist any more, and notes that their rows are missing.
    private func removeLists(except visited: KeySet) async throws {
        let hasStoredParents = plan.resource.parents.contains { parent in
            if case .values = parent.source { false } else { true }
        }
        guard hasStoredParents, plan.deletesByWalk else { return }
        let name = plan.name
        let lists = try await plan.writer.read { try $0.lists(of: name) }
        let gone = lists.filter { !visited.contains($0) }
        if gone.isEmpty { return }
        _ = try await plan.writer.write(nil) { tables, _ in
            for list in gone {
                try tables.removePages(from: 0, of: list, notesMissing: true)
                try tables.removeWalk(of: list)
                try tables.markMissingProven(in: list)
                if try !tables.hasMissing(in: list) { try tables.removeList(list) }
            }
            return nil
        }
    }
}

extension ResourceSummary {
    fileprivate mutating func add(_ other: ResourceSummary) {
        requestCount += other.requestCount
        byteCount += other.byteCount
        pageCount += other.pageCount
        unmodifiedPageCount += other.unmodifiedPageCount
        recordCount += other.recordCount
        rows.add(other.rows)
    }
}
