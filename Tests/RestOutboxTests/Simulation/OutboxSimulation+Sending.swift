// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestOutbox
import RestRows
import RestTesting
import RestTransport

/// The sender of the client, and the network.
extension OutboxSimulation {
    /// The fate of a send.
    enum Fate: CaseIterable {
        case answered
        case slowlyAnswered
        case connectionRefused
        case requestLost
        case answerLost
        case executedLate
        case failedBefore
        case failedAfter
        case unauthorized
        case limited
        case crashBeforeSend
        case crashBeforeRecord
    }

    struct Flight {
        let object: EditedObject
        let attempt: Int64
        let answer: OutboxAnswer
    }

    struct LateRequest {
        let request: FrozenRequest
        let date: Date
    }

    mutating func pump() {
        let ready = queue.ready(for: principal, at: now)
        if ready.isEmpty { return }
        let (object, step) = ready[isHealed ? 0 : random.next(below: ready.count)]
        switch step {
        case .read: read(object)
        case .probe: probe(object)
        case .send: send(object)
        }
        takeForks()
    }

    private mutating func probe(_ object: EditedObject) {
        let code = queue.objects[object]?.entries.first?.values["code"]
        let found = server.objects.values.first { $0.values["code"] == code }
        let answer = found.map {
            OutboxAnswer.Response(
                status: 200, image: image($0.values), identity: .integer($0.id),
                version: .integer($0.version))
        }
        log.append("probe \(object.key): \(found?.id ?? 0)")
        queue.record(probe: answer, of: object, beganAt: now, at: now, using: &random)
    }

    // MARK: Requests

    private mutating func write(_ draft: RequestDraft) -> FrozenRequest? {
        var fields = ["marker": "\(draft.object.key)", "sequence": "\(draft.sequence)"]
        if case .integer(let version) = draft.version { fields["version"] = "\(version)" }
        let path = draft.object.entity
        if draft.kind == .creation { return writeCreation(draft, fields) }
        guard case .integer(let id) = draft.identity else {
            note("\(draft.kind) of \(draft.object.key) without an identity")
            return nil
        }
        switch draft.kind {
        case .creation: return nil
        case .update:
            if let member = draft.member {
                guard let other = identity(ofMember: member.key) else { return nil }
                fields["version"] = nil
                return FrozenRequest(
                    method: member.isAdded ? "PUT" : "DELETE", path: "\(path)/\(id)/tags/\(other)",
                    fields: fields)
            }
            return FrozenRequest(
                method: "PATCH", path: "\(path)/\(id)", fields: fields,
                body: body(draft.values), isConditional: draft.version != nil)
        case .deletion:
            return FrozenRequest(
                method: "DELETE", path: "\(path)/\(id)", fields: fields,
                isConditional: draft.version != nil)
        case .command:
            let command = queue.objects[draft.object]?.entries.first?.command
            let key = command?.remedy == .atMostOnce ? nil : "key-\(random.next())"
            return FrozenRequest(
                method: "POST", path: "\(path)/\(id)/run", fields: fields, idempotencyKey: key)
        }
    }

    private mutating func writeCreation(
        _ draft: RequestDraft, _ fields: [String: String]
    ) -> FrozenRequest {
        var (method, place) = ("POST", draft.object.entity)
        var key: String?
        switch queue.model.entities[place]?.creation {
        case .idempotencyKey: key = "key-\(random.next())"
        case .clientIdentity:
            let id = clientIdentities[draft.object.key] ?? draft.object.key
            (method, place) = ("PUT", "\(place)/\(id)")
        default: break
        }
        return FrozenRequest(
            method: method, path: place, fields: fields, body: body(draft.values),
            idempotencyKey: key, isConditional: method == "PUT")
    }

    private mutating func body(_ values: ObjectImage) -> Data {
        var values = values
        if let tags = values["tags"].flatMap(MemberSet.init) {
            values["tags"] =
                MemberSet(tags.keys.sorted().compactMap { identity(ofMember: $0) }).stored
        }
        return SimulatedBody.data(values)
    }

    private mutating func identity(ofMember key: Int64) -> Int64? {
        let object = EditedObject(entity: entities[key] ?? "", key: key)
        if case .integer(let id) = queue.objects[object]?.identity { return id }
        if let id = identities[key] { return id }
        note("a request names \(key), which has no identity")
        return nil
    }

    // MARK: Sends

    private mutating func send(_ object: EditedObject) {
        let sender = principal
        var request: FrozenRequest?
        if let draft = queue.draft(of: object) {
            request = write(draft)
            if request == nil { return }
        }
        let attempt = queue.startSend(of: object, at: now) { _ in
            request ?? FrozenRequest(method: "", path: "none")
        }
        guard let attempt, let entry = queue.objects[object]?.entries.first else { return }
        if entry.principal != sender { note("sent under another principal") }
        if attempt.sendCount == 1, let expires = entry.expires, expires <= now {
            note("\(object.key): a command is sent too late")
        }
        noteForeignValues(of: object, entry)
        let fate = isHealed ? .answered : Fate.allCases[random.next(below: Fate.allCases.count)]
        log.append(
            "send \(attempt.request.method) \(attempt.request.path) of \(object.key) "
                + "\(String(decoding: attempt.request.body, as: UTF8.self)): \(fate)")
        perform(fate, Flight(object: object, attempt: attempt.number, answer: .lost), attempt)
        if fate == .unauthorized { queue.authorize(sender) }
    }

    private mutating func perform(_ fate: Fate, _ flight: Flight, _ attempt: OutboxAttempt) {
        let request = attempt.request
        func end(_ answer: OutboxAnswer) -> Flight {
            Flight(object: flight.object, attempt: flight.attempt, answer: answer)
        }
        switch fate {
        case .answered: record(end(.response(server.execute(request, at: now))))
        case .slowlyAnswered: flights.append(end(.response(server.execute(request, at: now))))
        case .connectionRefused: record(end(.unsent))
        case .requestLost: record(end(.lost))
        case .answerLost:
            _ = server.execute(request, at: now)
            record(end(.lost))
        case .executedLate:
            let life = Double(random.next(below: 299)) + 0.5
            late.append(LateRequest(request: request, date: now.addingTimeInterval(life)))
            record(end(.lost))
        case .failedBefore: record(end(.response(.init(status: 503))))
        case .failedAfter:
            _ = server.execute(request, at: now)
            record(end(.response(.init(status: 500))))
        case .unauthorized: record(end(.response(.init(status: 401))))
        case .limited:
            record(end(.response(.init(status: 429, imposedDelay: .seconds(30)))))
        case .crashBeforeSend: restart()
        case .crashBeforeRecord:
            _ = server.execute(request, at: now)
            restart()
        }
    }

    mutating func deliver() {
        if flights.isEmpty { return }
        record(flights.remove(at: random.next(below: flights.count)))
    }

    private mutating func record(_ flight: Flight) {
        let before = queue.objects[flight.object]?.entries.first
        var answer = flight.answer
        if case .response(var response) = answer {
            // Its references are those to the rows of this time.
            response.image = response.image.map(image)
            answer = .response(response)
        }
        queue.record(answer, of: flight.object, attempt: flight.attempt, at: now, using: &random)
        guard case .response(let response) = flight.answer else {
            return log.append("record \(flight.object.key): \(flight.answer)")
        }
        log.append("record \(flight.object.key): \(response.status)")
        guard response.status < 300, let before, before.attempt?.number == flight.attempt,
            before.state != .abandoned
        else { return }
        if before.kind == .creation,
            queue.objects[flight.object]?.identity != response.identity
        {
            note("the success of a creation was dropped")
        }
        if before.kind == .command,
            queue.objects[flight.object]?.entries.first?.sequence == before.sequence
        {
            note("the success of a command was dropped")
        }
    }

    /// Notes the values of an attempt that its principal has not saved, and the members that it has not added.
    private mutating func noteForeignValues(of object: EditedObject, _ entry: OutboxEntry) {
        guard entry.kind != .deletion, let principal = entry.principal else { return }
        for (property, value) in entry.values where !value.isNull {
            var written = [value]
            if let members = MemberSet(value) {
                let base = queue.objects[object]?.base[property] ?? .null
                // What the server has of a deleted member is not known.
                written = members.keys.subtracting(MemberSet(base)?.keys ?? [])
                    .filter(isShown).map { .integer($0) }
            }
            for value in written
            where authors[object]?[property]?[value]?.contains(principal) != true {
                note("\(object.key).\(property) was not saved by the principal of the attempt")
            }
        }
    }

    // MARK: Restarts

    /// Ends the process, and continues with what is stored.
    mutating func restart() {
        log.append("restart")
        flights = []
        takeForks()
        var restarted = OutboxQueue(
            model: queue.model, timing: queue.timing, answers: queue.answers, policy: queue.policy)
        restarted.load(
            queue.objects.mapValues(Self.stored), predecessors: queue.predecessors,
            next: queue.next)
        (queue, forkCount) = (restarted, 0)
        queue.restart(at: now, using: &random)
    }

    private static func stored(_ edits: ObjectEdits) -> ObjectEdits {
        var stored = ObjectEdits(
            stored: edits.entity, local: edits.local, base: edits.base, unknown: edits.unknown,
            cleared: edits.cleared, entries: edits.entries)
        (stored.identity, stored.version) = (edits.identity, edits.version)
        (stored.quietUntil, stored.revivalEnd) = (edits.quietUntil, edits.revivalEnd)
        stored.needsReading = edits.needsReading
        return stored
    }
}
