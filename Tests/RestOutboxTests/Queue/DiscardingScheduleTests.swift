// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestOutbox
import RestRows
import RestTesting
import Testing

/// Random schedules of saves, requests and discarded entries of objects with references and members.
@Suite struct DiscardingScheduleTests {
    @Test(arguments: 0..<10) func nothingDanglesAfterAnyStep(part: UInt64) throws {
        for seed in part * 100..<(part + 1) * 100 {
            var schedule = try Schedule(seed: seed)
            for step in 0..<60 {
                schedule.step()
                let violations = schedule.violations
                try #require(
                    violations.isEmpty, "seed \(seed), step \(step): \(violations) \(schedule.log)")
            }
        }
    }
}

/// Folders in folders with a cover, and notes with tags, which need a folder.
private struct Schedule {
    private var random: SplitMix64
    private var queue: OutboxQueue
    private var now = Date(timeIntervalSince1970: 1_000_000)
    private var nextKey: Int64 = 1
    private var flights: [(object: EditedObject, attempt: Int64)] = []
    private(set) var log: [String] = []

    init(seed: UInt64) throws {
        random = SplitMix64(seed: seed)
        let isMemberwise = random.next(below: 2) == 0
        let key = CreationRemedy.idempotencyKey(lifetime: .seconds(1_000_000))
        queue = OutboxQueue(
            model: try SentModel([
                SentEntity(
                    "folders", properties: ["name"],
                    references: [
                        "parent": .init(destination: "folders", isRequired: false),
                        "cover": .init(destination: "notes", isRequired: false),
                    ], creation: key),
                SentEntity(
                    "notes", properties: ["name"],
                    references: ["folder": .init(destination: "folders", isRequired: true)],
                    members: ["tags": .init(destination: "folders", isMemberwise: isMemberwise)],
                    creation: key),
            ]))
    }

    private var shown: [EditedObject] {
        queue.objects.filter { $0.value.local != nil }.keys.sorted { $0.key < $1.key }
    }

    private mutating func pick<Element>(_ elements: [Element]) -> Element? {
        elements.isEmpty ? nil : elements[random.next(below: elements.count)]
    }

    mutating func step() {
        switch random.next(below: 12) {
        case 0, 1: insert()
        case 2, 3, 4: change()
        case 5: delete()
        case 6, 7: send()
        case 8: answer()
        case 9, 10: discard()
        default:
            now += Double(random.next(below: 400))
            queue.endAbandoned(at: now)
            queue.forgetEndedRequests(at: now)
            log.append("wait")
        }
    }

    // MARK: Saving

    private mutating func insert() {
        let folders = shown.filter { $0.entity == "folders" }
        let isNote = !folders.isEmpty && random.next(below: 2) == 0
        let object = EditedObject(entity: isNote ? "notes" : "folders", key: nextKey)
        nextKey += 1
        var image: ObjectImage = ["name": .text("new")]
        if isNote {
            image["folder"] = pick(folders).map { .integer($0.key) } ?? .null
            image["tags"] = members(of: folders)
        } else {
            image["parent"] = pick(folders).map { .integer($0.key) } ?? .null
            image["cover"] = .null
        }
        if random.next(below: 3) == 0, isKnown(image, object) {
            queue.add(object, image, identity: .integer(object.key + 1_000), version: nil)
            log.append("load \(object.key)")
        } else {
            queue.insert(object, image, by: nil)
            log.append("insert \(object.key) \(image)")
        }
    }

    /// Returns whether the server can have an object with references.
    private func isKnown(_ image: ObjectImage, _ object: EditedObject) -> Bool {
        var keys: Set<Int64> = MemberSet(image["tags"] ?? .null)?.keys ?? []
        for name in ["folder", "parent"] {
            if case .integer(let key) = image[name] { keys.insert(key) }
        }
        return keys.allSatisfy { key in
            queue.objects[EditedObject(entity: "folders", key: key)]?.awaitsCreation == false
        }
    }

    private mutating func members(of objects: [EditedObject]) -> StoredValue {
        MemberSet(objects.filter { _ in random.next(below: 3) == 0 }.map(\.key)).stored
    }

    private mutating func change() {
        guard let object = pick(shown) else { return }
        let folders = shown.filter { $0.entity == "folders" }
        let notes = shown.filter { $0.entity == "notes" }
        var values: ObjectImage = [:]
        switch (object.entity, random.next(below: 3)) {
        case ("notes", 0): values["folder"] = pick(folders).map { .integer($0.key) }
        case ("notes", 1): values["tags"] = members(of: folders)
        case ("folders", 0): values["parent"] = pick(folders).map { .integer($0.key) }
        case ("folders", 1): values["cover"] = pick(notes).map { .integer($0.key) }
        default: values["name"] = .text("\(random.next(below: 3))")
        }
        queue.change(object, values, by: nil)
        log.append("change \(object.key) \(values)")
    }

    /// Deletes an object with the notes that need it, as the rules of a store do.
    private mutating func delete() {
        guard let object = pick(shown) else { return }
        var deleted: Set<EditedObject> = [object]
        for other in shown where other.entity == "notes" && object.entity == "folders" {
            if queue.objects[other]?.local?["folder"] == .integer(object.key) {
                deleted.insert(other)
            }
        }
        for other in shown where !deleted.contains(other) {
            let local = queue.objects[other]?.local ?? [:]
            for (name, entity) in [("parent", "folders"), ("cover", "notes")] {
                for gone in deleted where gone.entity == entity && local[name] == .integer(gone.key)
                {
                    queue.change(other, [name: .null], by: nil)
                    queue.noteCleared([name: gone.key], of: other)
                }
            }
            if var tags = local["tags"].flatMap(MemberSet.init) {
                let gone = Set(deleted.filter { $0.entity == "folders" }.map(\.key))
                if tags.keys.isDisjoint(with: gone) { continue }
                tags.keys.subtract(gone)
                queue.change(other, ["tags": tags.stored], by: nil)
            }
        }
        for gone in deleted.sorted(by: { $0.key > $1.key }) { queue.delete(gone, by: nil) }
        log.append("delete \(deleted.map(\.key).sorted())")
    }

    // MARK: Sending

    private mutating func send() {
        guard let (object, step) = pick(queue.ready(for: nil, at: now)), step == .send else {
            return
        }
        let attempt = queue.startSend(of: object, at: now) { draft in
            FrozenRequest(
                method: draft.kind == .creation ? "POST" : "PATCH", path: "",
                idempotencyKey: draft.kind == .creation ? "key" : nil)
        }
        guard let attempt else { return }
        flights.append((object, attempt.number))
        log.append("send \(object.key)")
    }

    private mutating func answer() {
        if flights.isEmpty { return }
        let (object, attempt) = flights.remove(at: random.next(below: flights.count))
        let answer: OutboxAnswer =
            switch random.next(below: 5) {
            case 0: .lost
            case 1: .unsent
            case 2: .response(.init(status: 422))
            default:
                .response(
                    .init(status: 200, image: [:], identity: .integer(object.key + 1_000)))
            }
        queue.record(answer, of: object, attempt: attempt, at: now, using: &random)
        log.append("answer \(object.key) \(answer)")
    }

    private mutating func discard() {
        let entries = queue.objects.sorted { $0.key.key < $1.key.key }
            .flatMap { object, edits in edits.entries.map { (object, $0) } }
        guard let (object, entry) = pick(entries) else { return }
        let ended = queue.discard(entry.sequence, of: object, at: now)
        log.append("discard \(entry.kind) of \(object.key): \(ended?.count ?? -1)")
    }

    // MARK: Violations

    var violations: [String] {
        var found: [String] = []
        for (object, edits) in queue.objects {
            let name = "\(object.entity)/\(object.key)"
            let sequences = edits.entries.map(\.sequence)
            if sequences != sequences.sorted() { found.append("\(name): entries out of order") }
            if edits.entries.dropLast().contains(where: { !$0.isClosed }) {
                found.append("\(name): an open entry before another one")
            }
            var carried: Set<String> = []
            for index in edits.entries.indices
            where edits.entries[index].kind != .deletion && edits.entries[index].state != .abandoned
            {
                carried.formUnion(edits.values(at: index).keys)
            }
            for property in edits.base.keys where !carried.contains(property) {
                found.append("\(name): no entry sends the edit of \(property)")
            }
            for property in carried where edits.base[property] == nil && !edits.awaitsCreation {
                found.append("\(name): the edit of \(property) has no base")
            }
            for key in edits.local.map({ references(in: $0) }) ?? [] where !isShown(key) {
                found.append("\(name): refers to \(key), which is not shown")
            }
        }
        return found
    }

    private func references(in image: ObjectImage) -> Set<Int64> {
        var keys: Set<Int64> = image["tags"].flatMap(MemberSet.init)?.keys ?? []
        for name in ["folder", "parent", "cover"] {
            if case .integer(let key) = image[name] { keys.insert(key) }
        }
        return keys
    }

    private func isShown(_ key: Int64) -> Bool {
        queue.objects.contains { $0.key.key == key && $0.value.local != nil }
    }
}
