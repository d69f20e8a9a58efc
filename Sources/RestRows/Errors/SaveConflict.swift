// SPDX-License-Identifier: Apache-2.0

/// A property that a context and the store have both changed, or an identity that another object has.
///
/// To resolve a conflict, refresh the object and save again, or set the context's
/// ``ManagedObjectContext/mergePolicy``. An identity has to be set to another value, or its object to be
/// deleted.
public struct SaveConflict: Sendable, Hashable, CustomStringConvertible {
    /// The ID of the object.
    public let objectID: ManagedObjectID
    /// The name of the property.
    public let property: String

    package init(objectID: ManagedObjectID, property: String) {
        self.objectID = objectID
        self.property = property
    }

    /// The object and the property, such as `Airport/5.name`.
    public var description: String { "\(objectID).\(property)" }
}

extension PersistenceError {
    /// The maximum number of details in an error of several objects.
    static var maximumDetails: Int { 100 }

    package init(conflicts: [SaveConflict]) {
        // A reference and its position are one property.
        var known: Set<SaveConflict> = []
        let conflicts = conflicts.filter { known.insert($0).inserted }
        self.init(
            .saveConflict, entity: conflicts.first?.objectID.entityName,
            property: conflicts.first?.property,
            details: conflicts.prefix(Self.maximumDetails).map(\.description))
        self.conflicts = conflicts
    }

    /// Creates the error of an object whose identity another one has.
    init(identityConflicts conflicts: [SaveConflict]) {
        self.init(
            .identityConflict, entity: conflicts.first?.objectID.entityName,
            property: conflicts.first?.property,
            details: conflicts.map { "another object has the value of \($0)" })
        self.conflicts = conflicts
    }

    package init(validationErrors errors: [ValidationError]) {
        self.init(
            .invalidObject, details: errors.prefix(Self.maximumDetails).map(\.description))
        validationErrors = errors
    }
}
