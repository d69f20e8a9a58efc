// SPDX-License-Identifier: Apache-2.0

/// What went wrong between managed objects and their file.
///
/// Names entities, properties, tables and files. Never carries attribute values, payload values or
/// SQL arguments.
public struct PersistenceError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Storage: String {
            case invalidModel
            case unknownEntity
            case unknownProperty
            case invalidPredicate
            case cannotOpen
            case notADatabase
            case foreignFile
            case modelMismatch
            case unsupportedFormat
            case invalidObject
            case identityConflict
            case relationshipConflict
            case objectNotFound
            case constraintViolation
            case readOnly
            case busy
            case storageFull
            case corrupt
            case databaseFailure
            case invalidMapping
        }

        private let storage: Storage

        /// The model contradicts itself; every mistake is in ``PersistenceError/details``.
        public static let invalidModel = Code(storage: .invalidModel)
        /// The store's model has no entity of that name.
        public static let unknownEntity = Code(storage: .unknownEntity)
        /// The entity has no property of that name, or not of that kind.
        public static let unknownProperty = Code(storage: .unknownProperty)
        /// A predicate compares an attribute with something of another type.
        public static let invalidPredicate = Code(storage: .invalidPredicate)
        /// The file cannot be opened or made.
        public static let cannotOpen = Code(storage: .cannotOpen)
        /// The file is not an SQLite database.
        public static let notADatabase = Code(storage: .notADatabase)
        /// The database belongs to another application.
        public static let foreignFile = Code(storage: .foreignFile)
        /// The file was written with another model.
        public static let modelMismatch = Code(storage: .modelMismatch)
        /// The file was written by a later version of this library.
        public static let unsupportedFormat = Code(storage: .unsupportedFormat)
        /// An object lacks a required value; every one is in ``PersistenceError/details``.
        public static let invalidObject = Code(storage: .invalidObject)
        /// Two objects would have the same identity.
        public static let identityConflict = Code(storage: .identityConflict)
        /// A required relationship would lead nowhere.
        public static let relationshipConflict = Code(storage: .relationshipConflict)
        /// The object has no row any more.
        public static let objectNotFound = Code(storage: .objectNotFound)
        /// The database refused a row for another reason.
        public static let constraintViolation = Code(storage: .constraintViolation)
        /// The file cannot be written.
        public static let readOnly = Code(storage: .readOnly)
        /// Another connection held the file for longer than the configured time.
        public static let busy = Code(storage: .busy)
        /// The disk is full.
        public static let storageFull = Code(storage: .storageFull)
        /// The file is damaged.
        public static let corrupt = Code(storage: .corrupt)
        /// The database failed in a way that has no code of its own.
        public static let databaseFailure = Code(storage: .databaseFailure)
        /// An entity mapping contradicts the model; every mistake is in ``PersistenceError/details``.
        public static let invalidMapping = Code(storage: .invalidMapping)

        /// The code's name.
        public var description: String { storage.rawValue }
    }

    /// The kind of failure.
    public var code: Code
    /// Entity concerned, if one.
    public var entity: String?
    /// Property concerned, if one.
    public var property: String?
    /// The single findings where there can be several; one sentence each.
    public var details: [String]
    /// The failure below, if one.
    public var underlying: (any Error)?

    /// Makes an error.
    public init(
        _ code: Code, entity: String? = nil, property: String? = nil, details: [String] = [],
        underlying: (any Error)? = nil
    ) {
        self.code = code
        self.entity = entity
        self.property = property
        self.details = details
        self.underlying = underlying
    }

    /// One line: the code, the place, the findings.
    public var description: String {
        var text = code.description
        if let entity {
            text += " in \(entity)"
            if let property { text += ".\(property)" }
        }
        if !details.isEmpty { text += ": " + details.joined(separator: "; ") }
        return text
    }
}
