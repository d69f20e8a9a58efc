// SPDX-License-Identifier: Apache-2.0

package import Foundation
import RestRows
package import RestTransport

/// The decisions of the user and of the program about entries.
extension OutboxQueue {
    /// Adds a command behind what was saved of an object.
    ///
    /// - Returns: The number of the entry; `nil` if the object is not known.
    package mutating func enqueue(
        _ command: OutboxCommand, of object: EditedObject, expires: Date?, by principal: Principal?
    ) -> Int64? {
        update(object) { $0.add(command, expires: expires, by: principal, &$1) }
    }

    /// Removes the entries that have not been sent in time, and returns them.
    package mutating func expire(at date: Date) -> [OutboxEntry] {
        var late: [OutboxEntry] = []
        for object in objects.keys {
            late += update(object) { edits, _ in edits.expire(at: date) } ?? []
        }
        return late
    }

    /// Sends the entries of a principal again, whose credentials are valid.
    package mutating func authorize(_ principal: Principal?) { unauthorized.remove(principal) }

    /// Parks the first entry of an object, whose request cannot be written.
    package mutating func refuse(_ object: EditedObject) {
        update(object) { edits, _ in edits.park(.refused(.invalid)) }
    }

    /// Sends a parked entry again when its turn comes, because the user says so.
    package mutating func retry(_ object: EditedObject) {
        guard let entry = objects[object]?.entries.first, entry.state.isParked else { return }
        let life = timing.longestLife
        update(object) { edits, next in
            if entry.attempt != nil {
                edits.reopen(.waiting, longestLife: life, &next)
            } else {
                edits.noteConflict(count: 0)
                // An object that the server has is not created a second time.
                edits.park(entry.existing == nil ? .waiting : .reading)
            }
        }
    }

    /// Changes what the first entry of an object sends, if it is parked, and lets it wait for its turn again.
    ///
    /// A save changes an open entry; this also changes one that a save under another principal has closed.
    package mutating func amend(_ object: EditedObject, _ values: ObjectImage) {
        guard let entry = objects[object]?.entries.first, entry.attempt == nil else { return }
        if !entry.isClosed { return change(object, values, by: entry.principal) }
        update(object) { $0.amend(values, &$1) }
    }
}
