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
        try validationErrors(of: layered.layers.top)
    }

    /// Returns the reasons why a part of the unsaved changes cannot be saved.
    func validationErrors(
        of changes: ChangeSet
    ) throws(PersistenceError) -> [ValidationError] {
        try errors.deferred + ChangeValidator(layered, ContextRules(of: self)).errors(of: changes)
    }
}

/// The rules of the objects of a context.
struct ContextRules: ObjectRules {
    private let context: ManagedObjectContext

    init(of context: ManagedObjectContext) { self.context = context }

    func areDeclared(for table: TableLayout) -> Bool {
        table.entities.contains {
            context.model.layouts[$0].description.objectType is any ValidatingObject.Type
        }
    }

    func errors(
        of keys: Set<Int64>, _ table: TableLayout, _ state: RowState
    ) throws(PersistenceError) -> [ValidationError] {
        let kind: SaveKind =
            switch state {
            case .inserted: .insert
            case .updated: .update
            case .deleted, .dropped: .delete
            }
        let objects = try context.objects(keys, table, areDeleted: kind == .delete)
        var errors: [ValidationError] = []
        for object in objects.sorted(by: { $0.objectID.key < $1.objectID.key }) {
            guard let object = object as? any ValidatingObject else { continue }
            errors += object.validationErrors(for: kind)
        }
        return errors
    }
}
