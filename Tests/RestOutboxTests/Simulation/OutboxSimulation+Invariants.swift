// SPDX-License-Identifier: Apache-2.0

import RestOutbox
import RestRows

extension OutboxSimulation {
    /// Returns what is wrong after a step.
    func violations() -> [String] {
        var found = server.violations + noted
        for (object, edits) in queue.objects {
            found += violations(of: object, edits)
        }
        found += effectViolations() + doubleViolations()
        for object in kept where queue.objects[object]?.local == nil {
            found.append("\(object.entity)/\(object.key) has vanished")
        }
        return found
    }

    private func violations(of object: EditedObject, _ edits: ObjectEdits) -> [String] {
        let name = "\(object.entity)/\(object.key)"
        var found = edits.inconsistencies().map { "\(name): \($0)" }
        var carried: Set<String> = []
        for index in edits.entries.indices
        where edits.entries[index].kind != .deletion && edits.entries[index].state != .abandoned {
            carried.formUnion(edits.values(at: index).keys)
        }
        guard let local = edits.local else { return found }
        for property in edits.entity.references.keys {
            guard case .integer(let key) = local[property] else { continue }
            if !isShown(key) {
                found.append("\(name): \(property) refers to \(key), which is not there")
            }
        }
        let members = local["tags"].flatMap(MemberSet.init)?.keys ?? []
        for key in members where !isShown(key) {
            found.append("\(name): the member \(key) is not there")
        }
        for (key, isMember) in intents[object] ?? [:]
        where isShown(key) && members.contains(key) != isMember {
            found.append("\(name): the member \(key) is not as it was saved")
        }
        for property in carried where local[property] != saved[object]?[property] {
            if property == "tags" { continue }
            found.append("\(name): \(property) is not what was saved")
        }
        return found
    }

    func isShown(_ key: Int64) -> Bool {
        queue.objects[EditedObject(entity: entities[key] ?? "", key: key)]?.local != nil
    }

    /// Returns the objects that have an identity which another one has.
    private func doubleViolations() -> [String] {
        var owners: [String: Int64] = [:]
        var found: [String] = []
        for (object, edits) in queue.objects where edits.local != nil {
            guard case .integer(let id) = edits.identity else { continue }
            if let other = owners.updateValue(object.key, forKey: "\(object.entity)/\(id)") {
                found.append("\(other) and \(object.key) are one object of the server")
            }
        }
        return found
    }

    private func effectViolations() -> [String] {
        var found: [String] = []
        var last: [Int64: Int64] = [:]
        for effect in server.effects {
            if let former = last[effect.marker], effect.sequence < former,
                !resent.contains(effect.marker)
            {
                found.append("\(effect.marker): entry \(effect.sequence) after \(former)")
            }
            last[effect.marker] = effect.sequence
        }
        for marker in last.keys where server.objects(of: marker).count > 1 {
            found.append("\(marker): two objects for one creation")
        }
        var counts: [[Int64]: Int] = [:]
        for effect in server.effects where isOnce(effect) {
            counts[[effect.marker, effect.sequence], default: 0] += 1
        }
        for (effect, count) in counts where count > 1 {
            found.append("\(effect[0]): entry \(effect[1]) had \(count) effects")
        }
        return found
    }

    /// Returns a Boolean value that indicates whether an effect is of a creation or command that must not have
    /// two: with a key, or without a remedy.
    private func isOnce(_ effect: SimulatedServer.Effect) -> Bool {
        guard effect.method == "POST" else { return false }
        // A command sends no values.
        if effect.values.isEmpty { return true }
        if resent.contains(effect.marker) { return false }
        switch queue.model.entities[effect.entity]?.creation {
        case .recognized: return false
        case .idempotencyKey, .atMostOnce, .clientIdentity, nil: return true
        }
    }

    /// Returns what is wrong once everything is sent and read.
    func finalViolations() -> [String] {
        var found = violations()
        for (object, edits) in queue.objects {
            let name = "\(object.entity)/\(object.key)"
            let states = edits.entries.map { "\($0.kind) \($0.state)" }
            if !edits.entries.isEmpty {
                if !isExcused(object) { found.append("\(name) is not drained: \(states)") }
                continue
            }
            guard let local = edits.local else { continue }
            guard case .integer(let id) = edits.identity, let remote = server.objects[id] else {
                found.append("\(name) is missing on the server")
                continue
            }
            let image = image(remote.values)
            for (property, value) in local {
                let theirs = image[property] ?? .null
                if theirs != value {
                    found.append("\(name).\(property): \(value), server \(theirs)")
                }
                if property == "tags" || isShared(property, of: object) { continue }
                if let edit = saved[object]?[property], edit != value {
                    found.append("\(name).\(property): the edit \(edit) was lost for \(value)")
                }
            }
        }
        let shown = Set(queue.objects.keys.map(\.key))
        for object in server.objects.values
        where !shown.contains(currentKey(of: object.marker)) && !adopted.contains(object.marker) {
            found.append("\(object.marker) was deleted and is on the server")
        }
        return found
    }
}
