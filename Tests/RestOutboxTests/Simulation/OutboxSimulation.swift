// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestNetworking
import RestOutbox
import RestRows
import RestTesting
import RestTransport

/// A client with an outbox, a server, other clients of it and a network that fails, in an order that a seed
/// determines.
///
/// The queue is the durable state: each of its functions is a transaction, and a crash loses everything
/// else.
struct OutboxSimulation {
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
    /// The entities of all rows, by key.
    var entities: [Int64: String] = [:]
    /// The values that the user saved last.
    var saved: [EditedObject: ObjectImage] = [:]
    /// The members that the user has added or removed last, as far as no other client has done so since.
    var intents: [EditedObject: [Int64: Bool]] = [:]
    /// The members that another client has added or removed, which both sides may decide about.
    var contestedMembers: [EditedObject: Set<Int64>] = [:]
    /// The properties that another client has changed as well, by row.
    var shared: [Int64: Set<String>] = [:]
    /// The rows whose objects may be on the server without a row: others have adopted them, or their creations were
    /// discarded.
    var adopted: Set<Int64> = []
    /// The principals who have saved a value of a property, or have added a member.
    var authors: [EditedObject: [String: [StoredValue: Set<Principal>]]] = [:]
    /// The objects that the user has inserted or loaded, and not deleted.
    var kept: Set<EditedObject> = []
    /// The rows whose creations the user has sent again, though they may have had their effect.
    var resent: Set<Int64> = []
    /// The rows that have taken over the objects of deleted ones, by these.
    var successors: [Int64: Int64] = [:]
    /// The identities that the client has given to objects, by row.
    var clientIdentities: [Int64: Int64] = [:]
    /// The identities that the server has given to objects, by row.
    var identities: [Int64: Int64] = [:]
    var forkCount = 0
    /// The events of the schedule, for reports.
    var log: [String] = []
    var noted: [String] = []
    private var nextKey: Int64 = 1

    init(seed: UInt64) throws {
        self.seed = seed
        random = SplitMix64(seed: seed)
        let model = try SimulatedModel.make(using: &random)
        let policies: [EditPolicy] = [.contextWins, .contextWins, .storeWins, .fail, .fork]
        let exists = AnswerRule(ResponsePattern(409), of: [.creation], means: .exists)
        queue = OutboxQueue(
            model: model, timing: OutboxTiming(longestLife: Self.longestLife),
            answers: AnswerTable(["folders": [exists], "notes": [exists], "boxes": [exists]]),
            policy: policies[random.next(below: policies.count)])
        server = SimulatedServer(
            returnsObjects: random.next(below: 3) > 0, hasUniqueCodes: random.next(below: 2) == 0,
            cascades: random.next(below: 2) == 0)
    }

    // MARK: Steps

    mutating func step() {
        switch random.next(below: 32) {
        case 0..<3: insert()
        case 3..<9: change()
        case 9: delete()
        case 10..<18: pump()
        case 18..<20: deliver()
        case 20: changeElsewhere()
        case 21: read()
        case 22: random.next(below: 2) == 0 ? switchPrincipal() : decideUncertain()
        case 23: command()
        case 24: discard()
        case 25: random.next(below: 2) == 0 ? createElsewhere() : deleteElsewhere()
        case 26: load()
        case 27: reinsert()
        default: advance(Double(random.next(below: 200)))
        }
        takeForks()
        noteIdentities()
    }

    mutating func advance(_ seconds: Double) {
        log.append("wait \(seconds)")
        let end = now.addingTimeInterval(seconds)
        for request in late.sorted(by: { $0.date < $1.date }) where request.date <= end {
            now = max(now, request.date)
            _ = server.execute(request.request, at: now)
        }
        late.removeAll { $0.date <= end }
        now = end
        queue.forgetEndedRequests(at: now)
        queue.endAbandoned(at: now)
        _ = queue.expire(at: now)
    }

    private mutating func noteIdentities() {
        for (object, edits) in queue.objects {
            if case .integer(let id) = edits.identity { identities[object.key] = id }
        }
    }

    // MARK: Choices

    var shown: [EditedObject] {
        queue.objects.filter { $0.value.local != nil }.keys.sorted { $0.key < $1.key }
    }

    mutating func pick<Element>(_ elements: [Element]) -> Element? {
        elements.isEmpty ? nil : elements[random.next(below: elements.count)]
    }

    mutating func flag() -> Bool { random.next(below: 2) == 0 }

    mutating func number() -> StoredValue { .integer(Int64(random.next(below: 16))) }

    mutating func newObject(_ entity: String) -> EditedObject {
        let object = EditedObject(entity: entity, key: nextKey)
        nextKey += 1
        entities[object.key] = entity
        return object
    }

    mutating func note(_ violation: String) { noted.append(violation) }
}

extension OutboxSimulation {
    /// Returns the key of the row that has the object of a row.
    func currentKey(of key: Int64) -> Int64 {
        var key = key
        while let next = successors[key] { key = next }
        return key
    }

    /// Returns the row of an object of the server; `nil` if none is shown.
    func row(of id: Int64) -> EditedObject? {
        guard let found = server.objects[id] else { return nil }
        let object = EditedObject(entity: found.entity, key: currentKey(of: found.marker))
        return kept.contains(object) ? object : nil
    }

    /// Returns the row that is known to be that of an object of the server; `nil` for none.
    private func knownRow(of id: Int64) -> EditedObject? {
        queue.objects.first { $0.value.identity == .integer(id) && $0.value.local != nil }?.key
    }

    /// Returns values of the server whose references and members are rows of the client.
    func image(_ values: ObjectImage) -> ObjectImage {
        var image = values
        for property in SimulatedModel.references {
            guard case .integer(let id) = image[property] else { continue }
            image[property] = knownRow(of: id).map { .integer($0.key) } ?? .null
        }
        if let tags = image["tags"].flatMap(MemberSet.init) {
            image["tags"] = MemberSet(tags.keys.compactMap { knownRow(of: $0)?.key }).stored
        }
        return image
    }

    /// Returns the edits that are left, a line for each object and for each entry.
    func unsent() -> [String] {
        queue.objects.filter { !$0.value.entries.isEmpty }.sorted { $0.key.key < $1.key.key }
            .flatMap { object, edits in
                let blockers = queue.blockers(of: object).map(\.key).sorted()
                let quiet = edits.quietUntil.map { ", quiet until \($0)" } ?? ""
                let version = edits.version.map { ", version \($0)" } ?? ""
                return [
                    "left \(object.entity)/\(object.key) \(SimulatedText.of(edits.local ?? [:])) "
                        + "base \(SimulatedText.of(edits.base)), waits for \(blockers)\(version)\(quiet)"
                ]
                    + edits.entries.indices.map {
                        let entry = edits.entries[$0]
                        return "  \(entry.sequence) \(entry.kind) \(entry.state) by "
                            + "\(entry.principal?.id ?? "-"): \(SimulatedText.of(edits.values(at: $0)))"
                    }
            }
    }
}
