// SPDX-License-Identifier: Apache-2.0

/// A reason why an object cannot be saved.
public struct ValidationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A kind of reason, open to additions in future versions.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Storage: String {
            case missingValue
            case textTooLong
            case unstorableValue
            case deletionDenied
            case deletedObjectChanged
            case custom
        }

        private let storage: Storage

        /// A required property has no value.
        public static let missingValue = Code(storage: .missingValue)
        /// A text has more Unicode scalars than its attribute allows.
        public static let textTooLong = Code(storage: .textTooLong)
        /// A value is NaN, or one that JSON cannot represent in an attribute that is stored as JSON.
        public static let unstorableValue = Code(storage: .unstorableValue)
        /// A relationship with the delete rule ``DeleteRule/deny`` still has destinations.
        public static let deletionDenied = Code(storage: .deletionDenied)
        /// A property of a deleted object was set; the new value is discarded.
        public static let deletedObjectChanged = Code(storage: .deletedObjectChanged)
        /// The object's own validation found a reason.
        public static let custom = Code(storage: .custom)

        /// The name of the code.
        public var description: String { storage.rawValue }
    }

    /// The kind of the reason.
    public let code: Code
    /// The ID of the object.
    public let objectID: ManagedObjectID
    /// The name of the property; `nil` if the reason concerns the object.
    public let property: String?
    /// The reason in English, without the values of properties.
    public let message: String

    package init(deletionOf id: ManagedObjectID, deniedBy relationship: RelationshipLayout) {
        self.init(
            .deletionDenied, id, relationship.name, "has destinations, which deny the deletion")
    }

    package init(_ code: Code, _ objectID: ManagedObjectID, _ property: String?, _ message: String)
    {
        self.code = code
        self.objectID = objectID
        self.property = property
        self.message = message
    }

    /// The object, the property and the message, such as `Airport/5.name has no value`.
    public var description: String {
        "\(objectID)\(property.map { ".\($0)" } ?? "") \(message)"
    }
}
