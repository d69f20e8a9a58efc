// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import RestRows
package import RestTransport

/// The unsent edits of all objects, and the decisions about them.
///
/// It is a value without input and output: each function is one transaction of the outbox. The order is
/// 1. a save changes entries,
/// 2. ``ready(for:at:)`` names the objects whose turn it is,
/// 3. ``startSend(of:at:writing:)`` freezes the request, before a byte of it leaves,
/// 4. ``record(_:of:_:at:using:)`` takes the answer.
package struct OutboxQueue: Sendable {
    package let model: SentModel
    package let timing: OutboxTiming
    package let answers: AnswerTable
    package let policy: EditPolicy
    /// The policies of entities that have one of their own.
    package let policies: [String: EditPolicy]
    /// The edits by object.
    package private(set) var objects: [EditedObject: ObjectEdits] = [:]
    /// The principals whose credentials the server does not accept.
    package var unauthorized: Set<Principal?> = []
    /// The deletions that new objects with the same identity wait for.
    package private(set) var predecessors: [EditedObject: EditedObject] = [:]
    /// The number of the next entry or attempt.
    package private(set) var next: Int64 = 1
    /// The merges of edits with values of the server, in order.
    package private(set) var merges: [(object: EditedObject, merge: EditMerge)] = []
    /// The edits that continue as other objects, whose creator adds them.
    package private(set) var forks: [EditFork] = []

    package init(
        model: SentModel, timing: OutboxTiming = OutboxTiming(),
        answers: AnswerTable = AnswerTable(), policy: EditPolicy = .contextWins,
        policies: [String: EditPolicy] = [:]
    ) {
        self.policies = policies
        self.model = model
        self.timing = timing
        self.answers = answers
        self.policy = policy
    }

    /// Adds stored edits, from which the next numbers follow.
    package mutating func load(
        _ stored: [EditedObject: ObjectEdits], predecessors: [EditedObject: EditedObject],
        next: Int64
    ) {
        objects.merge(stored) { $1 }
        self.predecessors.merge(predecessors) { $1 }
        self.next = max(self.next, next)
    }

    private func policy(of object: EditedObject) -> EditPolicy {
        policies[object.entity] ?? policy
    }

    /// The number of entries.
    package var entryCount: Int { objects.values.reduce(0) { $0 + $1.entries.count } }

    /// Calls a closure with the edits of an object, and forgets them if nothing has to be remembered.
    mutating func update<Result>(
        _ object: EditedObject, _ body: (inout ObjectEdits, inout Int64) -> Result
    ) -> Result? {
        guard var edits = objects.removeValue(forKey: object) else { return nil }
        let result = body(&edits, &next)
        take(&edits.report, of: object)
        if edits.local != nil || !edits.isSettled { objects[object] = edits }
        return result
    }

    private mutating func take(_ report: inout EditReport, of object: EditedObject) {
        if report.isEmpty { return }
        merges += report.merges.map { (object, $0) }
        if let image = report.fork {
            forks.append(
                EditFork(object: object, image: image, principal: report.forkPrincipal))
        }
        report = EditReport()
    }

    // MARK: Saving

    /// Adds an object that the server has, so that edits of it can be noted.
    package mutating func add(
        _ object: EditedObject, _ image: ObjectImage, identity: StoredValue, version: StoredValue?
    ) {
        guard let entity = model.entities[object.entity] else { return }
        objects[object] = ObjectEdits(
            entity, local: image, identity: identity, version: version)
    }

    /// Notes a new object.
    ///
    /// - Parameters:
    ///   - object: The object.
    ///   - image: Its values.
    ///   - former: The deleted object with the same identity; `nil` if there is none.
    ///   - principal: The principal of the save.
    package mutating func insert(
        _ object: EditedObject, _ image: ObjectImage, replacing former: EditedObject? = nil,
        by principal: Principal?
    ) {
        guard let entity = model.entities[object.entity] else { return }
        if let former, let edits = objects[former], edits.local == nil {
            let isRevived = update(former) { $0.insert(image, by: principal, &$1) } ?? false
            if isRevived {
                // One object has one key, that of its row.
                objects[object] = objects.removeValue(forKey: former)
                return
            }
            if edits.awaitsDeletion { predecessors[object] = former }
        }
        var edits = ObjectEdits(entity, local: nil)
        _ = edits.insert(image, by: principal, &next)
        edits.quietUntil = former.flatMap { objects[$0]?.quietUntil }
        objects[object] = edits
    }

    /// Notes changed values of an object.
    package mutating func change(
        _ object: EditedObject, _ values: ObjectImage, by principal: Principal?
    ) {
        update(object) { $0.update(values, by: principal, &$1) }
    }

    /// Notes the deletion of an object.
    ///
    /// - Returns: The entries that are void, because the server will never have the object.
    @discardableResult package mutating func delete(
        _ object: EditedObject, by principal: Principal?
    ) -> [OutboxEntry] {
        let void = update(object) { $0.delete(by: principal, &$1) } ?? []
        if objects[object] == nil { forget(object) }
        return void
    }

    /// Removes an object that the server does not have any more, or never will, from what other entries keep.
    mutating func forget(_ object: EditedObject) {
        predecessors[object] = nil
        guard let kind = model.entities[object.entity] else { return }
        for other in objects.keys {
            update(other) { $0.removeReferences(to: object, of: kind, &$1) }
        }
    }

    // MARK: Sending

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
            case .conflict where entry.kind == .creation:
                // The condition was that no object has the identity.
                guard entry.attempt?.isUncertain == true else {
                    return edits.reopen(
                        .refused(.rejected(response.status)), longestLife: life, &next)
                }
                edits.accept(
                    OutboxAnswer.Response(status: 200, identity: response.identity),
                    longestLife: life, policy: policy, &next)
            case .conflict:
                let count = entry.conflictCount + 1
                let state: OutboxEntry.State =
                    count > timing.conflictLimit ? .conflicted : .reading
                let void = edits.reopen(state, longestLife: life, &next)
                edits.noteConflict(count: count)
                return void
            case .exists:
                guard entry.kind == .creation, let identity = response.identity else {
                    return edits.reopen(
                        .refused(.rejected(response.status)), longestLife: life, &next)
                }
                let void = edits.reopen(.reading, longestLife: life, &next)
                edits.noteExisting(identity)
                return void
            }
            return []
        }
        let isDeleted = entry.kind == .deletion && meaning == .accepted
        if isDeleted || void?.isEmpty == false { forget(object) }
        if isDeleted || objects[object] == nil {
            for (follower, former) in predecessors where former == object {
                let quiet = objects[former]?.quietUntil
                update(follower) { edits, _ in edits.quietUntil = quiet }
                predecessors[follower] = nil
            }
        }
        return void ?? []
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
        let end = attempt.lastSent.adding(life)
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

    /// Adds a command behind what was saved of an object.
    ///
    /// - Returns: The number of the entry; `nil` if the object is not known.
    package mutating func enqueue(
        _ command: OutboxCommand, of object: EditedObject, expires: Date?, by principal: Principal?
    ) -> Int64? {
        update(object) { $0.add(command, expires: expires, by: principal, &$1) }
    }

    /// Removes the entries that have not been sent in time, and returns them.
    package mutating func expire(at date: Date) -> [OutboxEntry] {
        var late: [OutboxEntry] = []
        for object in objects.keys {
            late += update(object) { edits, _ in edits.expire(at: date) } ?? []
        }
        return late
    }

    /// Sends the entries of a principal again, whose credentials are valid.
    package mutating func authorize(_ principal: Principal?) { unauthorized.remove(principal) }

    /// Parks the first entry of an object, whose request cannot be written.
    package mutating func refuse(_ object: EditedObject) {
        update(object) { edits, _ in edits.park(.refused(.invalid)) }
    }

    /// Postpones the reading of an object, after a transient failure.
    package mutating func postponeReading(
        _ object: EditedObject, at date: Date, using generator: inout some RandomNumberGenerator
    ) {
        let failures = (objects[object]?.entries.first?.failureCount ?? 0) + 1
        let time = timing.next(afterFailures: failures, at: date, using: &generator)
        update(object) { edits, _ in edits.postponeReading(until: time) }
    }

    /// Notes that an object need not be read, because the server does not tell it.
    package mutating func forgetReading(_ object: EditedObject) {
        update(object) { edits, _ in
            edits.needsReading = false
            if edits.entries.first?.state == .reading { edits.park(.conflicted) }
        }
    }

    /// Sends a parked entry again when its turn comes, because the user says so.
    package mutating func retry(_ object: EditedObject) {
        guard let entry = objects[object]?.entries.first, entry.state.isParked else { return }
        let life = timing.longestLife
        update(object) { edits, next in
            if entry.attempt != nil {
                edits.reopen(.waiting, longestLife: life, &next)
            } else {
                edits.noteConflict(count: 0)
                // An object that the server has is not created a second time.
                edits.park(entry.existing == nil ? .waiting : .reading)
            }
        }
    }

    /// Changes what the first entry of an object sends, if it is parked, and lets it wait for its turn again.
    ///
    /// A save changes an open entry; this also changes one that a save under another principal has closed.
    package mutating func amend(_ object: EditedObject, _ values: ObjectImage) {
        guard let entry = objects[object]?.entries.first, entry.attempt == nil else { return }
        if !entry.isClosed { return change(object, values, by: entry.principal) }
        update(object) { $0.amend(values, &$1) }
    }

    // MARK: Reading

    /// Takes what a response says of an object.
    package mutating func take(_ image: ObjectImage, of object: EditedObject, version: StoredValue?)
    {
        let isKnown = objects[object]?.entries.first?.existing != nil
        let policy = policy(of: object)
        if let identity = objects[object]?.entries.first?.existing,
            match(existing: image, with: identity, of: object)
        {
            return
        }
        update(object) { edits, next in
            if let entry = edits.entries.first, let identity = entry.existing {
                edits.adopt(identity, image, version: version, &next)
            } else {
                edits.take(image, version: version, policy: policy, &next)
            }
        }
        // Both entries of a deleted new object have ended, and the server has none of it.
        if isKnown, objects[object] == nil { forget(object) }
    }

    /// Notes that a response has an older image of an object than the store shows.
    package mutating func ignoreImage(of object: EditedObject) {
        update(object) { edits, _ in edits.needsReading = true }
    }

    /// Takes that the server does not have an object any more.
    package mutating func takeAbsence(of object: EditedObject) {
        let (life, policy) = (timing.longestLife, policy(of: object))
        let limit = timing.conflictLimit
        update(object) { edits, next in
            guard let entry = edits.entries.first, entry.attempt == nil else { return }
            switch entry.kind {
            case .deletion:
                edits.accept(
                    OutboxAnswer.Response(status: 404), longestLife: life, policy: policy, &next)
            case .update, .command: edits.park(.refused(.gone))
            case .creation: edits.forgetExisting(conflictLimit: limit)
            }
        }
    }

    /// Forgets until when earlier requests could be executed, if the time has passed.
    package mutating func forgetEndedRequests(at date: Date) {
        for (object, edits) in objects {
            guard let quiet = edits.quietUntil, quiet <= date else { continue }
            update(object) { edits, _ in edits.quietUntil = nil }
        }
    }

    // MARK: Restarting

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

    fileprivate mutating func postponeReading(until date: Date) {
        if entries.isEmpty {
            quietUntil = max(quietUntil ?? date, date)
        } else {
            entries[0].notBefore = date
            entries[0].failureCount += 1
        }
    }

    fileprivate mutating func noteConflict(count: Int) {
        if !entries.isEmpty { entries[0].conflictCount = count }
    }

    fileprivate mutating func boundTimes(_ bound: (Date) -> Date) {
        if !entries.isEmpty { entries[0].notBefore = bound(entries[0].notBefore) }
        quietUntil = quietUntil.map(bound)
    }
}
