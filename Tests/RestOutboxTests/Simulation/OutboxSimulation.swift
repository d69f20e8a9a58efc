// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestNetworking
import RestOutbox
import RestRows
import RestTesting
import RestTransport

/// A client with an outbox, a server and a network that fails, in an order that a seed determines.
///
/// The queue is the durable state: each of its functions is a transaction, and a crash loses everything
/// else.
struct OutboxSimulation {
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

    static let longestLife = Duration.seconds(300)

    let seed: UInt64
    var random: SplitMix64
    var queue: OutboxQueue
    var server: SimulatedServer
    var now = Date(timeIntervalSince1970: 1_000_000)
    var principal = Principal("first")
    var flights: [Flight] = []
    var late: [LateRequest] = []
    var isHealed = false
    /// The values that the user saved last.
    var saved: [EditedObject: ObjectImage] = [:]
    /// The properties that another client has changed as well, by row.
    var shared: [Int64: Set<String>] = [:]
    /// The rows whose objects others have adopted.
    var adopted: Set<Int64> = []
    /// The principals who have saved a value of a property.
    private(set) var authors: [EditedObject: [String: [StoredValue: Set<Principal>]]] = [:]
    /// The objects that the user has inserted and not deleted.
    private(set) var kept: Set<EditedObject> = []
    /// The rows whose creations the user has sent again, though they may have had their effect.
    private(set) var resent: Set<Int64> = []
    private var nextKey: Int64 = 1

    init(seed: UInt64) throws {
        self.seed = seed
        random = SplitMix64(seed: seed)
        let model = try SimulatedModel.make(using: &random)
        let policies: [EditPolicy] = [.contextWins, .contextWins, .storeWins, .fail]
        let exists = AnswerRule(ResponsePattern(409), of: [.creation], means: .exists)
        queue = OutboxQueue(
            model: model, timing: OutboxTiming(longestLife: Self.longestLife),
            answers: AnswerTable(["folders": [exists], "notes": [exists]]),
            policy: policies[random.next(below: 4)])
        server = SimulatedServer(
            returnsObjects: random.next(below: 3) > 0, hasUniqueCodes: random.next(below: 2) == 0,
            cascades: random.next(below: 2) == 0)
    }

    // MARK: Steps

    mutating func step() {
        switch random.next(below: 21) {
        case 0..<2: insert()
        case 2..<7: change()
        case 7: delete()
        case 8..<14: pump()
        case 14..<16: deliver()
        case 16: changeElsewhere()
        case 17: read()
        case 18: random.next(below: 2) == 0 ? switchPrincipal() : retryUncertain()
        case 19: command()
        default: advance(Double(random.next(below: 200)))
        }
    }

    mutating func advance(_ seconds: Double) {
        let end = now.addingTimeInterval(seconds)
        for request in late.sorted(by: { $0.date < $1.date }) where request.date <= end {
            now = max(now, request.date)
            _ = server.execute(request.request, at: now)
        }
        late.removeAll { $0.date <= end }
        now = end
        queue.forgetEndedRequests(at: now)
        _ = queue.expire(at: now)
    }

    private var shown: [EditedObject] {
        queue.objects.filter { $0.value.local != nil }.keys.sorted { $0.key < $1.key }
    }

    private mutating func pick(_ objects: [EditedObject]) -> EditedObject? {
        objects.isEmpty ? nil : objects[random.next(below: objects.count)]
    }

    private mutating func number() -> StoredValue { .integer(Int64(random.next(below: 16))) }

    private mutating func reference(to entity: String) -> StoredValue {
        pick(shown.filter { $0.entity == entity }).map { .integer($0.key) } ?? .null
    }

    private mutating func insert() {
        guard queue.objects.count < 8 else { return }
        let isNote = random.next(below: 2) == 0 && shown.contains { $0.entity == "folders" }
        let object = EditedObject(entity: isNote ? "notes" : "folders", key: nextKey)
        nextKey += 1
        var image: ObjectImage = ["a": number(), "b": number(), "code": .integer(object.key + 500)]
        if isNote {
            image["folder"] = reference(to: "folders")
        } else {
            image["parent"] =
                random.next(below: 4) == 0 ? .integer(object.key) : reference(to: "folders")
            image["cover"] = reference(to: "notes")
        }
        queue.insert(object, image, by: principal)
        kept.insert(object)
        note(image, of: object)
    }

    /// Notes that the user has saved values.
    private mutating func note(_ values: ObjectImage, of object: EditedObject) {
        saved[object, default: [:]].merge(values) { $1 }
        for (property, value) in values {
            authors[object, default: [:]][property, default: [:]][value, default: []]
                .insert(principal)
        }
    }

    private mutating func command() {
        guard let object = pick(shown) else { return }
        let remedy: CreationRemedy =
            random.next(below: 4) == 0
            ? .atMostOnce : .idempotencyKey(lifetime: SimulatedServer.keyLifetime)
        let command = OutboxCommand(method: "POST", path: "run", remedy: remedy)
        let expires = random.next(below: 3) == 0 ? now.addingTimeInterval(400) : nil
        _ = queue.enqueue(command, of: object, expires: expires, by: principal)
    }

    private mutating func change() {
        guard let object = pick(shown) else { return }
        var values: ObjectImage = [:]
        switch random.next(below: 5) {
        case 0 where object.entity == "folders": values["parent"] = reference(to: "folders")
        case 1 where object.entity == "folders": values["cover"] = reference(to: "notes")
        case 0 where object.entity == "notes": values["folder"] = reference(to: "folders")
        default: values[SimulatedModel.attributes[random.next(below: 2)]] = number()
        }
        save(values, of: object)
    }

    mutating func save(_ values: ObjectImage, of object: EditedObject) {
        queue.change(object, values, by: principal)
        note(values, of: object)
    }

    /// Deletes an object with the notes that need it, and clears the other references to it.
    private mutating func delete() {
        guard let object = pick(shown) else { return }
        var deleted: [EditedObject] = [object]
        for other in shown where other != object {
            let values = queue.objects[other]?.local ?? [:]
            if other.entity == "notes", values["folder"] == .integer(object.key),
                object.entity == "folders"
            {
                deleted.append(other)
            }
        }
        if random.next(below: 2) == 0 { deleted.reverse() }
        for other in shown where !deleted.contains(other) && other.entity == "folders" {
            let values = queue.objects[other]?.local ?? [:]
            for object in deleted {
                let name = object.entity == "notes" ? "cover" : "parent"
                if values[name] == .integer(object.key) { save([name: .null], of: other) }
            }
        }
        for object in deleted {
            kept.remove(object)
            queue.delete(object, by: principal)
        }
    }

    /// Sends an uncertain creation again, as a user does who knows that the server refuses a second object.
    private mutating func retryUncertain() {
        guard server.hasUniqueCodes else { return }
        let uncertain = queue.objects.filter {
            $0.value.awaitsCreation && $0.value.entries.first?.state == .uncertain
        }
        guard let object = pick(uncertain.keys.sorted { $0.key < $1.key }) else { return }
        resent.insert(object.key)
        queue.retry(object)
    }

    private mutating func switchPrincipal() {
        principal = principal == Principal("first") ? Principal("second") : Principal("first")
        queue.authorize(principal)
    }

    private mutating func changeElsewhere() {
        let ids = server.objects.keys.sorted()
        if ids.isEmpty { return }
        let id = ids[random.next(below: ids.count)]
        let property = SimulatedModel.attributes[random.next(below: 2)]
        shared[server.objects[id]?.marker ?? 0, default: []].insert(property)
        server.change(id, property, to: .integer(Int64(random.next(below: 12))))
    }

    // MARK: Reading

    private mutating func read() {
        guard let object = pick(queue.objects.keys.sorted { $0.key < $1.key }) else { return }
        read(object)
    }

    mutating func read(_ object: EditedObject) {
        guard let edits = queue.objects[object] else { return }
        if let identity = edits.entries.first?.existing {
            return readExisting(identity, of: object)
        }
        guard case .integer(let id) = edits.identity else { return }
        guard let found = server.objects[id] else { return queue.takeAbsence(of: object) }
        if edits.entity.isMonotonic, !isHealed, random.next(below: 2) == 0,
            let old = server.replicas[id]
        {
            return readReplica(old, of: object, edits)
        }
        queue.take(image(found), of: object, version: .integer(found.version))
    }

    /// Reads an object from a replica that lags behind: no property without edit may go back.
    private mutating func readReplica(
        _ old: SimulatedServer.Object, of object: EditedObject, _ edits: ObjectEdits
    ) {
        queue.take(image(old), of: object, version: .integer(old.version))
        guard case .integer(let version) = edits.version, old.version < version else { return }
        if queue.objects[object]?.local != edits.local {
            note("\(object.key) shows an older value")
        }
    }

    /// Reads the object that the server has in place of a new one.
    private mutating func readExisting(_ identity: StoredValue, of object: EditedObject) {
        guard case .integer(let id) = identity, let found = server.objects[id] else {
            return queue.takeAbsence(of: object)
        }
        adopted.insert(found.marker)
        queue.take(image(found), of: object, version: .integer(found.version))
    }

    /// Returns the values of an object whose references are rows of the client.
    private func image(_ found: SimulatedServer.Object) -> ObjectImage {
        var image = found.values
        for property in SimulatedModel.references {
            guard case .integer(let id) = image[property] else { continue }
            image[property] = row(of: id)
        }
        return image
    }

    private func row(of id: Int64) -> StoredValue {
        guard let object = server.objects[id] else { return .null }
        let row = EditedObject(entity: object.entity, key: object.marker)
        return kept.contains(row) ? .integer(object.marker) : .null
    }

    // MARK: Sending

    mutating func pump() {
        let ready = queue.ready(for: principal, at: now)
        if ready.isEmpty { return }
        let (object, step) = ready[isHealed ? 0 : random.next(below: ready.count)]
        switch step {
        case .read: read(object)
        case .probe: probe(object)
        case .send: send(object)
        }
    }

    private mutating func probe(_ object: EditedObject) {
        let code = queue.objects[object]?.entries.first?.values["code"]
        let found = server.objects.values.first { $0.values["code"] == code }
        let answer = found.map {
            OutboxAnswer.Response(
                status: 200, image: image($0), identity: .integer($0.id),
                version: .integer($0.version))
        }
        queue.record(probe: answer, of: object, beganAt: now, at: now, using: &random)
    }

    private mutating func write(_ draft: RequestDraft) -> FrozenRequest {
        var fields = ["marker": "\(draft.object.key)", "sequence": "\(draft.sequence)"]
        if case .integer(let version) = draft.version { fields["version"] = "\(version)" }
        let path = draft.object.entity
        switch draft.kind {
        case .creation:
            var (method, place) = ("POST", path)
            var key: String?
            switch queue.model.entities[path]?.creation {
            case .idempotencyKey: key = "key-\(random.next())"
            case .clientIdentity: (method, place) = ("PUT", "\(path)/\(draft.object.key)")
            default: break
            }
            return FrozenRequest(
                method: method, path: place, fields: fields,
                body: SimulatedBody.data(draft.values), idempotencyKey: key,
                isConditional: method == "PUT")
        case .update, .deletion:
            guard case .integer(let id) = draft.identity else {
                preconditionFailure("no identity, seed \(seed)")
            }
            return FrozenRequest(
                method: draft.kind == .update ? "PATCH" : "DELETE", path: "\(path)/\(id)",
                fields: fields,
                body: draft.kind == .update ? SimulatedBody.data(draft.values) : Data(),
                isConditional: draft.version != nil)
        case .command:
            guard case .integer(let id) = draft.identity else {
                preconditionFailure("no identity, seed \(seed)")
            }
            let command = queue.objects[draft.object]?.entries.first?.command
            let key = command?.remedy == .atMostOnce ? nil : "key-\(random.next())"
            return FrozenRequest(
                method: "POST", path: "\(path)/\(id)/run", fields: fields, idempotencyKey: key)
        }
    }

    private mutating func send(_ object: EditedObject) {
        let sender = principal
        var copy = self
        let attempt = queue.startSend(of: object, at: now) { copy.write($0) }
        random = copy.random
        guard let attempt, let entry = queue.objects[object]?.entries.first else { return }
        if entry.principal != sender { note("sent under another principal") }
        noteForeignValues(of: object, entry)
        let request = attempt.request
        func end(_ answer: OutboxAnswer) -> Flight {
            Flight(object: object, attempt: attempt.number, answer: answer)
        }
        let fate = isHealed ? .answered : Fate.allCases[random.next(below: Fate.allCases.count)]
        switch fate {
        case .answered: record(end(.response(answer(to: request))))
        case .slowlyAnswered: flights.append(end(.response(answer(to: request))))
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
        case .unauthorized:
            record(end(.response(.init(status: 401))))
            queue.authorize(sender)
        case .limited:
            record(end(.response(.init(status: 429, imposedDelay: .seconds(30)))))
        case .crashBeforeSend: restart()
        case .crashBeforeRecord:
            _ = server.execute(request, at: now)
            restart()
        }
    }

    private mutating func answer(to request: FrozenRequest) -> OutboxAnswer.Response {
        var answer = server.execute(request, at: now)
        if var image = answer.image {
            for property in SimulatedModel.references {
                if case .integer(let id) = image[property] { image[property] = row(of: id) }
            }
            answer.image = image
        }
        return answer
    }

    mutating func deliver() {
        if flights.isEmpty { return }
        record(flights.remove(at: random.next(below: flights.count)))
    }

    private mutating func record(_ flight: Flight) {
        let before = queue.objects[flight.object]?.entries.first
        queue.record(
            flight.answer, of: flight.object, attempt: flight.attempt, at: now, using: &random)
        guard case .response(let response) = flight.answer, response.status < 300,
            let before, before.attempt?.number == flight.attempt
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

    /// Notes the values of an attempt that its principal has not saved.
    private mutating func noteForeignValues(of object: EditedObject, _ entry: OutboxEntry) {
        guard entry.kind != .deletion, let principal = entry.principal else { return }
        for (property, value) in entry.values where !value.isNull {
            if authors[object]?[property]?[value]?.contains(principal) != true {
                note("\(object.key).\(property) was not saved by the principal of the attempt")
            }
        }
    }

    private mutating func restart() {
        flights = []
        queue.restart(at: now, using: &random)
    }

    // MARK: Healing

    /// Ends all failures, corrects what the server refuses, and sends until nothing waits.
    mutating func heal() {
        isHealed = true
        while !flights.isEmpty { deliver() }
        restart()
        for _ in 0..<200 {
            advance(310)
            for name in ["first", "second"] {
                principal = Principal(name)
                queue.authorize(principal)
                correct()
                for _ in 0..<4 { pump() }
            }
            if queue.objects.allSatisfy({ $0.value.entries.isEmpty || isExcused($0.key) }) { break }
        }
        for object in queue.objects.keys { read(object) }
    }

    private mutating func correct() {
        for (object, edits) in queue.objects.sorted(by: { $0.key.key < $1.key.key }) {
            guard let entry = edits.entries.first, entry.state.isParked,
                entry.state != .uncertain, entry.principal == principal
            else { continue }
            var values: ObjectImage = [:]
            for name in SimulatedModel.attributes
            where edits.values(at: 0)[name] == .integer(SimulatedServer.refusedValue) {
                values[name] = .integer(1)
            }
            if values.isEmpty {
                queue.retry(object)
            } else {
                queue.amend(object, values)
                let shown = queue.objects[object]?.local ?? [:]
                for name in values.keys {
                    authors[object, default: [:]][name, default: [:]][.integer(1), default: []]
                        .insert(principal)
                    if shown[name] == .integer(1) { saved[object]?[name] = .integer(1) }
                }
            }
        }
    }

    // MARK: Violations

    var noted: [String] = []

    mutating func note(_ violation: String) { noted.append(violation) }
}
