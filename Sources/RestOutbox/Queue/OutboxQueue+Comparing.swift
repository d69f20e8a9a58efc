// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import RestRows

extension OutboxQueue {
    /// Compares what the server has of a deleted object, which was read, with what it had when the object was
    /// deleted.
    ///
    /// A difference is a conflict, about which the policy of the entity decides as a whole, because there is no
    /// value to merge. If edits win, the deletion is sent nevertheless. If the server wins, or edits become
    /// another object, the deletion ends and the object has the values of the server. Otherwise the user
    /// decides, and also if the values cannot be read.
    ///
    /// - Parameters:
    ///   - image: The values that the server has; absent ones are not compared. `nil` if they cannot be read.
    ///   - object: The object.
    ///   - version: Its version; `nil` for none.
    ///   - date: The current time.
    /// - Returns: The entries that have ended.
    package mutating func compare(
        _ image: ObjectImage?, ofDeleted object: EditedObject, version: StoredValue?, at date: Date
    ) -> [DiscardedEntry] {
        guard let edits = objects[object], edits.local == nil, let entry = edits.entries.first,
            entry.kind == .deletion, entry.attempt == nil
        else {
            take([:], of: object, version: version)
            return []
        }
        let image = image.map(edits.entity.synchronized)
        let isReadable = image?.isEmpty == false
        let isDifferent =
            isReadable ? edits.isContested(by: image ?? [:], version: version) : true
        take(image ?? [:], of: object, version: version)
        let policy = policies[object.entity] ?? policy
        guard isDifferent, policy.isFork || policy.policy != .contextWins else { return [] }
        if isReadable, policy.isFork || policy.policy == .storeWins,
            let ended = discard(entry.sequence, of: object, at: date)
        {
            // The rest of the row is as old as the deletion.
            update(object) { edits, _ in edits.needsReading = true }
            return ended
        }
        update(object) { edits, _ in
            edits.park(.conflicted)
            // It is read again when the user has decided.
            edits.version = nil
        }
        return []
    }
}

extension ObjectEdits {
    /// Returns a Boolean value that indicates whether the server has other values than when the object was deleted.
    fileprivate func isContested(by image: ObjectImage, version: StoredValue?) -> Bool {
        guard let former = entries.first?.values, !entity.isOlder(version, than: self.version)
        else { return false }
        return image.contains { property, theirs in
            guard let known = former[property], !unknown.contains(property) else { return false }
            return self.known(theirs, of: property, besides: known) != known
        }
    }
}
