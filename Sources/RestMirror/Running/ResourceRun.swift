// SPDX-License-Identifier: Apache-2.0

import RestDefinition
import RestDocument

/// The reading of all lists of a resource.
struct ResourceRun: Sendable {
    let plan: ResourcePlan
    let definition: Definition
    let gate: Gate

    /// The number of lists that wait for their turn, or for the transaction of their last page.
    private static let waitingCount = 64
    /// The number of lists whose state is read at a time.
    private static let portionCount = 256
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
            var portion: [ParentRecord] = []
            func take(from group: inout ThrowingTaskGroup<ListResult, any Error>) async throws {
                guard let result = try await group.next() else { return }
                running -= 1
                note(result)
            }
            func readPortion(in group: inout ThrowingTaskGroup<ListResult, any Error>) async throws
            {
                let all = portion
                portion = []
                let lists = try await plan.writer.read { tables in
                    try all.map { try tables.storedList(name, of: $0.key(references)) }
                }
                for (parents, list) in zip(all, lists) {
                    try Task.checkCancellation()
                    if isGivenUp { throw GivenUp() }
                    if let digest = parents.digest, list.state.isComplete,
                        list.state.parentDigest == digest
                    {
                        note(ListResult(list: list.state.id, summary: ResourceSummary(name)))
                        continue
                    }
                    if running >= Self.waitingCount { try await take(from: &group) }
                    running += 1
                    group.addTask { try await read(list, of: parents, start) }
                }
            }
            do {
                try await reader.forEach { parents in
                    portion.append(parents)
                    if portion.count == Self.portionCount { try await readPortion(in: &group) }
                }
                try await readPortion(in: &group)
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

    /// Reads a list, and waits for its last page when the next list already sends requests.
    private func read(
        _ list: StoredList, of parents: ParentRecord, _ shared: SharedCursor?
    ) async throws -> ListResult {
        let plan = plan
        let walked = try await gate.run {
            try Task.checkCancellation()
            var walk = ListWalk(plan, of: parents, from: list, shared)
            do {
                try await walk.run()
                return (walk: walk, failure: MirrorError?.none)
            } catch let error as MirrorError {
                return (walk: walk, failure: error)
            }
        }
        var (walk, failure) = walked
        do {
            try await walk.finishLastPage()
        } catch let error as MirrorError {
            failure = failure ?? error
        }
        return ListResult(
            list: walk.stored.id, summary: walk.summary, failure: failure?.of(plan.name),
            reach: failure == nil ? walk.reach : nil)
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
            }
            let removed = try gone.filter { try !tables.hasMissing(in: $0) }
            try tables.removeLists(removed, of: name)
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
