// SPDX-License-Identifier: Apache-2.0

/// The treatment of a property that a context and the store have both changed.
///
/// A property is in conflict if it has been set and its stored value is neither the one before that nor
/// the one that it was set to. Properties that only the store has changed are not in conflict: the
/// context takes their values. The inverse of a one-to-one relationship is in conflict if the store has
/// another source of the same destination. Numbers that ``ManagedEntity/increment(_:by:)`` counts are not
/// in conflict: saving adds up what all contexts have counted.
public enum MergePolicy: Sendable, Hashable {
    /// Saving throws an error with code ``PersistenceError/Code/saveConflict``, which names all
    /// properties in conflict.
    case fail
    /// Saving keeps the stored values and discards the unsaved ones.
    case storeWins
    /// Saving replaces the stored values.
    case contextWins
}
