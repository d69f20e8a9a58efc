// SPDX-License-Identifier: Apache-2.0

/// An invariant that an input violates.
package struct BrokenInvariant: Error, CustomStringConvertible {
    /// The invariant and the value that violates it.
    package let description: String
}

/// Throws an error if an invariant does not hold.
func require(
    _ holds: Bool, _ invariant: @autoclosure () -> String
) throws(BrokenInvariant) {
    guard holds else { throw BrokenInvariant(description: invariant()) }
}
