// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import RestRows

/// The images of objects that responses bring, and the reading of objects.
extension OutboxQueue {
    /// Takes what a response says of an object.
    package mutating func take(_ image: ObjectImage, of object: EditedObject, version: StoredValue?)
    {
        let policy = policy(of: object)
        if let identity = objects[object]?.entries.first?.existing,
            match(existing: image, with: identity, of: object)
        {
            return
        }
        update(object) { edits, next in
            if let entry = edits.entries.first, let identity = entry.existing {
                edits.adopt(identity, image, version: version, &next)
            } else {
                edits.take(image, version: version, policy: policy, &next)
            }
        }
    }

    /// Notes that a response has an older image of an object than the store shows.
    package mutating func ignoreImage(of object: EditedObject) {
        update(object) { edits, _ in edits.needsReading = true }
    }

    /// Takes that the server does not have an object any more.
    package mutating func takeAbsence(of object: EditedObject) {
        let (life, policy) = (timing.longestLife, policy(of: object))
        let limit = timing.conflictLimit
        guard let entry = objects[object]?.entries.first, entry.attempt == nil else { return }
        update(object) { edits, next in
            switch entry.kind {
            case .deletion:
                edits.accept(
                    OutboxAnswer.Response(status: 404), longestLife: life, policy: policy, &next)
            case .update, .command: edits.park(.refused(.gone))
            case .creation: edits.forgetExisting(conflictLimit: limit)
            }
        }
        if entry.kind == .deletion { releaseFollowers(of: object) }
    }

    /// Forgets until when earlier requests could be executed, if the time has passed.
    package mutating func forgetEndedRequests(at date: Date) {
        for (object, edits) in objects {
            guard let quiet = edits.quietUntil, quiet <= date else { continue }
            update(object) { edits, _ in edits.quietUntil = nil }
        }
    }

    /// Postpones the reading of an object whose image was not the present one.
    ///
    /// A server that has refused a version and shows it again is asked as often as there may be conflicts; then the
    /// user decides.
    package mutating func repeatReading(
        _ object: EditedObject, at date: Date, using generator: inout some RandomNumberGenerator
    ) {
        guard objects[object]?.awaitsReading == true else { return }
        let limit = timing.conflictLimit
        update(object) { edits, _ in edits.noteRefutedReading(conflictLimit: limit) }
        if objects[object]?.awaitsReading == true {
            postponeReading(object, at: date, using: &generator)
        }
    }

    /// Postpones the reading of an object, after a transient failure.
    package mutating func postponeReading(
        _ object: EditedObject, at date: Date, using generator: inout some RandomNumberGenerator
    ) {
        let failures = (objects[object]?.entries.first?.failureCount ?? 0) + 1
        let time = timing.next(afterFailures: failures, at: date, using: &generator)
        update(object) { edits, _ in edits.postponeReading(until: time) }
    }

    /// Notes that an object need not be read, because the server does not tell it.
    package mutating func forgetReading(_ object: EditedObject) {
        update(object) { edits, _ in
            edits.needsReading = false
            if edits.entries.first?.state == .reading { edits.park(.conflicted) }
        }
    }
}
