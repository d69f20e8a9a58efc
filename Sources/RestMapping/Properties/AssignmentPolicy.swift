// SPDX-License-Identifier: Apache-2.0

/// The policy for the objects that a relationship holds when others are assigned.
public enum AssignmentPolicy: UInt8, Sendable, Hashable {
    /// The new objects replace the current ones.
    case set
    /// The new objects are added: lists grow, sets keep each object once. Null adds nothing.
    case union
    /// The new objects replace the current ones, as with ``set``; a store also deletes the current
    /// objects that are not among the new ones.
    case replace
}
