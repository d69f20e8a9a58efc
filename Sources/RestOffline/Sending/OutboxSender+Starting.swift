// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestNetworking
import RestOutbox
import RestPersistence
import RestTransport
import Synchronization

extension OutboxSender {
    /// The first entry of an object with its attempt.
    struct Start: Sendable {
        let object: EditedObject
        let entry: OutboxEntry
        let attempt: OutboxAttempt
        /// The object; `nil` if its row is deleted.
        let id: ManagedObjectID?

        init(
            _ object: EditedObject, _ entry: OutboxEntry, _ attempt: OutboxAttempt,
            id: ManagedObjectID?
        ) {
            self.object = object
            self.entry = entry
            self.attempt = attempt
            self.id = id
        }
    }

    /// The result of beginning to send objects.
    struct Starts: Sendable {
        var started: [Start] = []
        /// The objects that are not ready, with those that they wait for.
        var blocked: [EditedObject: Set<EditedObject>] = [:]
        /// The objects whose entries could not be written.
        var failed: [EditedObject] = []
        /// The objects that were not tried.
        var rest: [EditedObject] = []
        /// A Boolean value that indicates whether entries have changed without a request.
        var hasOtherChanges = false
        /// A Boolean value that indicates whether another sender has the file.
        var isWithoutLease = false
    }

    /// Freezes the requests of the first entries of objects in one transaction.
    ///
    /// - Parameters:
    ///   - objects: The objects, in the order in which they are tried.
    ///   - limit: The maximum number of requests.
    ///   - isOfUser: A Boolean value that indicates whether they are begun also while the outbox is paused.
    /// - Returns: The requests, which may be sent.
    /// - Throws: `PersistenceError` if the store is closed, or none can be written.
    func start(
        _ objects: [EditedObject], limit: Int, isOfUser: Bool = false
    ) async throws -> Starts {
        do {
            return try await startTogether(objects, limit, isOfUser)
        } catch let error as PersistenceError where error.code != .storeClosed && objects.count > 1
        {
            // One of them may be the reason.
            var starts = Starts()
            for (index, object) in objects.enumerated() {
                if starts.started.count == limit {
                    starts.rest += objects[index...]
                    break
                }
                do {
                    starts.append(try await startTogether([object], 1, isOfUser))
                } catch let error as PersistenceError where error.code != .storeClosed {
                    starts.failed.append(object)
                }
            }
            if starts.failed.count == objects.count { throw error }
            return starts
        }
    }

    private func startTogether(
        _ objects: [EditedObject], _ limit: Int, _ isOfUser: Bool
    ) async throws -> Starts {
        guard let lease = state.withLock(\.lease) else { return Starts(isWithoutLease: true) }
        let (recorder, manager, rules) = (recorder, manager, rules)
        let (principal, unauthorized) = (manager.client.principal, unauthorized)
        let numbers = Mutex<Set<Int64>>([])
        let begin: @Sendable (Int64) -> Void = { [self] number in
            // Before the commit, so that a restart never takes the attempt for that of another process.
            numbers.withLock { _ = $0.insert(number) }
            state.withLock { _ = $0.attempts.insert(number) }
        }
        do {
            let starts = try await content.writeTogether { [self] context in
                try context.rows.write { database in
                    // What was saved after a pause is not sent.
                    if isStopped, !isOfUser { return Starts(rest: objects) }
                    let tables = recorder.tables(database)
                    guard try tables.holds(lease) else { return Starts(isWithoutLease: true) }
                    var work = StartingWork(
                        rules: rules, tables: tables, date: manager.client.clock.date,
                        principal: principal, unauthorized: unauthorized, limit: limit,
                        writer: RequestWriter(
                            rules: rules, manager: manager, tables: tables, context: context))
                    try work.run(objects, begin)
                    return work.starts
                }
            }
            if starts.isWithoutLease { loseLease(lease) }
            // The transaction may have been run twice.
            numbers.withLock { $0.subtract(starts.started.map(\.attempt.number)) }
            state.withLock { $0.attempts.subtract(numbers.withLock(\.self)) }
            return starts
        } catch {
            state.withLock { $0.attempts.subtract(numbers.withLock(\.self)) }
            throw error
        }
    }

    /// Returns the requests with those together that one request sends.
    func units(of starts: [Start]) -> [[Start]] {
        guard let batch = configuration.batch else { return starts.map { [$0] } }
        var units: [[Start]] = []
        var indices: [Int64: Int] = [:]
        for start in starts {
            if let save = start.entry.save, let index = indices[save],
                units[index].count < batch.countLimit
            {
                units[index].append(start)
                continue
            }
            if let save = start.entry.save { indices[save] = units.count }
            units.append([start])
        }
        return units
    }
}

extension OutboxSender.Starts {
    fileprivate mutating func append(_ other: Self) {
        started += other.started
        blocked.merge(other.blocked) { $1 }
        rest += other.rest
        hasOtherChanges = hasOtherChanges || other.hasOtherChanges
        isWithoutLease = isWithoutLease || other.isWithoutLease
    }
}

/// The beginning of requests in a transaction.
private struct StartingWork {
    let rules: OutboxRules
    let tables: OutboxTables
    let date: Date
    let principal: Principal?
    let unauthorized: Set<Principal?>
    let limit: Int
    let writer: RequestWriter
    var starts = OutboxSender.Starts()

    /// Tries objects until there are as many requests as there may be.
    mutating func run(_ objects: [EditedObject], _ begin: (Int64) -> Void) throws {
        var rest = objects[...]
        while !rest.isEmpty, starts.started.count < limit {
            let part = rest.prefix(limit - starts.started.count)
            rest = rest.dropFirst(part.count)
            try start(part, begin)
        }
        starts.rest = Array(rest)
    }

    private mutating func start(
        _ objects: ArraySlice<EditedObject>, _ begin: (Int64) -> Void
    ) throws {
        let loaded = try OutboxPlan.load(tables, of: objects.map(\.key))
        var queue = rules.queue(loaded, next: try tables.next)
        queue.unauthorized = unauthorized
        let ready = Set(
            queue.ready(for: principal, at: date).lazy.filter { $0.step == .send }.map(\.object))
        for object in objects {
            guard let edits = queue.objects[object] else { continue }
            guard ready.contains(object) else {
                if edits.entries.first?.isLate(at: date) == true {
                    // The next scan ends it.
                    starts.hasOtherChanges = true
                } else if edits.entries.first?.state == .waiting {
                    starts.blocked[object] = queue.blockers(of: object)
                }
                continue
            }
            try start(object, edits, row: loaded.rows[object.key], &queue, begin)
        }
        try tables.store(queue, since: loaded, at: date)
    }

    private mutating func start(
        _ object: EditedObject, _ edits: ObjectEdits, row: [StoredValue]?,
        _ queue: inout OutboxQueue, _ begin: (Int64) -> Void
    ) throws {
        var frozen = edits.entries.first?.attempt?.request
        if frozen == nil, let draft = queue.draft(of: object) {
            do {
                frozen = try writer.request(for: object, edits, draft, row: row)
            } catch {
                queue.refuse(object)
                starts.hasOtherChanges = true
                return
            }
        }
        guard let frozen else { return }
        guard let attempt = queue.startSend(of: object, at: date, writing: { _ in frozen }),
            let entry = queue.objects[object]?.entries.first
        else {
            starts.hasOtherChanges = true
            return
        }
        begin(attempt.number)
        var id: ManagedObjectID?
        if edits.local != nil, !entry.isMemberRequest(in: edits.entity),
            let index = rules.model.index(of: object.entity)
        {
            id = ManagedObjectID(
                key: object.key, layout: rules.model.layouts[index],
                store: writer.context.content.database.identity)
        }
        starts.started.append(OutboxSender.Start(object, entry, attempt, id: id))
    }
}
