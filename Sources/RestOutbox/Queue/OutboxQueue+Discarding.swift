// SPDX-License-Identifier: Apache-2.0

package import Foundation
import RestRows

/// An entry that has ended because it was discarded, or with another one.
package struct DiscardedEntry: Sendable, Hashable {
    package let object: EditedObject
    package let entry: OutboxEntry
}

extension OutboxQueue {
    /// Discards an entry with all that depends on it.
    ///
    /// - A new object takes the new objects along that need it; references to it that are not needed become null.
    /// - A deletion restores the references that a delete rule has cleared, and first undoes the deletions of the
    ///   objects that the restored one needs.
    /// - A reference that is moved back to a deleted object first undoes its deletion, if it is required.
    ///
    /// An entry whose request may be executed is abandoned: it ends with its answer, or with the life of the
    /// request.
    ///
    /// - Returns: The entries that have ended or were abandoned; `nil` if nothing was discarded, because a deletion
    ///   may be executed or is not the last entry, because a new object has the identity of the deleted one, because
    ///   an object that is needed does not exist any more, or because the entry is a part of a deletion.
    package mutating func discard(
        _ sequence: Int64, of object: EditedObject, at date: Date
    ) -> [DiscardedEntry]? {
        var copy = self
        var ended: [DiscardedEntry] = []
        var visited: Set<EditedObject> = []
        guard copy.discard(sequence, of: object, at: date, &visited, &ended) else { return nil }
        self = copy
        return ended
    }

    private mutating func discard(
        _ sequence: Int64, of object: EditedObject, at date: Date,
        _ visited: inout Set<EditedObject>, _ ended: inout [DiscardedEntry]
    ) -> Bool {
        guard visited.insert(object).inserted else { return true }
        guard let edits = objects[object],
            let index = edits.entries.firstIndex(where: { $0.sequence == sequence })
        else { return false }
        let entry = edits.entries[index]
        // A new object has the identity already.
        if entry.kind == .deletion, predecessors.values.contains(object) { return false }
        guard restoreDestinations(of: edits, index, at: date, &visited, &ended) else {
            return false
        }
        let life = timing.longestLife
        // What needs the object is found by its references.
        let result =
            update(object, keepsMentions: true) {
                $0.discard(index, at: date, longestLife: life, &$1)
            } ?? nil
        switch result {
        case nil: return false
        case .ended(let entries), .abandoned(let entries):
            ended += entries.map { DiscardedEntry(object: object, entry: $0) }
            if case .abandoned = result {
                ended.append(DiscardedEntry(object: object, entry: entry))
            }
        }
        switch entry.kind {
        case .creation: return discardDependants(of: object, at: date, &visited, &ended)
        case .deletion:
            clearReferencesToDeleted(of: object)
            guard let kind = model.entities[object.entity] else { break }
            for other in objects.keys {
                update(other) { $0.restoreReferences(to: object, of: kind, &$1) }
            }
        case .update: clearReferencesToDeleted(of: object)
        case .command: break
        }
        return true
    }

    /// Undoes the deletions of the objects that restored values need.
    ///
    /// - Returns: `false` if one cannot be undone.
    private mutating func restoreDestinations(
        of edits: ObjectEdits, _ index: Int, at date: Date, _ visited: inout Set<EditedObject>,
        _ ended: inout [DiscardedEntry]
    ) -> Bool {
        let isDeletion = edits.entries[index].kind == .deletion
        // Nothing of a deleted object is restored.
        if !isDeletion, edits.local == nil { return true }
        for (property, value) in edits.restoredValues(discarding: index) {
            // The destination does not exist any more.
            if value.isNull, edits.entity.references[property]?.isRequired == true { return false }
            guard let destination = destination(of: value, property, edits.entity),
                let other = objects[destination], other.local == nil, !visited.contains(destination)
            else { continue }
            guard edits.entity.references[property]?.isRequired == true else {
                // The reference was cleared with the deletion, and is restored with it.
                if isDeletion { continue }
                return false
            }
            if !undoDeletion(of: destination, at: date, &visited, &ended) { return false }
        }
        return true
    }

    private mutating func undoDeletion(
        of object: EditedObject, at date: Date, _ visited: inout Set<EditedObject>,
        _ ended: inout [DiscardedEntry]
    ) -> Bool {
        guard let last = objects[object]?.entries.last, last.kind == .deletion else { return false }
        return discard(last.sequence, of: object, at: date, &visited, &ended)
    }

    /// Clears the references of an object to others that are deleted, and takes these from its members.
    private mutating func clearReferencesToDeleted(of object: EditedObject) {
        guard let edits = objects[object], let local = edits.local else { return }
        var cleared: ObjectImage = [:]
        for (property, value) in local {
            if let entity = edits.entity.members[property]?.destination {
                guard let members = MemberSet(value) else { continue }
                let shown = members.keys.filter {
                    !isDeleted(self.object(of: entity, key: $0))
                }
                if shown != members.keys { cleared[property] = MemberSet(shown).stored }
            } else if let destination = destination(of: value, property, edits.entity),
                isDeleted(destination)
            {
                cleared[property] = .null
            }
        }
        if cleared.isEmpty { return }
        update(object) { $0.show(cleared, &$1) }
    }

    func isDeleted(_ object: EditedObject) -> Bool {
        objects[object].map { $0.local == nil } ?? false
    }

    /// Discards the new objects that need one which will not exist, and the references of others to it.
    ///
    /// - Returns: `false` if another object cannot go back to what it needed before.
    private mutating func discardDependants(
        of object: EditedObject, at date: Date, _ visited: inout Set<EditedObject>,
        _ ended: inout [DiscardedEntry]
    ) -> Bool {
        let key = StoredValue.integer(object.key)
        guard let kind = model.entities[object.entity] else { return true }
        for (other, edits) in objects.sorted(by: { $0.key.key < $1.key.key }) where other != object
        {
            let properties = edits.entity.references.filter {
                $0.value.isRequired && kind.isKind(of: $0.value.destination)
                    && edits.local?[$0.key] == key
            }
            if properties.isEmpty { continue }
            if let first = edits.entries.first, first.kind == .creation {
                _ = discard(first.sequence, of: other, at: date, &visited, &ended)
            } else {
                update(other) { $0.revert(Set(properties.keys), from: key, &$1) }
                for property in properties.keys {
                    guard let value = objects[other]?.local?[property],
                        let destination = destination(of: value, property, edits.entity)
                    else { return false }
                    if objects[destination].map({ $0.local == nil }) != true { continue }
                    if !undoDeletion(of: destination, at: date, &visited, &ended) { return false }
                }
            }
        }
        forget(object)
        return true
    }

    /// Notes that a delete rule has cleared references of an object, which their deletions restore if they are
    /// discarded.
    package mutating func noteCleared(_ references: [String: Int64], of object: EditedObject) {
        if references.isEmpty { return }
        update(object) { edits, _ in edits.noteCleared(references) }
    }

    /// Forgets an entry without undoing it, with the reading of its object.
    package mutating func drop(_ sequence: Int64, of object: EditedObject) {
        update(object) { $0.drop(sequence, &$1) }
    }

    // MARK: Abandoned requests

    /// Ends the abandoned entries whose requests cannot be executed any more, so that their objects are read.
    package mutating func endAbandoned(at date: Date) {
        let life = timing.longestLife
        for (object, edits) in objects {
            guard let entry = edits.entries.first, entry.state == .abandoned,
                entry.notBefore <= date
            else { continue }
            update(object) { $0.endAbandoned(life, &$1) }
        }
    }

    mutating func recordAbandoned(
        _ answer: OutboxAnswer, of object: EditedObject, _ kind: OutboxEntry.Kind
    ) {
        var meaning: AnswerMeaning?
        if case .response(let response) = answer {
            meaning = answers.meaning(of: response, to: kind, of: object.entity)
        }
        let (life, policy) = (timing.longestLife, policies[object.entity] ?? policy)
        update(object) {
            $0.recordAbandoned(answer, meaning: meaning, longestLife: life, policy: policy, &$1)
        }
    }
}
