// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestNetworking
import RestOutbox
import RestPersistence
import RestTransport
import Synchronization

extension OutboxSender {
    /// Reads the next steps of edits.
    ///
    /// - Returns: `false` if there are none.
    func prepareSteps(_ window: inout SendingWindow) async throws -> Bool {
        window.note(commit: content.database.feed.last.number)
        if window.hasSteps { return true }
        while let position = window.nextPosition() {
            if position == 0 {
                window.scanDate = date
                try await endExpired()
            }
            window.take(try await plan(after: position))
            if window.hasSteps { return true }
        }
        return false
    }

    /// Returns the steps of entries with greater numbers than a given one.
    func plan(after position: Int64) async throws -> OutboxPlan {
        let (recorder, principal, date) = (recorder, manager.client.principal, date)
        if unauthorized.contains(principal) { return OutboxPlan() }
        return try await content.database.readSnapshot { database in
            let tables = recorder.tables(database)
            return try OutboxPlan(tables, recorder.rules, principal, after: position, at: date)
        }
    }

    /// Returns the objects without entries that are to be read.
    func unreadObjects() async throws -> [EditedObject] {
        let (recorder, date) = (recorder, date)
        return try await content.database.readSnapshot {
            try OutboxPlan.unreadObjects(recorder.tables($0), recorder.rules.timing, at: date)
        }
    }

    /// Gives the requests that were in progress when a sender ended no answer.
    ///
    /// An answer that cannot be recorded is kept, and stops no other object.
    func restart() async throws {
        let rules = rules
        // The system continues uploads when a process has ended.
        let running = recorder.files.uploadedAttempts().union(state.withLock(\.attempts))
        var failed: Set<Int64> = []
        for (attempt, action) in unrecorded.actions {
            do {
                try await perform(action)
                unrecorded.remove(attempt)
            } catch let error as PersistenceError where error.code != .storeClosed {
                failed.insert(attempt)
            }
        }
        let (others, hasFailures) = (running.union(failed), !failed.isEmpty)
        let action = QueueAction<Void>(nil) { (queue, context) throws(PersistenceError) in
            let keys = try context.tables.sendingKeys(except: others)
            let loaded = try context.tables.load(keys)
            var restarted = rules.queue(loaded, next: queue.next)
            var generator = rules.random
            restarted.restart(at: context.date, using: &generator)
            try context.tables.store(restarted, since: loaded, at: context.date)
            queue.load([:], predecessors: [:], next: restarted.next)
        }
        try await perform(action)
        state.withLock { $0.needsRestart = hasFailures }
    }

    /// Ends the entries whose time has passed, and removes the files of ended entries.
    func endExpired() async throws {
        let (recorder, now, rules) = (recorder, date, rules)
        let keys = try await content.database.readSnapshot {
            try recorder.tables($0).expiredKeys(at: now)
        }
        if !keys.isEmpty {
            let action = QueueAction<Void>(nil) { (queue, context) throws(PersistenceError) in
                let loaded = try context.tables.load(keys)
                var expired = rules.queue(loaded, next: queue.next)
                let entries = expired.expire(at: now)
                expired.endAbandoned(at: now)
                for (object, edits) in loaded.objects {
                    for entry in edits.entries
                    where entries.contains(where: { $0.sequence == entry.sequence }) {
                        try context.tables.note(
                            "expired", detail: nil, of: entry, object, at: context.date)
                    }
                }
                try context.tables.store(expired, since: loaded, at: context.date)
            }
            try await perform(action)
        }
        let files = recorder.files
        guard files.takeNotice() else { return }
        try await perform(
            QueueAction<Void>(nil) { (_, context) throws(PersistenceError) in
                try files.removeUnused(context.tables)
            })
    }
}
