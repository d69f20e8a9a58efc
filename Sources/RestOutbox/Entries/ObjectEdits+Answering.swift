// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestRows

extension ObjectEdits {
    // MARK: Sending

    /// Begins an attempt of the first entry, which is closed by it, with the values that it sends; others follow
    /// in another request.
    mutating func begin(
        _ request: FrozenRequest, sending sent: ObjectImage, at date: Date, _ next: inout Int64
    ) {
        let principal = entries[0].principal
        let values = values(at: 0)
        entries[0].isClosed = true
        if version == Self.justRead { version = nil }
        entries[0].values = entries[0].kind == .deletion ? values : sent
        entries[0].attempt = OutboxAttempt(request, number: next, at: date)
        next += 1
        entries[0].state = .sending
        reconcile(by: principal, isRemainder: true, &next)
    }

    /// Notes that the attempt of the first entry is sent again.
    mutating func noteSend(at date: Date) {
        entries[0].attempt?.noteSend(at: date)
        entries[0].state = .sending
    }

    /// Keeps the attempt of the first entry for another send.
    mutating func postpone(until date: Date, countsFailure: Bool = true) {
        entries[0].state = .waiting
        entries[0].notBefore = date
        if countsFailure { entries[0].failureCount += 1 }
    }

    /// Notes that the last send may have had its effect.
    mutating func noteUncertainty(until date: Date) {
        entries[0].attempt?.noteUncertainty()
        postpone(until: date)
        if let remedy = entries[0].remedy(in: entity) {
            entries[0].state = remedy.stateAfterUncertainty()
        }
    }

    // MARK: Success

    /// Ends the first entry, whose request had its effect.
    mutating func accept(
        _ response: OutboxAnswer.Response, longestLife: Duration, policy: EditPolicy,
        _ next: inout Int64
    ) {
        let entry = entries[0]
        noteEnd(of: entry, longestLife)
        let later = carried(after: 0)
        entries.removeFirst()
        if entry.kind == .deletion {
            (base, unknown, needsReading) = ([:], [], false)
            return
        }
        identity = response.identity ?? identity
        // A command need not answer with the object.
        if entry.kind != .command || response.image != nil { version = response.version }
        let image = response.image.map(entity.synchronized)
        if image == nil, !entry.isMemberRequest(in: entity) { needsReading = true }
        for (property, sent) in entry.values {
            let value = image?[property] ?? sent
            unknown.remove(property)
            if entity.members[property] != nil {
                acceptMembers(property, sent: sent, value, isLater: later.contains(property))
            } else if later.contains(property) {
                base[property] = known(value, of: property, besides: sent)
                // The server may have changed what was sent.
                if image?[property] == nil { unknown.insert(property) }
            } else {
                base[property] = nil
                local?[property] = value
            }
            if let deletion = deletionIndex {
                entries[deletion].values[property] = known(value, of: property, besides: sent)
            }
        }
        merge((image ?? [:]).filter { entry.values[$0.key] == nil }, policy, &next)
        reconcile(by: entries.last?.principal ?? entry.principal, &next)
    }

    /// Takes the members that the server has after a request.
    ///
    /// Other clients have added the members that were not sent. What was saved since gets them as well.
    private mutating func acceptMembers(
        _ property: String, sent: StoredValue, _ value: StoredValue, isLater: Bool
    ) {
        func merged(_ mine: StoredValue) -> StoredValue {
            MemberSet.merging(base: sent, mine: mine, theirs: value) ?? mine
        }
        for index in entries.indices where entries[index].isClosed && entries[index].attempt == nil
        {
            if let mine = entries[index].values[property] {
                entries[index].values[property] = merged(mine)
            }
        }
        if let mine = local?[property] { local?[property] = merged(mine) }
        base[property] = isLater ? value : nil
    }

    var deletionIndex: Int? { entries.lastIndex { $0.kind == .deletion } }

    // MARK: Failure

    /// Removes the attempt of the first entry, so that saves change it again.
    ///
    /// It is joined with the entry behind it. Of an unanswered send, it is not known what the server has.
    ///
    /// - Returns: The entries that are void, because the server will never have the object.
    @discardableResult mutating func reopen(
        _ state: OutboxEntry.State, longestLife: Duration, _ next: inout Int64
    ) -> [OutboxEntry] {
        let entry = entries[0]
        noteEnd(of: entry, longestLife)
        let isUncertain = entry.attempt?.isUncertain ?? false
        entries[0].attempt = nil
        entries[0].state = state
        entries[0].failureCount = 0
        entries[0].notBefore = .distantPast
        if isUncertain {
            switch entry.kind {
            case .creation: entries[0].mayExist = true
            case .update: unknown.formUnion(entry.values.keys)
            case .deletion, .command: break
            }
        }
        if entry.kind == .command { return [] }
        let principal = entry.principal
        if entries.count > 1 {
            guard entries.count == 2, entries[1].isOpen, entries[1].principal == principal else {
                return []
            }
            let later = entries[1]
            if later.kind == .deletion, entry.kind == .creation {
                if entries[0].mayExist { return [] }
                defer { (entries, base, unknown) = ([], [:], []) }
                return entries
            }
            entries.removeLast()
            if state.isParked, !later.isRemainder { entries[0].state = .waiting }
            if later.kind == .deletion {
                // The deletion replaces the edits, and its values are those that the server has.
                var deletion = later
                deletion.values.merge(base.filter { entry.values[$0.key] != nil }) { $1 }
                entries = [deletion]
                reconcile(by: principal, &next)
                return []
            }
        }
        entries[0].isClosed = false
        if entries[0].kind != .deletion { entries[0].values = [:] }
        reconcile(by: principal, &next)
        return []
    }

    /// Notes until when a late execution of the attempt would undo later requests.
    ///
    /// The server recognizes a late request by its key or its condition. It executes one whose condition is
    /// that no object exists, once the object is deleted.
    private mutating func noteEnd(of entry: OutboxEntry, _ longestLife: Duration) {
        guard let attempt = entry.attempt, let end = attempt.end(ofLife: longestLife) else {
            return
        }
        if attempt.request.idempotencyKey != nil { return }
        if !attempt.request.isConditional {
            quietUntil = max(quietUntil ?? end, end)
        } else if entry.kind == .creation {
            revivalEnd = max(revivalEnd ?? end, end)
        }
    }
}
