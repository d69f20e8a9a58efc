// SPDX-License-Identifier: Apache-2.0

extension ManagedObjectID {
    /// Returns a Boolean value that indicates whether the object is of one of some entities, or of an
    /// entity that inherits from one.
    package func isOf(_ entityNames: Set<String>, in context: ManagedObjectContext) -> Bool {
        if entityNames.isEmpty { return false }
        var layout = layout
        while true {
            if entityNames.contains(layout.name) { return true }
            guard let index = layout.superentity else { return false }
            layout = context.model.layouts[index]
        }
    }
}
