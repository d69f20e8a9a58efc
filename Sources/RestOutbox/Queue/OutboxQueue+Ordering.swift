// SPDX-License-Identifier: Apache-2.0

package import Foundation
import RestRows
package import RestTransport

/// The order between objects.
extension OutboxQueue {
    /// The next step for an object.
    package enum Step: Sendable, Hashable {
        /// A request is sent, or sent again.
        case send
        /// The server is searched for an uncertain creation.
        case probe
        /// The object is read.
        case read
    }

    /// Returns the objects whose turn it is, those with the oldest entries first.
    ///
    /// Entries of other principals stay where they are.
    package func ready(
        for principal: Principal?, at date: Date
    ) -> [(object: EditedObject, step: Step)] {
        if unauthorized.contains(principal) { return [] }
        var found: [(sequence: Int64, object: EditedObject, step: Step)] = []
        for (object, edits) in objects {
            guard let entry = edits.entries.first, entry.principal == principal,
                !entry.state.isParked, entry.state != .sending, entry.notBefore <= date
            else { continue }
            let step: Step
            switch entry.state {
            case .reading: step = .read
            case .probing: step = .probe
            default:
                step = .send
                if entry.attempt == nil {
                    if let quiet = edits.quietEnd(before: entry), quiet > date { continue }
                    if !blockers(of: object).isEmpty { continue }
                }
            }
            found.append((entry.sequence, object, step))
        }
        return found.sorted { $0.sequence < $1.sequence }.map { ($0.object, $0.step) }
    }

    /// Returns the objects whose entries must end before the first entry of an object is sent.
    package func blockers(of object: EditedObject) -> Set<EditedObject> {
        let all = waits(of: object)
        guard objects[object]?.entries.first?.kind == .deletion else { return all }
        // A circle of deleted objects has no first one: the server removes the references with the objects.
        let sequence = objects[object]?.entries.first?.sequence ?? 0
        return all.filter { other in
            guard reaches(object, from: other) else { return true }
            guard let entry = objects[other]?.entries.first, entry.kind == .deletion else {
                return false
            }
            return entry.sequence < sequence
        }
    }

    private func reaches(_ goal: EditedObject, from start: EditedObject) -> Bool {
        var (visited, pending): (Set<EditedObject>, [EditedObject]) = ([], [start])
        while let object = pending.popLast() {
            guard visited.insert(object).inserted else { continue }
            let waits = waits(of: object)
            if waits.contains(goal) { return true }
            pending += waits
        }
        return false
    }

    private func waits(of object: EditedObject) -> Set<EditedObject> {
        guard let edits = objects[object], let entry = edits.entries.first, entry.attempt == nil
        else { return [] }
        var blocking: Set<EditedObject> = []
        if let former = predecessors[object], objects[former]?.awaitsDeletion == true {
            blocking.insert(former)
        }
        if entry.kind == .deletion {
            for (other, edits) in objects where other != object {
                if edits.takesReference(from: object) { blocking.insert(other) }
            }
            return blocking
        }
        let (values, later) = split(edits)
        let unsent = values.isEmpty && !later.isEmpty ? later : values
        for (property, value) in unsent {
            guard let destination = destination(of: value, property, edits.entity),
                let other = objects[destination], !other.canBeNamed(by: entry)
            else { continue }
            blocking.insert(destination)
        }
        return blocking
    }

    /// Returns the object that a value refers to.
    func destination(
        of value: StoredValue, _ property: String, _ entity: SentEntity
    ) -> EditedObject? {
        guard let reference = entity.references[property], case .integer(let key) = value else {
            return nil
        }
        return EditedObject(entity: reference.destination, key: key)
    }

    /// Returns the values of an object's first entry that can be sent now, and those that follow.
    private func split(_ edits: ObjectEdits) -> (values: ObjectImage, later: ObjectImage) {
        guard let entry = edits.entries.first, entry.kind != .deletion else { return ([:], [:]) }
        var values = edits.values(at: 0)
        var later: ObjectImage = [:]
        // A closed entry has no references besides others.
        if !entry.isClosed {
            for (property, value) in values where edits.entity.isSeparable(property) {
                guard let destination = destination(of: value, property, edits.entity),
                    objects[destination]?.canBeNamed(by: entry) == false
                else { continue }
                later[property] = value
            }
        }
        values = ObjectEdits.without(later, in: values, entry.kind)
        return (values, later)
    }

    /// Returns the content of the request of an object's first entry, and the values that follow in another
    /// one.
    package func draft(of object: EditedObject) -> (RequestDraft?, later: ObjectImage) {
        guard let edits = objects[object], let entry = edits.entries.first, entry.attempt == nil
        else { return (nil, [:]) }
        let (values, later) = split(edits)
        var resolved = values
        for (property, value) in values {
            guard let destination = destination(of: value, property, edits.entity) else { continue }
            resolved[property] = objects[destination]?.identity ?? value
        }
        let draft = RequestDraft(
            object: object, kind: entry.kind, sequence: entry.sequence, identity: edits.identity,
            version: edits.entity.isConditional ? edits.version : nil, values: resolved)
        return (draft, later)
    }
}

extension ObjectEdits {
    /// Returns a Boolean value that indicates whether the request of another object's entry can name the
    /// object: the server has it, and has it until what was saved before its deletion is sent.
    fileprivate func canBeNamed(by entry: OutboxEntry) -> Bool {
        if awaitsCreation { return false }
        guard let deletion = entries.first(where: { $0.kind == .deletion }) else { return true }
        return entry.sequence < deletion.sequence
    }

    /// Returns a Boolean value that indicates whether an entry takes a reference away from an object.
    fileprivate func takesReference(from object: EditedObject) -> Bool {
        for (property, reference) in entity.references
        where reference.destination == object.entity {
            let key = StoredValue.integer(object.key)
            for index in entries.indices {
                let entry = entries[index]
                if entry.kind == .deletion {
                    if entry.values[property] == key { return true }
                } else if let new = values(at: index)[property] {
                    if new == key { return true }
                    if left(before: index)[property] == key { return true }
                }
            }
        }
        return false
    }
}
