// SPDX-License-Identifier: Apache-2.0

#if XML

/// A promise that an input showed to be wrong.
package struct BrokenInvariant: Error, CustomStringConvertible {
    /// Which promise, and at what value.
    package let description: String
}

/// Throws unless a promise was kept.
func require(
    _ holds: Bool, _ promise: @autoclosure () -> String
) throws(BrokenInvariant) {
    guard holds else { throw BrokenInvariant(description: promise()) }
}

#endif
