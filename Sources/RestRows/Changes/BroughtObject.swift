// SPDX-License-Identifier: Apache-2.0

/// An object that a response brings, and of which the store has no row.
package struct BroughtObject: Sendable {
    package let identity: StoredValue
    /// The values of its attributes by name.
    package let image: [String: StoredValue]

    package init(identity: StoredValue, image: [String: StoredValue]) {
        self.identity = identity
        self.image = image
    }
}
