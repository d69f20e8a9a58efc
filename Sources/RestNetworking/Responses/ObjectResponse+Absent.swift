// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping

// The absence of a list is no statement about its members, so that no stored object may be deleted
// for it.

extension ObjectResponse {
    /// The names of the entities about whose objects the document says less than the descriptors
    /// expect: a key path is absent, or absent in an element of a list, or its value is null.
    package var absentEntityNames: Set<String> {
        var names: Set<String> = []
        for descriptor in absentDescriptors { names.formUnion(descriptor.plan?.entityNames ?? []) }
        for match in matches where match.representation.isNull || lacksElement(of: match) {
            names.formUnion(match.plan.entityNames)
        }
        return names
    }

    /// Returns a Boolean value that indicates whether an element of a list in the key path has no value.
    private func lacksElement(of match: ResponseMatch) -> Bool {
        guard match.isCollected, let document else { return false }
        return document.root.lacksValue(at: match.descriptor.keyPath.components[...])
    }
}

extension Node {
    /// Returns a Boolean value that indicates whether a path leads to no value, or to null, in this value
    /// or in an element of a list on the path.
    fileprivate func lacksValue(at path: ArraySlice<DocumentPath.Component>) -> Bool {
        guard let component = path.first else { return isNull }
        switch component {
        case .key(let key):
            if kind == .array { return elements.contains { $0.lacksValue(at: path) } }
            return self[key]?.lacksValue(at: path.dropFirst()) ?? true
        case .index(let index):
            return self[index]?.lacksValue(at: path.dropFirst()) ?? true
        }
    }
}
