// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestOutbox
import RestPersistence
import RestTransport

/// The next steps of a sender.
struct OutboxPlan: Sendable {
    struct Step: Sendable {
        let object: EditedObject
        let kind: OutboxQueue.Step
        /// The number of the save whose edits the step sends; `nil` for other steps.
        let save: Int64?
    }

    /// The steps of the objects whose turn it is.
    private(set) var steps: [Step] = []
    /// The time at which the next object can be ready; `nil` if none is known.
    private(set) var next: Date?

    /// The maximum number of objects that are read for a plan.
    private static let objectLimit = 4_096

    init(
        _ tables: OutboxTables, _ rules: OutboxRules, _ principal: Principal?,
        _ unauthorized: Set<Principal?>, at date: Date
    ) throws(PersistenceError) {
        var queue = try Self.queue(
            tables, rules, of: try tables.oldestKeys(limit: Self.objectLimit))
        queue.unauthorized = unauthorized
        steps = queue.ready(for: principal, at: date).map { object, kind in
            let entry = queue.objects[object]?.entries.first
            return Step(
                object: object, kind: kind, save: kind == .send ? entry?.save : nil)
        }
        for (object, edits) in queue.objects.sorted(by: { $0.key.key < $1.key.key }) {
            if edits.entries.isEmpty, edits.needsReading, edits.quietUntil ?? date <= date {
                steps.append(Step(object: object, kind: .read, save: nil))
            }
            let waiting = edits.entries.first.map { $0.state.isParked ? nil : $0.notBefore } ?? nil
            for time in [waiting, edits.quietUntil, edits.revivalEnd] {
                guard let time, time > date else { continue }
                next = min(next ?? time, time)
            }
        }
        try postponeReads(tables, rules.timing, at: date)
    }

    /// Postpones the reads of objects that a replica of the server may not have as they were written.
    private mutating func postponeReads(
        _ tables: OutboxTables, _ timing: OutboxTiming, at date: Date
    ) throws(PersistenceError) {
        guard steps.contains(where: { $0.kind == .read }) else { return }
        let ends = try tables.lagEnds(timing, at: date)
        if ends.isEmpty { return }
        for step in steps where step.kind == .read {
            if let end = ends[step.object.key] { next = min(next ?? end, end) }
        }
        steps.removeAll { $0.kind == .read && ends[$0.object.key] != nil }
    }

    /// Returns the edits of some objects, and of those to which they refer.
    static func queue(
        _ tables: OutboxTables, _ rules: OutboxRules, of keys: [Int64]
    ) throws(PersistenceError) -> OutboxQueue {
        var loaded = try tables.load(keys)
        var known = Set(keys)
        var missing: Set<Int64> = []
        for edits in loaded.objects.values {
            guard !edits.entries.isEmpty else { continue }
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
        let holders = try tables.holders(ofExisting: adopting.keys.map(\.key))
        missing.formUnion(holders.filter { known.insert($0).inserted })
        let deleted = loaded.objects.filter { $0.value.entries.first?.kind == .deletion }
        let mentioning = try tables.mentioning(deleted.map(\.key.key))
        missing.formUnion(mentioning.filter { known.insert($0).inserted })
        if !missing.isEmpty {
            let others = try tables.load(missing)
            loaded.objects.merge(others.objects) { first, _ in first }
            loaded.predecessors.merge(others.predecessors) { first, _ in first }
        }
        return rules.queue(loaded, next: try tables.next)
    }
}
