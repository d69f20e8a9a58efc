// SPDX-License-Identifier: Apache-2.0

/// The effect of a save on an object.
public enum SaveKind: Sendable, Hashable {
    /// The save inserts the object.
    case insert
    /// The save updates the object.
    case update
    /// The save deletes the object.
    case delete
}

/// A class of managed objects with rules of its own, which every save checks, also that of a child.
///
/// ```swift
/// extension Booking: ValidatingObject {
///     func validationErrors(for kind: SaveKind) -> [ValidationError] {
///         guard kind != .delete, end < start else { return [] }
///         return [ValidationError(self, property: "end", "is before the start")]
///     }
/// }
/// ```
public protocol ValidatingObject: ManagedObject {
    /// Returns the reasons why the object cannot be saved; empty if it can.
    func validationErrors(for kind: SaveKind) -> [ValidationError]
}

extension ManagedObjectContext {
    /// Returns the reasons why the unsaved changes cannot be saved.
    ///
    /// Required values, storable values, lengths, denied deletions and the rules of ``ValidatingObject`` are checked.
    ///
    /// - Throws: ``PersistenceError`` of the database.
    public func validationErrors() throws(PersistenceError) -> [ValidationError] {
        try ChangeValidator(self).errors(of: layers.top)
    }
}
