// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestOutbox
import RestRows
import RestTesting
import RestTransport

/// The user.
extension OutboxSimulation {
    // MARK: Insertions

    private mutating func reference(to entities: Set<String>) -> StoredValue {
        pick(shown.filter { entities.contains($0.entity) }).map { .integer($0.key) } ?? .null
    }

    private mutating func members() -> MemberSet {
        let containers = shown.filter { SimulatedModel.containers.contains($0.entity) }
        return MemberSet(containers.filter { _ in random.next(below: 3) == 0 }.map(\.key))
    }

    private mutating func newImage(_ object: EditedObject) -> ObjectImage {
        var image: ObjectImage = ["a": number(), "b": number(), "code": .integer(object.key + 500)]
        switch object.entity {
        case "notes":
            image["folder"] = reference(to: SimulatedModel.containers)
            image["tags"] = members().stored
        case "folders":
            image["parent"] =
                random.next(below: 4) == 0
                ? .integer(object.key) : reference(to: SimulatedModel.containers)
            image["cover"] = reference(to: ["notes"])
        default: break
        }
        return image
    }

    mutating func insert() {
        guard queue.objects.count < 9 else { return }
        let hasContainer = shown.contains { SimulatedModel.containers.contains($0.entity) }
        let isNote = flag() && hasContainer
        let object = newObject(isNote ? "notes" : random.next(below: 3) == 0 ? "boxes" : "folders")
        let image = newImage(object)
        queue.insert(object, image, by: principal)
        kept.insert(object)
        note(image, of: object)
        log.append("insert \(object.entity)/\(object.key) \(SimulatedText.of(image))")
    }

    /// Inserts an object with the identity of one that is being deleted.
    mutating func reinsert() {
        let deleted = queue.objects.filter { object, edits in
            edits.local == nil && edits.entries.last?.kind == .deletion && edits.identity != nil
                && edits.entity.creation == .clientIdentity
                && !queue.predecessors.values.contains(object)
        }.keys.sorted { $0.key < $1.key }
        guard let former = pick(deleted), case .integer(let id) = queue.objects[former]?.identity
        else { return }
        let object = newObject(former.entity)
        clientIdentities[object.key] = id
        let image = newImage(object)
        queue.insert(object, image, replacing: former, by: principal)
        kept.insert(object)
        if queue.objects[object]?.identity != nil {
            successors[former.key] = object.key
            shared[object.key] = shared[former.key]
            authors[object] = authors[former]
            replaceReferences(to: former.key, by: object.key)
        }
        note(image, of: object)
        log.append("reinsert \(former.key) as \(object.key) \(SimulatedText.of(image))")
    }

    private mutating func replaceReferences(to former: Int64, by key: Int64) {
        for object in authors.keys {
            for property in SimulatedModel.references.union(["tags"]) {
                let principals = authors[object]?[property]?[.integer(former)]
                if let principals { authors[object]?[property]?[.integer(key)] = principals }
            }
        }
    }

    // MARK: Changes

    /// Notes that the user has saved values.
    mutating func note(_ values: ObjectImage, of object: EditedObject) {
        note(values, of: object, by: principal.id)
        saved[object, default: [:]].merge(values) { $1 }
    }

    mutating func note(_ values: ObjectImage, of object: EditedObject, by name: String) {
        for (property, value) in values {
            let known = saved[object]?[property].flatMap(MemberSet.init)?.keys ?? []
            var written = [value]
            if let members = MemberSet(value) {
                written = members.keys.subtracting(known).map { .integer($0) }
                let contested = contestedMembers[object] ?? []
                for key in members.keys.symmetricDifference(known) where !contested.contains(key) {
                    intents[object, default: [:]][key] = members.keys.contains(key)
                }
            }
            for value in written {
                authors[object, default: [:]][property, default: [:]][value, default: []]
                    .insert(.init(name))
            }
        }
    }

    mutating func change() {
        guard let object = pick(shown) else { return }
        var values: ObjectImage = [:]
        switch (object.entity, random.next(below: 5)) {
        case ("folders", 0): values["parent"] = reference(to: SimulatedModel.containers)
        case ("folders", 1): values["cover"] = reference(to: ["notes"])
        case ("notes", 0): values["folder"] = reference(to: SimulatedModel.containers)
        case ("notes", 1), ("notes", 2): values["tags"] = members().stored
        default: values[SimulatedModel.attributes[random.next(below: 2)]] = number()
        }
        save(values, of: object)
    }

    mutating func save(_ values: ObjectImage, of object: EditedObject) {
        log.append("save \(object.key) \(SimulatedText.of(values)) by \(principal.id)")
        // The user changes what is shown, with the members that others have added.
        if let tags = queue.objects[object]?.local?["tags"] { saved[object]?["tags"] = tags }
        queue.change(object, values, by: principal)
        note(values, of: object)
    }

    // MARK: Deletions

    mutating func delete() {
        if let object = pick(shown) { delete(object) }
    }

    /// Deletes an object with the notes that need it, and clears the other references to it.
    mutating func delete(_ object: EditedObject) {
        var deleted: [EditedObject] = [object]
        for other in shown where other != object && other.entity == "notes" {
            guard SimulatedModel.containers.contains(object.entity) else { continue }
            if queue.objects[other]?.local?["folder"] == .integer(object.key) {
                deleted.append(other)
            }
        }
        log.append("delete \(deleted.map(\.key))")
        if flag() { deleted.reverse() }
        for other in shown where !deleted.contains(other) { clear(deleted, in: other) }
        for object in deleted {
            kept.remove(object)
            queue.delete(object, by: principal)
        }
    }

    private mutating func clear(_ deleted: [EditedObject], in other: EditedObject) {
        let local = queue.objects[other]?.local ?? [:]
        for object in deleted {
            let name = object.entity == "notes" ? "cover" : "parent"
            guard other.entity == "folders", local[name] == .integer(object.key) else { continue }
            save([name: .null], of: other)
            queue.noteCleared([name: object.key], of: other)
        }
        let keys = deleted.filter { SimulatedModel.containers.contains($0.entity) }.map(\.key)
        guard var tags = local["tags"].flatMap(MemberSet.init) else { return }
        if !tags.keys.isDisjoint(with: keys) {
            tags.keys.subtract(keys)
            save(["tags": tags.stored], of: other)
        }
        for key in keys { intents[other]?[key] = nil }
    }

    // MARK: Decisions

    mutating func command() {
        guard let object = pick(shown) else { return }
        let remedy: CreationRemedy =
            random.next(below: 4) == 0
            ? .atMostOnce : .idempotencyKey(lifetime: SimulatedServer.keyLifetime)
        let command = OutboxCommand(method: "POST", path: "run", remedy: remedy)
        let expires = random.next(below: 3) == 0 ? now.addingTimeInterval(400) : nil
        _ = queue.enqueue(command, of: object, expires: expires, by: principal)
        log.append("command \(object.key)")
    }

    /// Decides about an uncertain creation, as a user does who looks at the server.
    mutating func decideUncertain() {
        let uncertain = queue.objects.filter {
            $0.value.awaitsCreation && $0.value.entries.first?.state == .uncertain
        }
        guard let object = pick(uncertain.keys.sorted { $0.key < $1.key }) else { return }
        if let found = server.objects(of: object.key).first, flag() {
            log.append("unite \(object.key)")
            if !queue.unite(object, with: .integer(found.id), of: nil, at: now) {
                note("\(object.key) is not united with its object")
            }
            // A response does not bring the references to deleted rows, whose deletions may be discarded.
            let cleared = SimulatedModel.references.filter { saved[object]?[$0] == .null }
            shared[object.key, default: []].formUnion(cleared)
        } else if server.hasUniqueCodes {
            // The server refuses a second object.
            log.append("retry \(object.key)")
            resent.insert(object.key)
            queue.retry(object)
        }
    }

    mutating func switchPrincipal() {
        principal = .init(principal.id == "first" ? "second" : "first")
        queue.authorize(principal)
    }

    mutating func discard() {
        let entries = queue.objects.sorted { $0.key.key < $1.key.key }
            .flatMap { object, edits in edits.entries.map { (object, $0) } }
        if let (object, entry) = pick(entries) { discard(entry, of: object) }
    }

    mutating func discard(_ entry: OutboxEntry, of object: EditedObject) {
        let before = queue.objects
        guard let ended = queue.discard(entry.sequence, of: object, at: now) else { return }
        log.append("discard \(entry.kind) of \(object.key): \(ended.map(\.object.key))")
        for end in ended {
            if end.entry.kind == .creation { adopted.insert(end.object.key) }
            // It is not known whether the server has the values of a request that was sent.
            var unknown = before[end.object]?.unknown ?? []
            if end.entry.attempt != nil { unknown.formUnion(end.entry.values.keys) }
            // What later entries send is known again after them.
            unknown.subtract(queue.objects[end.object]?.base.keys.map(\.self) ?? [])
            shared[end.object.key, default: []].formUnion(unknown)
        }
        let objects = Set(ended.map(\.object))
        for (key, entity) in entities {
            let object = EditedObject(entity: entity, key: key)
            let (old, new) = (before[object]?.local, queue.objects[object]?.local)
            if old == new { continue }
            if old != nil, new == nil, !objects.contains(object) {
                note("\(key) vanished with another entry")
            }
            if new == nil { kept.remove(object) } else { kept.insert(object) }
            // Values that are restored were shown before, and may have to be sent again.
            let restored = (new ?? [:]).filter { old?[$0.key] != $0.value }
            for name in ["first", "second"] { note(restored, of: object, by: name) }
            for (property, value) in restored {
                saved[object]?[property] = value
                if property == "tags" { intents[object] = nil }
            }
        }
    }

    // MARK: Forks

    /// Inserts the objects whose values are edits that did not go into others.
    mutating func takeForks() {
        for fork in queue.forks.dropFirst(forkCount) {
            let object = newObject(fork.object.entity)
            var image = fork.image
            image["code"] = .integer(object.key + 500)
            log.append("fork \(fork.object.key) as \(object.key)")
            for (property, value) in saved[fork.object] ?? [:] where property != "code" {
                let isEdit = queue.objects[fork.object]?.local?[property] != value
                if isEdit, image[property] != value, !isShared(property, of: fork.object) {
                    note("\(property) of \(fork.object.key) is not in its fork")
                }
            }
            saved[fork.object] = queue.objects[fork.object]?.local
            intents[fork.object] = nil
            queue.insert(object, image, by: fork.principal)
            kept.insert(object)
            note(image, of: object, by: fork.principal?.id ?? "")
            saved[object] = image
        }
        forkCount = queue.forks.count
    }

    func isShared(_ property: String, of object: EditedObject) -> Bool {
        shared[object.key]?.contains(property) == true
    }
}

/// Values as text.
enum SimulatedText {
    static func of(_ values: ObjectImage) -> String {
        values.sorted { $0.key < $1.key }.map { name, value in
            switch value {
            case .integer(let number): "\(name)=\(number)"
            case .text(let text): "\(name)=\(text)"
            default: "\(name)=-"
            }
        }.joined(separator: " ")
    }
}
