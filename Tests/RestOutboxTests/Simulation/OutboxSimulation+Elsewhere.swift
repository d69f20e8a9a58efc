// SPDX-License-Identifier: Apache-2.0

import RestOutbox
import RestRows
import RestTesting

/// Other clients of the server, and the objects that responses bring.
extension OutboxSimulation {
    mutating func changeElsewhere() {
        guard let id = pick(server.objects.keys.sorted()), let found = server.objects[id] else {
            return
        }
        let key = currentKey(of: found.marker)
        if found.entity == "notes", flag() {
            let containers = server.objects.values.filter {
                SimulatedModel.containers.contains($0.entity)
            }.map(\.id).sorted()
            guard let member = pick(containers) else { return }
            toggle(member, of: id, to: flag())
        } else {
            let property = SimulatedModel.attributes[random.next(below: 2)]
            shared[key, default: []].insert(property)
            server.change(id, property, to: .integer(Int64(random.next(below: 12))))
        }
        log.append("elsewhere \(key): \(SimulatedText.of(server.objects[id]?.values ?? [:]))")
    }

    private mutating func toggle(_ member: Int64, of id: Int64, to isMember: Bool) {
        guard let found = server.objects[id], let other = server.objects[member] else { return }
        noteToggle(other.marker, of: found)
        server.setMember(member, of: id, to: isMember)
    }

    /// Notes that another client has added or removed a member.
    private mutating func noteToggle(_ marker: Int64, of found: SimulatedServer.Object) {
        let (key, member) = (currentKey(of: found.marker), currentKey(of: marker))
        shared[key, default: []].insert("tags")
        let object = EditedObject(entity: found.entity, key: key)
        contestedMembers[object, default: []].insert(member)
        intents[object]?[member] = nil
    }

    mutating func createElsewhere() {
        guard queue.objects.count < 9, server.objects.count < 14 else { return }
        let object = newObject(flag() ? "folders" : "boxes")
        entities[object.key] = nil
        let values: ObjectImage = [
            "a": number(), "b": number(), "code": .integer(object.key + 500),
        ]
        var image = values
        if object.entity == "folders" { (image["parent"], image["cover"]) = (.null, .null) }
        server.create(object.entity, marker: object.key, image)
        adopted.insert(object.key)
        log.append("created elsewhere \(object.entity)/\(object.key)")
    }

    mutating func deleteElsewhere() {
        guard let id = pick(server.objects.keys.sorted()) else { return }
        log.append("deleted elsewhere \(currentKey(of: server.objects[id]?.marker ?? 0))")
        let before = server.objects
        server.remove(id)
        for (removed, object) in before where server.objects[removed] == nil {
            // The user may create it again, and so may a late request.
            resent.insert(currentKey(of: object.marker))
            for other in before.values { noteRemoval(of: object, from: other) }
        }
    }

    private mutating func noteRemoval(
        of removed: SimulatedServer.Object, from object: SimulatedServer.Object
    ) {
        let key = currentKey(of: object.marker)
        for property in SimulatedModel.references
        where object.values[property] == .integer(removed.id) {
            shared[key, default: []].insert(property)
        }
        if object.values["tags"].flatMap(MemberSet.init)?.keys.contains(removed.id) == true {
            noteToggle(removed.marker, of: object)
            server.setMember(removed.id, of: object.id, to: false)
        }
    }

    /// Reads a list, which brings objects of other clients and those of uncertain creations.
    mutating func load() {
        for entity in ["folders", "boxes", "notes"] {
            let found = server.objects.values.filter { found in
                guard found.entity == entity else { return false }
                guard let row = row(of: found.id) else { return entities[found.marker] == nil }
                return queue.objects[row]?.identity == nil
            }.sorted { $0.id < $1.id }
            if found.isEmpty { continue }
            let held = queue.recognize(
                found.map { BroughtObject(identity: .integer($0.id), image: image($0.values)) },
                of: entity, recognizedBy: flag() ? "code" : nil)
            for (index, object) in found.enumerated()
            where entities[object.marker] == nil && !held.contains(index) { add(object) }
        }
        log.append("load")
    }

    private mutating func add(_ found: SimulatedServer.Object) {
        let object = EditedObject(entity: found.entity, key: found.marker)
        for (other, edits) in queue.objects
        where edits.entries.first?.existing == .integer(found.id) {
            return note("\(other.key) adopts the object of another client")
        }
        entities[object.key] = object.entity
        adopted.remove(object.key)
        kept.insert(object)
        saved[object] = image(found.values)
        queue.add(
            object, image(found.values), identity: .integer(found.id),
            version: .integer(found.version))
    }

    // MARK: Reading

    mutating func read() {
        guard let object = pick(queue.objects.keys.sorted(by: { $0.key < $1.key })) else { return }
        read(object)
    }

    mutating func read(_ object: EditedObject) {
        guard let edits = queue.objects[object] else { return }
        log.append("read \(object.key)")
        if let identity = edits.entries.first?.existing {
            return readExisting(identity, of: object)
        }
        guard case .integer(let id) = edits.identity else { return }
        guard let found = server.objects[id] else { return queue.takeAbsence(of: object) }
        // Without a known version, the client cannot know that an image is older.
        if edits.entity.isMonotonic, edits.version != nil, !isHealed, flag(),
            let old = server.replicas[id]
        {
            return readReplica(old, of: object, edits)
        }
        queue.take(image(found.values), of: object, version: .integer(found.version))
        queue.repeatReading(object, at: now, using: &random)
    }

    /// Reads an object from a replica that lags behind: no property without edit may go back.
    private mutating func readReplica(
        _ old: SimulatedServer.Object, of object: EditedObject, _ edits: ObjectEdits
    ) {
        queue.take(image(old.values), of: object, version: .integer(old.version))
        queue.repeatReading(object, at: now, using: &random)
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
        queue.take(image(found.values), of: object, version: .integer(found.version))
        let key = currentKey(of: found.marker)
        if queue.objects[object]?.identity == identity, key != object.key {
            successors[key] = object.key
        }
    }
}
