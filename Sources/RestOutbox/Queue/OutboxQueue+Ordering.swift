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
                !entry.state.isParked, ![.sending, .abandoned].contains(entry.state),
                entry.notBefore <= date, !entry.isLate(at: date)
            else { continue }
            let step: Step
            switch entry.state {
            case .reading:
                if entry.existing != nil, !blockers(of: object).isEmpty { continue }
                step = .read
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
        if let identity = entry.existing { return holders(of: identity, besides: object) }
        if entry.kind == .deletion {
            let entity = edits.entity
            for (other, edits) in objects where other != object {
                if edits.takesReference(from: object, of: entity) { blocking.insert(other) }
            }
            return blocking
        }
        let (values, later) = split(edits)
        let unsent = values.isEmpty && !later.isEmpty ? later : values
        let base = edits.left(before: 0)
        for (property, value) in unsent {
            for destination in destinations(of: value, property, edits.entity, since: base) {
                guard let other = objects[destination], !other.canBeNamed(by: entry) else {
                    continue
                }
                blocking.insert(destination)
            }
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
        return object(of: reference.destination, key: key)
    }

    /// Returns the objects that a value names and the server does not have in it: the destination of a reference,
    /// or added members.
    private func destinations(
        of value: StoredValue, _ property: String, _ entity: SentEntity, since base: ObjectImage
    ) -> [EditedObject] {
        guard let members = entity.members[property] else {
            return destination(of: value, property, entity).map { [$0] } ?? []
        }
        let known = base[property].flatMap { MemberSet($0)?.keys } ?? []
        return (MemberSet(value)?.keys ?? []).subtracting(known)
            .map { object(of: members.destination, key: $0) }
    }

    /// Returns the object with a key, whose entity may inherit from that of the relationship.
    ///
    /// Entities that inherit from each other share a table, and thus the keys.
    func object(of destination: String, key: Int64) -> EditedObject {
        let kinds = model.kinds(of: destination).map { EditedObject(entity: $0, key: key) }
        return kinds.first { objects[$0] != nil } ?? kinds[0]
    }

    /// Returns the values of an object's first entry that can be sent now, and those that follow.
    private func split(_ edits: ObjectEdits) -> (values: ObjectImage, later: ObjectImage) {
        guard let entry = edits.entries.first, entry.kind != .deletion else { return ([:], [:]) }
        var values = edits.values(at: 0)
        var later: ObjectImage = [:]
        // A closed entry has no references besides others.
        if !entry.isClosed {
            for (property, value) in values where edits.entity.references[property] != nil {
                guard edits.entity.isSeparable(property),
                    let destination = destination(of: value, property, edits.entity),
                    objects[destination]?.canBeNamed(by: entry) == false
                else { continue }
                later[property] = value
            }
        }
        values = edits.without(later, in: values, entry.kind)
        if !entry.isClosed { splitMembers(edits, entry, &values, &later) }
        return (values, later)
    }

    /// Leaves the members in the values that a request can contain.
    ///
    /// Members that the server does not have yet follow later. If each member has a request of its own, the
    /// request of the entry is one of these once the other values were sent.
    private func splitMembers(
        _ edits: ObjectEdits, _ entry: OutboxEntry, _ values: inout ObjectImage,
        _ later: inout ObjectImage
    ) {
        if edits.entity.members.isEmpty { return }
        let base = edits.left(before: 0)
        var hasMemberRequest =
            entry.kind == .creation
            || values.contains { property, _ in
                edits.entity.members[property]?.isMemberwise != true
            }
        for property in edits.entity.members.keys.sorted() {
            guard let value = values[property], let members = edits.entity.members[property],
                let new = MemberSet(value)?.keys
            else { continue }
            let old = base[property].flatMap { MemberSet($0)?.keys } ?? []
            let added = new.subtracting(old)
            let ready = added.filter {
                let member = self.object(of: members.destination, key: $0)
                return objects[member]?.canBeNamed(by: entry) != false
            }
            let removed = old.subtracting(new)
            var sent = old
            if !members.isMemberwise {
                sent = sent.subtracting(removed).union(ready)
            } else if !hasMemberRequest, let key = removed.min() ?? ready.min() {
                sent.formSymmetricDifference([key])
                hasMemberRequest = true
            }
            if sent == new { continue }
            later[property] = value
            values[property] =
                sent == old && entry.kind != .creation ? nil : MemberSet(sent).stored
        }
    }

    /// Returns the content of the request of an object's first entry; `nil` if it is written already.
    package func draft(of object: EditedObject) -> RequestDraft? {
        guard let edits = objects[object], let entry = edits.entries.first, entry.attempt == nil
        else { return nil }
        let (values, _) = split(edits)
        var resolved = values
        for (property, value) in values {
            guard let destination = destination(of: value, property, edits.entity) else { continue }
            resolved[property] = objects[destination]?.identity ?? value
        }
        return RequestDraft(
            object: object, kind: entry.kind, sequence: entry.sequence, identity: edits.identity,
            version: edits.entity.isConditional ? edits.version : nil, values: resolved,
            rows: values, member: memberChange(values, edits))
    }

    /// Returns the member that a request of its own adds or removes; `nil` for another request.
    private func memberChange(
        _ values: ObjectImage, _ edits: ObjectEdits
    ) -> RequestDraft.MemberChange? {
        guard edits.entries.first?.kind == .update, values.count == 1,
            let (property, value) = values.first,
            edits.entity.members[property]?.isMemberwise == true,
            let new = MemberSet(value)?.keys
        else { return nil }
        let old = edits.left(before: 0)[property].flatMap { MemberSet($0)?.keys } ?? []
        guard let key = new.symmetricDifference(old).first else { return nil }
        return RequestDraft.MemberChange(
            property: property, key: key, isAdded: new.contains(key))
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
    fileprivate func takesReference(from object: EditedObject, of kind: SentEntity) -> Bool {
        for (property, reference) in entity.references
        where kind.isKind(of: reference.destination) {
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
        for (property, members) in entity.members where kind.isKind(of: members.destination) {
            func mentions(_ value: StoredValue?) -> Bool {
                value.flatMap(MemberSet.init)?.keys.contains(object.key) == true
            }
            for index in entries.indices {
                guard let value = values(at: index)[property] else { continue }
                if mentions(value) || mentions(left(before: index)[property]) { return true }
            }
        }
        return false
    }
}
