// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestRows

/// The result of discarding an entry of an object.
enum Discarding {
    /// The entries have ended.
    case ended([OutboxEntry])
    /// The request of the entry may be executed, so that the entry ends with it; the entries behind it have ended.
    case abandoned([OutboxEntry])
}

extension ObjectEdits {
    /// Returns the values that discarding an entry restores.
    func restoredValues(discarding index: Int) -> ObjectImage {
        let before = left(before: index)
        switch entries[index].kind {
        case .creation, .command: return [:]
        case .deletion: return entries[index].values.merging(before) { $1 }
        case .update:
            let later = carried(after: index)
            var restored: ObjectImage = [:]
            for property in values(at: index).keys where !later.contains(property) {
                if let value = before[property] { restored[property] = value }
            }
            return restored
        }
    }

    /// Discards an entry.
    ///
    /// Its properties get the values that the entries before it leave, unless a later one carries them. A new
    /// object is discarded with all entries of it; the deletion of an object, so that it is as before. An entry
    /// whose request may be executed is abandoned.
    ///
    /// - Parameters:
    ///   - index: The index of the entry.
    ///   - date: The current time.
    ///   - longestLife: The longest time after which a request may still be executed.
    ///   - next: The number of the next entry.
    /// - Returns: The entries that have ended; `nil` if the deletion may be executed, or is not the last entry.
    mutating func discard(
        _ index: Int, at date: Date, longestLife: Duration, _ next: inout Int64
    ) -> Discarding? {
        let entry = entries[index]
        let isRunning = mayRun(entry, at: date, longestLife)
        if entry.kind == .deletion, isRunning || index != entries.indices.last { return nil }
        if entry.state == .abandoned { return .abandoned([]) }
        let restored = restoredValues(discarding: index)
        var ended = [entry]
        if entry.kind == .creation {
            ended = entries
            (local, base, unknown, cleared) = (nil, [:], [], [:])
            entries.removeSubrange((index + 1)...)
        } else if entry.kind == .deletion {
            local = restored
            cleared = [:]
            if !unknown.isEmpty { needsReading = true }
        } else {
            if isRunning || entry.attempt?.isUncertain == true { keepLaterDecisions(than: index) }
            takeMembersBack(ofEntry: index)
            for (property, value) in restored {
                local?[property] = value
                if let deletionIndex { entries[deletionIndex].values[property] = value }
            }
            follow(Set(restored.keys), before: index)
        }
        if isRunning {
            entries[index].state = .abandoned
            entries[index].notBefore = (entry.attempt?.lastSent ?? date).adding(longestLife)
            ended.removeAll { $0.sequence == entry.sequence }
        } else {
            if entry.attempt?.isUncertain == true, entry.kind == .update { needsReading = true }
            entries.remove(at: index)
        }
        removeEmptyEntries()
        reconcile(by: entry.principal, &next)
        return isRunning ? .abandoned(ended) : .ended(ended)
    }

    /// Discards the edits of properties that no entry before one sends, and whose base is not known.
    mutating func follow(_ properties: Set<String>, before index: Int) {
        let earlier = entries[..<index].filter { $0.state != .abandoned }
        let followed = unknown.intersection(properties).filter { property in
            !earlier.contains { $0.values[property] != nil }
        }
        if followed.isEmpty { return }
        unknown.subtract(followed)
        needsReading = true
    }

    /// Keeps what later entries change of the properties of an entry whose request may have had its effect, also if
    /// they lead back to what the server had before.
    private mutating func keepLaterDecisions(than index: Int) {
        let (before, later) = (left(before: index), carried(after: index))
        for (property, value) in values(at: index) where later.contains(property) {
            guard entity.members[property] != nil else {
                unknown.insert(property)
                continue
            }
            guard let former = before[property].flatMap(MemberSet.init)?.keys,
                let sent = MemberSet(value)?.keys, let known = base[property],
                var members = MemberSet(known),
                let shown = local?[property].flatMap(MemberSet.init)?.keys
            else { continue }
            for key in former.symmetricDifference(sent)
            where shown.contains(key) != sent.contains(key) {
                if sent.contains(key) { members.keys.insert(key) } else { members.keys.remove(key) }
            }
            base[property] = members.stored
        }
    }

    /// Undoes the changes of members of an entry in what later entries send and in what is shown.
    ///
    /// The changes of later entries stay.
    private mutating func takeMembersBack(ofEntry index: Int) {
        if entity.members.isEmpty { return }
        let (before, values) = (left(before: index), values(at: index))
        for property in entity.members.keys {
            guard let former = before[property], let value = values[property] else { continue }
            func undone(_ later: StoredValue) -> StoredValue {
                MemberSet.merging(base: value, mine: later, theirs: former) ?? later
            }
            for later in entries.indices where later > index && entries[later].attempt == nil {
                if !entries[later].isClosed, entries[later].kind != .deletion { continue }
                if let sent = entries[later].values[property] {
                    entries[later].values[property] = undone(sent)
                }
            }
            if let shown = local?[property] { local?[property] = undone(shown) }
        }
    }

    /// Removes the closed updates that change only members, and none any more.
    private mutating func removeEmptyEntries() {
        for index in entries.indices.reversed() {
            let entry = entries[index]
            guard entry.kind == .update, entry.isClosed, entry.attempt == nil else { continue }
            let before = left(before: index)
            let hasChange = entry.values.contains { property, value in
                entity.members[property] == nil || before[property] != value
            }
            if !hasChange { entries.remove(at: index) }
        }
    }

    /// Returns a Boolean value that indicates whether the request of an entry may still be executed.
    private func mayRun(_ entry: OutboxEntry, at date: Date, _ longestLife: Duration) -> Bool {
        guard let attempt = entry.attempt else { return false }
        if entry.state == .sending { return true }
        return attempt.isUncertain && attempt.lastSent.adding(longestLife) > date
    }

    /// Forgets an entry without undoing it.
    mutating func drop(_ sequence: Int64, _ next: inout Int64) {
        let principal = entries.last?.principal
        entries.removeAll { $0.sequence == sequence }
        guard entries.isEmpty else { return reconcile(by: principal, &next) }
        (base, unknown, cleared) = ([:], [], [:])
        needsReading = local != nil && identity != nil
        (quietUntil, revivalEnd) = (nil, nil)
    }

    /// Shows values that are no edits of the user.
    mutating func show(_ values: ObjectImage, _ next: inout Int64) {
        local?.merge(values) { $1 }
        reconcile(by: entries.last?.principal, &next)
    }

    /// Takes references to an object back in the entries that were not sent.
    mutating func revert(
        _ properties: Set<String>, from key: StoredValue, _ next: inout Int64
    ) {
        let principal = entries.last?.principal
        for index in entries.indices
        where entries[index].kind == .update && entries[index].attempt == nil {
            for property in properties where entries[index].values[property] == key {
                entries[index].values[property] = nil
            }
        }
        entries.removeAll {
            $0.kind == .update && $0.isClosed && $0.attempt == nil && $0.values.isEmpty
        }
        let index = openIndex ?? entries.count
        let before = left(before: index)
        for property in properties {
            if let value = before[property] { local?[property] = value }
        }
        follow(properties, before: index)
        reconcile(by: principal, &next)
    }

    /// Ends an abandoned entry whose request has had no effect, or can have none any more.
    mutating func endAbandoned(_ longestLife: Duration, _ next: inout Int64) {
        guard let entry = entries.first, entry.state == .abandoned else { return }
        entries.removeFirst()
        needsReading = local != nil && identity != nil
        reconcile(by: entries.last?.principal ?? entry.principal, &next)
    }

    /// Takes the end of a send whose entry was discarded meanwhile.
    mutating func recordAbandoned(
        _ answer: OutboxAnswer, meaning: AnswerMeaning?, longestLife: Duration, policy: EditPolicy,
        _ next: inout Int64
    ) {
        switch (answer, meaning) {
        case (.unsent, _): endAbandoned(longestLife, &next)
        case (.lost, _), (.response, .uncertain): entries[0].attempt?.noteUncertainty()
        case (.response(let response), .accepted):
            // What the entry has named may be deleted meanwhile; the object is read.
            entries[0].values = entries[0].values.filter {
                entity.references[$0.key] == nil && entity.members[$0.key] == nil
            }
            accept(response, longestLife: longestLife, policy: policy, &next)
            needsReading = local != nil && identity != nil
        case (.response, _): endAbandoned(longestLife, &next)
        }
    }
}

extension ObjectEdits {
    /// The keys of the objects that values of the object or of its entries mention.
    package var mentionedKeys: Set<Int64> {
        var keys = Set(cleared.values)
        for image in [local ?? [:], base] + entries.map(\.values) {
            for property in entity.references.keys {
                if case .integer(let key) = image[property] { keys.insert(key) }
            }
            for property in entity.members.keys {
                if let members = image[property].flatMap(MemberSet.init) {
                    keys.formUnion(members.keys)
                }
            }
        }
        return keys
    }
}
