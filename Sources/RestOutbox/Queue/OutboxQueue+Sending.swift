// SPDX-License-Identifier: Apache-2.0

package import Foundation
import RestRows

/// The sends of requests, and their ends.
extension OutboxQueue {
    /// Freezes the request of an object's first entry, or counts another send of it.
    ///
    /// - Parameters:
    ///   - object: An object that is ready.
    ///   - date: The current time.
    ///   - write: A closure that writes the request.
    /// - Returns: The attempt; `nil` if the entry must not be sent, as its state then says.
    package mutating func startSend(
        of object: EditedObject, at date: Date, writing write: (RequestDraft) -> FrozenRequest
    ) -> OutboxAttempt? {
        let draft = draft(of: object)
        let longestLife = timing.longestLife
        return update(object) { edits, next -> OutboxAttempt? in
            guard let entry = edits.entries.first else { return nil }
            if let attempt = entry.attempt {
                if let remedy = entry.remedy(in: edits.entity),
                    !remedy.allowsResend(attempt, at: date, longestLife: longestLife)
                {
                    edits.park(.uncertain)
                    return nil
                }
                edits.noteSend(at: date)
            } else if [.update, .deletion].contains(entry.kind), edits.entity.isConditional,
                edits.version == nil
            {
                edits.park(.reading)
                return nil
            } else if let draft {
                edits.begin(write(draft), sending: draft.rows, at: date, &next)
            }
            return edits.entries.first?.attempt
        } ?? nil
    }

    /// Takes the end of a send.
    ///
    /// It counts if the entry still has the attempt, whoever has sent it and whatever was assumed since. The
    /// success of a creation counts even if the attempt was given up.
    ///
    /// - Returns: The entries that are void.
    @discardableResult package mutating func record(
        _ answer: OutboxAnswer, of object: EditedObject, attempt number: Int64, at date: Date,
        using generator: inout some RandomNumberGenerator
    ) -> [OutboxEntry] {
        guard let entry = objects[object]?.entries.first else { return [] }
        guard entry.attempt?.number == number else {
            recordLate(answer, of: object, entry)
            return []
        }
        if entry.state == .abandoned {
            recordAbandoned(answer, of: object, entry.kind)
            return []
        }
        if let ended = endUnqueued(entry, after: answer, of: object) { return ended }
        let failures = entry.failureCount + 1
        switch answer {
        case .unsent:
            let time = timing.next(afterFailures: failures, at: date, using: &generator)
            update(object) { edits, _ in edits.postpone(until: time) }
        case .lost:
            let time = timing.next(afterFailures: failures, at: date, using: &generator)
            update(object) { edits, _ in edits.noteUncertainty(until: time) }
        case .response(let response):
            let time = timing.next(
                afterFailures: failures, imposed: response.imposedDelay, at: date,
                using: &generator)
            return record(response, of: object, entry, retryingAt: time)
        }
        return []
    }

    private mutating func recordLate(
        _ answer: OutboxAnswer, of object: EditedObject, _ entry: OutboxEntry
    ) {
        guard case .response(let response) = answer, entry.kind == .creation, entry.mayExist,
            entry.attempt == nil,
            answers.meaning(of: response, to: .creation, of: object.entity) == .accepted,
            let identity = response.identity
        else { return }
        update(object) { edits, next in
            edits.adopt(
                identity, response.image ?? [:], version: response.version, isOwn: true, &next)
        }
    }

    private mutating func record(
        _ response: OutboxAnswer.Response, of object: EditedObject, _ entry: OutboxEntry,
        retryingAt time: Date
    ) -> [OutboxEntry] {
        let (timing, policy) = (timing, policy(of: object))
        let life = timing.longestLife
        let meaning = answers.meaning(
            of: response, to: entry.answeredKind, of: object.entity)
        if meaning == .unauthorized { unauthorized.insert(entry.principal) }
        let void = update(object) { edits, next -> [OutboxEntry] in
            switch meaning {
            case .accepted where edits.lacksIdentity(after: response):
                // The server has created an object and does not say which one.
                edits.noteUncertainty(until: time)
                if edits.entries[0].state == .waiting { edits.park(.uncertain) }
            case .accepted:
                edits.accept(response, longestLife: life, policy: policy, &next)
            case .refused:
                return edits.reopen(
                    .refused(.rejected(response.status)), longestLife: life, &next)
            case .gone: return edits.reopen(.refused(.gone), longestLife: life, &next)
            case .keyReused: return edits.reopen(.refused(.keyReused), longestLife: life, &next)
            case .unauthorized: edits.postpone(until: .distantPast, countsFailure: false)
            case .postponed, .inProgress: edits.postpone(until: time)
            case .uncertain: edits.noteUncertainty(until: time)
            case .conflict where entry.kind == .creation && entry.attempt?.isUncertain == true:
                // The condition was that no object has the identity, which an earlier send has given to one.
                edits.accept(
                    OutboxAnswer.Response(status: 200, identity: response.identity),
                    longestLife: life, policy: policy, &next)
            case .exists where entry.kind == .creation, .conflict where entry.kind == .creation:
                guard let identity = response.identity else {
                    return edits.reopen(
                        .refused(.rejected(response.status)), longestLife: life, &next)
                }
                let void = edits.reopen(.reading, longestLife: life, &next)
                edits.noteExisting(identity)
                return void
            case .conflict:
                let count = entry.conflictCount + 1
                let state: OutboxEntry.State =
                    count > timing.conflictLimit ? .conflicted : .reading
                let void = edits.reopen(state, longestLife: life, &next)
                edits.noteConflict(count: count)
                return void
            case .exists:
                return edits.reopen(
                    .refused(.rejected(response.status)), longestLife: life, &next)
            }
            return []
        }
        let isDeleted = entry.kind == .deletion && meaning == .accepted
        if isDeleted || objects[object] == nil { releaseFollowers(of: object) }
        return void ?? []
    }

    /// Ends the wait of new objects for a deleted one with their identity; that for its earlier requests stays.
    mutating func releaseFollowers(of object: EditedObject) {
        for (follower, former) in predecessors where former == object {
            let quiet = objects[former]?.quietUntil
            update(follower) { edits, _ in edits.quietUntil = quiet }
            predecessors[follower] = nil
        }
    }

    /// Takes the result of a search for the effect of an uncertain creation.
    ///
    /// A search that has begun when a send could still be executed is no proof that it was not.
    ///
    /// - Parameters:
    ///   - found: The object that the server has; `nil` if it has none.
    ///   - object: The object.
    ///   - began: The time at which the search began.
    ///   - date: The current time.
    ///   - generator: The source of the jitter.
    package mutating func record(
        probe found: OutboxAnswer.Response?, of object: EditedObject, beganAt began: Date,
        at date: Date, using generator: inout some RandomNumberGenerator
    ) {
        guard let edits = objects[object], let entry = edits.entries.first,
            case .probing(let negative) = entry.state, let attempt = entry.attempt,
            case .recognized(let count) = edits.entity.creation
        else { return }
        let (life, policy) = (timing.longestLife, policy(of: object))
        // A replica that lags behind does not have the object yet.
        let end = attempt.lastSent.adding(life + timing.replicaLag)
        let delayed = timing.next(afterFailures: negative + 1, at: date, using: &generator)
        update(object) { edits, next in
            if let found, found.image != nil || edits.local == nil {
                edits.accept(found, longestLife: life, policy: policy, &next)
            } else if let identity = found?.identity {
                edits.reopen(.reading, longestLife: life, &next)
                edits.noteExisting(identity)
            } else if began >= end {
                edits.postpone(until: date, countsFailure: false)
            } else {
                edits.postpone(until: negative + 1 < count ? min(delayed, end) : end)
                edits.park(.probing(negative: negative + 1))
            }
        }
    }

    /// Continues after the end of the process: a send in progress has no answer.
    package mutating func restart(
        at date: Date, using generator: inout some RandomNumberGenerator
    ) {
        for object in objects.keys.sorted(by: { ($0.entity, $0.key) < ($1.entity, $1.key) }) {
            guard let entry = objects[object]?.entries.first else { continue }
            if entry.state == .sending {
                record(
                    .lost, of: object, attempt: entry.attempt?.number ?? 0, at: date,
                    using: &generator)
            }
            let timing = timing
            update(object) { edits, _ in edits.boundTimes { timing.bounded($0, at: date) } }
        }
    }
}

extension ObjectEdits {
    mutating func park(_ state: OutboxEntry.State) {
        if !entries.isEmpty { entries[0].state = state }
    }

    mutating func postponeReading(until date: Date) {
        if entries.isEmpty {
            quietUntil = max(quietUntil ?? date, date)
        } else {
            entries[0].notBefore = date
            entries[0].failureCount += 1
        }
    }

    /// Returns a Boolean value that indicates whether the answer to a creation leaves the object without an identity.
    fileprivate func lacksIdentity(after response: OutboxAnswer.Response) -> Bool {
        entries.first?.kind == .creation && identity == nil && response.identity == nil
            && entity.creation != .clientIdentity
    }

    mutating func noteConflict(count: Int) {
        if !entries.isEmpty { entries[0].conflictCount = count }
    }

    fileprivate mutating func boundTimes(_ bound: (Date) -> Date) {
        if !entries.isEmpty { entries[0].notBefore = bound(entries[0].notBefore) }
        quietUntil = quietUntil.map(bound)
        revivalEnd = revivalEnd.map(bound)
    }
}
