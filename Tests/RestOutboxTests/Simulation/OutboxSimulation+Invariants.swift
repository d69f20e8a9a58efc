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
        found += effectViolations()
        for object in kept where queue.objects[object]?.local == nil {
            found.append("\(object.entity)/\(object.key) has vanished")
        }
        return found
    }

    private func violations(of object: EditedObject, _ edits: ObjectEdits) -> [String] {
        let name = "\(object.entity)/\(object.key)"
        var found = edits.inconsistencies().map { "\(name): \($0)" }
        var carried: Set<String> = []
        for index in edits.entries.indices where edits.entries[index].kind != .deletion {
            carried.formUnion(edits.values(at: index).keys)
        }
        guard let local = edits.local else { return found }
        for property in edits.entity.references.keys {
            guard case .integer(let key) = local[property] else { continue }
            let entity = edits.entity.references[property]?.destination ?? ""
            if queue.objects[EditedObject(entity: entity, key: key)]?.local == nil {
                found.append("\(name): \(property) refers to \(key), which is not there")
            }
        }
        for property in carried where local[property] != saved[object]?[property] {
            found.append("\(name): \(property) is not what was saved")
        }
        return found
    }

    private func effectViolations() -> [String] {
        var found: [String] = []
        var last: [Int64: Int64] = [:]
        for effect in server.effects {
            if let former = last[effect.marker], effect.sequence < former {
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
            guard let remote = server.objects(of: object.key).first else {
                found.append("\(name) is missing on the server")
                continue
            }
            for (property, value) in local {
                var theirs = remote.values[property] ?? .null
                if SimulatedModel.references.contains(property), case .integer(let id) = theirs {
                    theirs = server.objects[id].map { .integer($0.marker) } ?? .null
                }
                if theirs != value {
                    found.append("\(name).\(property): \(value), server \(theirs)")
                }
                let isOwn = shared[object.key]?.contains(property) != true
                if isOwn, value != saved[object]?[property] {
                    found.append("\(name).\(property): the edit was lost")
                }
            }
        }
        let shown = Set(queue.objects.keys.map(\.key))
        for object in server.objects.values
        where !shown.contains(object.marker) && !adopted.contains(object.marker) {
            found.append("\(object.marker) was deleted and is on the server")
        }
        return found
    }

    /// Returns a Boolean value that indicates whether only the user can send an object's entries: a creation
    /// that may have had its effect, or one that waits for such a one.
    func isExcused(_ object: EditedObject) -> Bool {
        var (visited, pending): (Set<EditedObject>, [EditedObject]) = ([], [object])
        while let next = pending.popLast() {
            guard visited.insert(next).inserted else { continue }
            if queue.objects[next]?.entries.first?.state == .uncertain { return true }
            pending += queue.blockers(of: next)
        }
        return false
    }
}
