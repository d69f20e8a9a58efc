// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestOutbox
import RestPersistence
import RestTransport

/// A part of the steps that a sender can try, the oldest entries first.
///
/// Whether a request can be sent is known when its object is read, in the transaction that begins the request. A
/// plan reads only the first entry of each object.
struct OutboxPlan: Sendable {
    struct Step: Sendable {
        let object: EditedObject
        let kind: OutboxQueue.Step
        /// The number of the save whose edits the step sends; `nil` for other steps.
        let save: Int64?
    }

    /// The steps.
    private(set) var steps: [Step] = []
    /// The number of the entry after which the next plan begins; `nil` after the last entry.
    private(set) var end: Int64?

    /// The maximum number of steps of a plan.
    static let stepLimit = 256

    /// Creates a plan without steps.
    init() {}

    /// Reads the steps of entries with greater numbers than a given one.
    ///
    /// - Complexity: O(log *n*) in the number of entries for each step, and a comparison for each entry that is
    ///   skipped.
    init(
        _ tables: OutboxTables, _ rules: OutboxRules, _ principal: Principal?, after start: Int64,
        at date: Date
    ) throws(PersistenceError) {
        let entries = OutboxTables.entries
        let statement = try PreparedStatement(
            """
            SELECT sequence, key, entity, state, save FROM \(entries) e WHERE sequence > ?1 \
            AND principal IS ?2 AND (not_before IS NULL OR not_before <= ?3) \
            AND state IN ('waiting', 'probing', 'reading') \
            AND NOT EXISTS (SELECT 1 FROM \(entries) f WHERE f.key = e.key \
            AND f.sequence < e.sequence AND f.state <> '\(StateText.quarantined)') \
            ORDER BY sequence LIMIT \(Self.stepLimit)
            """, in: tables.database)
        try statement.bind(.integer(start), at: 1)
        try statement.bind(principal.map { .text($0.id) } ?? .null, at: 2)
        try statement.bind(.double(date.timeIntervalSinceReferenceDate), at: 3)
        var checked: [Int64] = []
        var count = 0
        while try statement.step() {
            count += 1
            end = statement.integer(0)
            let object = EditedObject(entity: statement.text(2), key: statement.integer(1))
            switch statement.text(3) {
            case "waiting":
                steps.append(Step(object: object, kind: .send, save: statement.optionalInteger(4)))
            case "probing": steps.append(Step(object: object, kind: .probe, save: nil))
            default:
                steps.append(Step(object: object, kind: .read, save: nil))
                checked.append(object.key)
            }
        }
        if count < Self.stepLimit { end = nil }
        if checked.isEmpty { return }
        // An object that the server has already may have to wait for another one.
        let queue = try Self.queue(tables, rules, of: checked)
        let ready = Set(queue.ready(for: principal, at: date).lazy.map(\.object))
        // A replica of the server may not have it as it was written.
        let ends = try tables.lagEnds(rules.timing, at: date)
        steps.removeAll {
            $0.kind == .read && (!ready.contains($0.object) || ends[$0.object.key] != nil)
        }
    }

    /// Returns the objects without entries that are to be read.
    static func unreadObjects(
        _ tables: OutboxTables, _ timing: OutboxTiming, at date: Date
    ) throws(PersistenceError) -> [EditedObject] {
        let ends = try tables.lagEnds(timing, at: date)
        let statement = try PreparedStatement(
            """
            SELECT key, entity FROM \(OutboxTables.objects) o WHERE needs_reading = 1 \
            AND (quiet_until IS NULL OR quiet_until <= ?1) AND NOT EXISTS \
            (SELECT 1 FROM \(OutboxTables.entries) e WHERE e.key = o.key) \
            ORDER BY key LIMIT \(Self.stepLimit)
            """, in: tables.database)
        try statement.bind(.double(date.timeIntervalSinceReferenceDate), at: 1)
        var objects: [EditedObject] = []
        while try statement.step() {
            let object = EditedObject(entity: statement.text(1), key: statement.integer(0))
            if ends[object.key] == nil { objects.append(object) }
        }
        return objects
    }

    /// Returns the time at which the next object can be ready; `nil` if none is known.
    static func nextDate(
        _ tables: OutboxTables, _ timing: OutboxTiming, after date: Date
    ) throws(PersistenceError) -> Date? {
        let objects = OutboxTables.objects
        let statement = try PreparedStatement(
            """
            SELECT min(date) FROM (SELECT min(not_before) AS date FROM \(OutboxTables.entries) \
            WHERE not_before > ?1 AND state IN ('waiting', 'probing', 'reading', 'abandoned') \
            UNION ALL SELECT min(quiet_until) FROM \(objects) WHERE quiet_until > ?1 \
            UNION ALL SELECT min(revival_end) FROM \(objects) WHERE revival_end > ?1)
            """, in: tables.database)
        try statement.bind(.double(date.timeIntervalSinceReferenceDate), at: 1)
        let next = try statement.step() ? statement.date(0) : nil
        let lagEnd = try tables.lagEnds(timing, at: date).values.min()
        return [next, lagEnd].compactMap(\.self).min()
    }

    /// Returns the edits of some objects, and of those to which they refer, as a queue.
    static func queue(
        _ tables: OutboxTables, _ rules: OutboxRules, of keys: [Int64]
    ) throws(PersistenceError) -> OutboxQueue {
        rules.queue(try load(tables, of: keys), next: try tables.next)
    }

    /// Returns the edits of some objects, and of those to which they refer.
    static func load(
        _ tables: OutboxTables, of keys: [Int64]
    ) throws(PersistenceError) -> LoadedEdits {
        var loaded = try tables.load(keys)
        var known = Set(keys)
        var missing: Set<Int64> = []
        for edits in loaded.objects.values {
            guard !edits.entries.isEmpty else { continue }
            if edits.entity.references.isEmpty, edits.entity.members.isEmpty { continue }
            let values = edits.values(at: 0)
            for property in edits.entity.references.keys {
                guard case .integer(let key) = values[property], known.insert(key).inserted else {
                    continue
                }
                missing.insert(key)
            }
            for property in edits.entity.members.keys {
                guard let members = values[property].flatMap(MemberSet.init) else { continue }
                missing.formUnion(members.keys.filter { known.insert($0).inserted })
            }
        }
        missing.formUnion(
            loaded.predecessors.values.map(\.key).filter { known.insert($0).inserted })
        let adopting = loaded.objects.filter { $0.value.entries.first?.existing != nil }
        if !adopting.isEmpty {
            let holders = try tables.holders(ofExisting: adopting.keys.map(\.key))
            missing.formUnion(holders.filter { known.insert($0).inserted })
        }
        let deleted = loaded.objects.filter { $0.value.entries.first?.kind == .deletion }
        if !deleted.isEmpty {
            let mentioning = try tables.mentioning(deleted.map(\.key.key))
            missing.formUnion(mentioning.filter { known.insert($0).inserted })
        }
        if !missing.isEmpty {
            let others = try tables.load(missing)
            loaded.objects.merge(others.objects) { first, _ in first }
            loaded.predecessors.merge(others.predecessors) { first, _ in first }
        }
        return loaded
    }
}
