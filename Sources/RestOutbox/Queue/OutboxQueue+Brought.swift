// SPDX-License-Identifier: Apache-2.0

package import RestRows

/// An object that the server has, and of which the store had no row.
package struct BroughtObject: Sendable {
    package let identity: StoredValue
    package let image: ObjectImage

    package init(identity: StoredValue, image: ObjectImage) {
        self.identity = identity
        self.image = image
    }
}

extension OutboxQueue {
    /// Gives objects that a response brings to uncertain creations, which adopt them.
    ///
    /// With an attribute by which objects are recognized, its value decides. Otherwise equal sent values do, if one
    /// object and one uncertain creation have them. A creation that still may be answered adopts nothing.
    ///
    /// - Parameters:
    ///   - brought: The objects.
    ///   - entity: Their entity.
    ///   - property: The attribute by which they are recognized; `nil` for none.
    package mutating func adopt(
        _ brought: [BroughtObject], of entity: String, recognizedBy property: String?
    ) {
        let creations = objects.filter { object, edits in
            guard object.entity == entity, let first = edits.entries.first else { return false }
            guard first.kind == .creation, first.existing == nil else { return false }
            if case .probing = first.state { return true }
            return first.state == .uncertain
        }.keys.sorted { $0.key < $1.key }
        func matches(_ object: EditedObject, _ image: ObjectImage) -> Bool {
            guard let edits = objects[object] else { return false }
            guard let property else { return edits.hasSent(image) }
            guard let value = edits.values(at: 0)[property], !value.isNull else { return false }
            return image[property] == value
        }
        var pairs: [(EditedObject, StoredValue)] = []
        for object in creations {
            let found = brought.filter { matches(object, $0.image) }
            guard found.count == 1, let only = found.first else { continue }
            guard creations.filter({ matches($0, only.image) }).count == 1 else { continue }
            pairs.append((object, only.identity))
        }
        let life = timing.longestLife
        for (object, identity) in pairs {
            update(object) { edits, next in
                edits.reopen(.reading, longestLife: life, &next)
                edits.noteExisting(identity)
            }
        }
    }
}
