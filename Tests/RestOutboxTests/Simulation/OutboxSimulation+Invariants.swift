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
        return found
    }

    private func violations(of object: EditedObject, _ edits: ObjectEdits) -> [String] {
        var found: [String] = []
        let name = "\(object.entity)/\(object.key)"
        let entries = edits.entries
        if entries.filter({ $0.attempt != nil }).count > 1 { found.append("\(name): two attempts") }
        if entries.dropFirst().contains(where: { $0.attempt != nil }) {
            found.append("\(name): a later entry has an attempt")
        }
        if entries.map(\.sequence) != entries.map(\.sequence).sorted() {
            found.append("\(name): entries out of order")
        }
        if entries.dropLast().contains(where: { !$0.isClosed }) {
            found.append("\(name): an open entry before another one")
        }
        if entries.last?.kind == .deletion, edits.local != nil {
            found.append("\(name): shown in spite of its deletion")
        }
        var carried: Set<String> = []
        for index in entries.indices where entries[index].kind != .deletion {
            let values = edits.values(at: index)
            if entries[index].kind == .update, values.isEmpty {
                found.append("\(name): an update without values")
            }
            carried.formUnion(values.keys)
        }
        for property in edits.base.keys where !carried.contains(property) {
            found.append("\(name): no entry sends the edit of \(property)")
        }
        for property in carried where edits.base[property] == nil && !edits.awaitsCreation {
            found.append("\(name): the edit of \(property) has no base")
        }
        guard let local = edits.local else { return found }
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
        return found
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
