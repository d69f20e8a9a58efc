// SPDX-License-Identifier: Apache-2.0

package import RestRows

extension OutboxQueue {
    /// Returns which objects of a response the store must not show, because they may be new objects of it.
    ///
    /// With an attribute by which objects are recognized, its value decides, otherwise the sent values do. A creation
    /// that may still be answered says itself which object it has made, which can also be one whose values the
    /// response does not bring, such as that of a reference. One that is not answered any more adopts an
    /// object if no other object, and no other creation, has the values. If several have them, the user decides, and
    /// all of them are shown.
    ///
    /// - Parameters:
    ///   - brought: The objects of which the store has no rows.
    ///   - entity: Their entity.
    ///   - property: The attribute by which they are recognized; `nil` for none.
    /// - Returns: The indices of the objects.
    package mutating func recognize(
        _ brought: [BroughtObject], of entity: String, recognizedBy property: String?
    ) -> Set<Int> {
        let creations = objects.filter { object, edits in
            object.entity == entity && edits.mayExist
        }.keys.sorted { $0.key < $1.key }
        var matches: [(creation: EditedObject, object: Int)] = []
        var held: Set<Int> = []
        for creation in creations {
            guard let edits = objects[creation] else { continue }
            for (index, object) in brought.enumerated() {
                if edits.matches(object, recognizedBy: property) {
                    matches.append((creation, index))
                } else if edits.findsItself, edits.cannotMatch(object, recognizedBy: property) {
                    held.insert(index)
                }
            }
        }
        for (creation, index) in matches {
            guard let edits = objects[creation] else { continue }
            if edits.findsItself { held.insert(index) }
            if edits.mayBeAnswered { continue }
            let isOnly = matches.allSatisfy { ($0.creation == creation) == ($0.object == index) }
            guard isOnly else { continue }
            held.insert(index)
            adopt(brought[index].identity, as: creation)
        }
        return held
    }

    /// Adopts an object of the server as a new object, for which it is read.
    mutating func adopt(_ identity: StoredValue, as object: EditedObject) {
        let life = timing.longestLife
        update(object) { edits, next in
            edits.reopen(.reading, longestLife: life, &next)
            edits.noteExisting(identity)
        }
    }
}

extension ObjectEdits {
    /// A Boolean value that indicates whether the server may have the new object already, and the store does not know
    /// its identity.
    fileprivate var mayExist: Bool {
        guard let first = entries.first, first.kind == .creation else { return false }
        if first.state == .abandoned { return false }
        if first.mayExist || first.existing != nil { return true }
        return first.state == .sending || first.attempt?.isUncertain == true
    }

    /// A Boolean value that indicates whether an answer will say which object the creation has made.
    fileprivate var mayBeAnswered: Bool { findsItself && !isProbing }

    /// A Boolean value that indicates whether an answer, or a search, will say which object the creation has made.
    fileprivate var findsItself: Bool {
        guard let first = entries.first else { return false }
        return first.existing != nil || first.attempt != nil && first.state != .uncertain
    }

    private var isProbing: Bool {
        if case .probing? = entries.first?.state { true } else { false }
    }

    fileprivate func matches(_ object: BroughtObject, recognizedBy property: String?) -> Bool {
        if let existing = entries.first?.existing { return existing == object.identity }
        guard let property else { return hasSent(object.image) }
        guard let value = values(at: 0)[property], !value.isNull else { return false }
        return object.image[property] == value
    }

    /// Returns a Boolean value that indicates whether a response does not bring the values by which an object is
    /// recognized.
    fileprivate func cannotMatch(_ object: BroughtObject, recognizedBy property: String?) -> Bool {
        if entries.first?.existing != nil { return false }
        if let property { return object.image[property] == nil }
        return values(at: 0).keys.allSatisfy { object.image[$0] == nil }
    }
}
