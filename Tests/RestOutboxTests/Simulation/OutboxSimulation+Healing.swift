// SPDX-License-Identifier: Apache-2.0

import RestOutbox
import RestRows
import RestTransport

/// The end of all failures.
extension OutboxSimulation {
    /// Corrects what the server refuses, and sends until nothing waits.
    mutating func heal() {
        log.append("heal")
        isHealed = true
        while !flights.isEmpty { deliver() }
        restart()
        // Reading may find conflicts, whose edits continue as other objects.
        for _ in 0..<3 {
            drain()
            for object in queue.objects.keys.sorted(by: { $0.key < $1.key }) { read(object) }
            takeForks()
        }
    }

    private mutating func drain() {
        for _ in 0..<200 {
            advance(310)
            for name in ["first", "second"] {
                principal = .init(name)
                queue.authorize(principal)
                resolveDeleted()
                correct()
                for _ in 0..<4 { pump() }
            }
            let isDrained = queue.objects.allSatisfy {
                $0.value.entries.isEmpty || isExcused($0.key)
            }
            if isDrained, shown.allSatisfy({ !isMissing($0) }) { return }
        }
    }

    /// Returns a Boolean value that indicates whether the server does not have an object any more.
    private func isMissing(_ object: EditedObject) -> Bool {
        guard case .integer(let id) = queue.objects[object]?.identity else { return false }
        return server.objects[id] == nil
    }

    /// Deletes the objects that other clients have deleted, and discards the entries that mention them.
    private mutating func resolveDeleted() {
        let missing = queue.objects.keys.filter(isMissing).sorted { $0.key < $1.key }
        for object in missing {
            while let entry = queue.objects[object]?.entries.last(where: {
                $0.kind != .deletion && $0.kind != .creation && $0.state != .abandoned
            }) {
                let count = queue.entryCount
                discard(entry, of: object)
                if queue.entryCount == count { break }
            }
            if queue.objects[object]?.local != nil { delete(object) }
        }
        let present = Set(queue.objects.keys.filter { !isMissing($0) }.map(\.key))
        for (object, edits) in queue.objects.sorted(by: { $0.key.key < $1.key.key }) {
            guard let entry = edits.entries.first, case .refused = entry.state,
                [.update, .creation].contains(entry.kind)
            else { continue }
            let keys = SimulatedServer.destinations(in: edits.values(at: 0))
            if !present.isSuperset(of: keys) { discard(entry, of: object) }
        }
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
            log.append("correct \(object.key) \(entry.kind) \(entry.state)")
            if entry.kind == .creation, entry.state == .refused(.gone) { resent.insert(object.key) }
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
