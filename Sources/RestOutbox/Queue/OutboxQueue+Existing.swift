// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import RestRows

/// Objects that the server has in place of new ones.
///
/// The server names an object when it refuses a creation, a search for an uncertain creation finds one, or the user
/// says that two rows are one object. The object is read into the row of the new one, which adopts it.
extension OutboxQueue {
    /// Returns the objects with entries that have an identity, which another object is about to adopt.
    func holders(of identity: StoredValue, besides object: EditedObject) -> Set<EditedObject> {
        Set(
            objects.filter { other, edits in
                other != object && other.entity == object.entity && edits.identity == identity
                    && !edits.entries.isEmpty
            }.keys)
    }

    /// Returns the other new objects whose creation may have made the object that the server has.
    ///
    /// A new object with an identity of the client has none: the object with this identity is its own. There are none
    /// either if the creation of the object itself may have made it.
    package func rivals(of object: EditedObject) -> [EditedObject] {
        guard let edits = objects[object], edits.entity.creation != .clientIdentity,
            edits.entries.first?.mayExist != true
        else { return [] }
        return objects.filter { other, edits in
            guard other != object, other.entity == object.entity, let first = edits.entries.first
            else { return false }
            return first.kind == .creation && first.existing == nil
                && (first.mayExist || first.attempt?.isUncertain == true)
        }.keys.sorted { $0.key < $1.key }
    }

    /// Gives the object that the server has in place of a new one to another new object, if it has all values that
    /// the request of that has sent.
    ///
    /// The server then refuses the creation because of what this program has created itself.
    ///
    /// - Parameters:
    ///   - image: The values of the object on the server.
    ///   - identity: Its identity.
    ///   - object: The new object whose creation the server has refused.
    /// - Returns: `false` if no other new object, or more than one, can be the object.
    package mutating func match(
        existing image: ObjectImage, with identity: StoredValue, of object: EditedObject
    ) -> Bool {
        let candidates = rivals(of: object).filter { other in
            objects[other]?.hasSent(image) == true
        }
        guard candidates.count == 1, let rival = candidates.first else { return false }
        adopt(identity, as: rival)
        update(object) { edits, _ in edits.refuseExisting() }
        return true
    }

    /// Prepares the entries of two rows of one object for becoming those of one row.
    ///
    /// They keep their values, so that none of them sends a value of the other row. What the program has edited in
    /// the row that the server has, it has edited later.
    ///
    /// - Parameters:
    ///   - former: The row that the other one takes over.
    ///   - other: The row that the server has.
    package mutating func prepareUnion(of former: EditedObject, with other: EditedObject) {
        let isEdited = objects[other]?.entries.isEmpty == false
        // A creation that has no attempt is compared with the object that it adopts.
        if isEdited || objects[former]?.entries.first?.isOpen == false {
            update(former) { $0.close(&$1) }
        }
        if !isEdited { return }
        update(other) { $0.close(&$1) }
        let edited = Set((objects[other]?.base ?? [:]).keys)
        update(former) { edits, _ in edits.leaveOut(edited) }
    }

    /// Ends the edits of a deleted new object whose creation has made an object that another row shows.
    ///
    /// The user has deleted one of two rows of the object, and uses the other one.
    ///
    /// - Returns: The entries that are void.
    package mutating func keepShown(_ object: EditedObject) -> [OutboxEntry] {
        guard let edits = objects[object], edits.local == nil,
            edits.entries.allSatisfy({ $0.attempt == nil })
        else { return [] }
        for entry in edits.entries { drop(entry.sequence, of: object) }
        releaseFollowers(of: object)
        return edits.entries
    }

    /// Leaves the decision about a creation that may have had its effect to the user.
    package mutating func leaveUncertain(_ object: EditedObject) {
        update(object) { edits, _ in edits.park(.uncertain) }
    }

    /// Unites an uncertain new object with an object that the server has.
    ///
    /// A deletion of the object in its own row that was not attempted is dropped: it is used as the new one.
    ///
    /// - Parameters:
    ///   - object: The new object.
    ///   - identity: The identity of the object that the server has.
    ///   - other: The row of it, if that has edits; `nil` for none.
    ///   - date: The current time.
    /// - Returns: `false` if the new object has no uncertain creation, or the deletion may be executed.
    package mutating func unite(
        _ object: EditedObject, with identity: StoredValue, of other: EditedObject?, at date: Date
    ) -> Bool {
        guard let first = objects[object]?.entries.first, first.kind == .creation,
            first.mayExist || first.attempt?.isUncertain == true || first.state == .uncertain
        else { return false }
        if let other, let deletion = objects[other]?.entries.last, deletion.kind == .deletion,
            objects[object]?.local != nil
        {
            if deletion.attempt != nil { return false }
            if discard(deletion.sequence, of: other, at: date) == nil { return false }
        }
        adopt(identity, as: object)
        return true
    }
}

extension ObjectEdits {
    /// A Boolean value that indicates whether the object has to be read, and no request is on its way.
    package var awaitsReading: Bool {
        guard let first = entries.first else { return needsReading }
        return first.state == .reading
    }

    /// Leaves properties out of the entries that were not sent.
    fileprivate mutating func leaveOut(_ properties: Set<String>) {
        for index in entries.indices where entries[index].attempt == nil {
            guard [.creation, .update].contains(entries[index].kind) else { continue }
            entries[index].values = entries[index].values.filter { !properties.contains($0.key) }
        }
        entries.removeAll { $0.kind == .update && $0.attempt == nil && $0.values.isEmpty }
    }

    /// Notes the identity of the object that the server has in place of the new one.
    mutating func noteExisting(_ identity: StoredValue) {
        if !entries.isEmpty { entries[0].existing = identity }
    }

    /// Refuses the creation, because the object that the server has is that of another creation.
    mutating func refuseExisting() {
        entries[0].existing = nil
        entries[0].state = .refused(.rejected(409))
    }

    /// Forgets the object that the server has named and does not have any more: the creation is sent again.
    ///
    /// If an earlier request may have created the object, others have deleted it, and the user decides.
    mutating func forgetExisting(conflictLimit: Int) {
        guard entries.first?.existing != nil else { return }
        entries[0].existing = nil
        if entries[0].mayExist, entity.creation != .clientIdentity {
            entries[0].state = .uncertain
            return
        }
        entries[0].conflictCount += 1
        entries[0].state = entries[0].conflictCount > conflictLimit ? .conflicted : .waiting
    }

    /// Returns a Boolean value that indicates whether an object of the server has all values of the first request.
    ///
    /// Values that only one of them has, and references, are not compared.
    func hasSent(_ image: ObjectImage) -> Bool {
        let sent = values(at: 0).filter { property, _ in
            image[property] != nil && entity.references[property] == nil
                && entity.members[property] == nil
        }
        return !sent.isEmpty && sent.allSatisfy { image[$0.key] == $0.value }
    }
}
