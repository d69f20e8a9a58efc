// SPDX-License-Identifier: Apache-2.0

/// An error of a managed object model, a store, a context or an import.
///
/// An error names entities, properties, tables and files. It contains no attribute values, no values
/// of responses and no SQL arguments.
public struct PersistenceError: Error, Sendable, CustomStringConvertible {
    /// A kind of error, open to additions in future versions.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Storage: String {
            case invalidModel
            case unknownEntity
            case unknownProperty
            case invalidPredicate
            case cannotOpen
            case tooManyOpenFiles
            case notADatabase
            case wrongApplicationID
            case modelMismatch
            case unsupportedFormat
            case unexpectedSchema
            case storeClosed
            case invalidObject
            case identityConflict
            case relationshipConflict
            case objectNotFound
            case constraintViolation
            case readOnly
            case busy
            case storageFull
            case ioFailure
            case corrupt
            case databaseFailure
            case invalidMapping
            case saveConflict
            case saveRejected
            case migrationRefused
            case migrationFailed
            case importFailed
            case unreadableValue
            case unsavedChanges
            case fileChanged
            case unsentEdits
        }

        private let storage: Storage

        /// The model is invalid; ``PersistenceError/details`` lists all errors in it.
        public static let invalidModel = Code(storage: .invalidModel)
        /// The model of the store has no entity of that name.
        public static let unknownEntity = Code(storage: .unknownEntity)
        /// The entity has no property of that name and type.
        public static let unknownProperty = Code(storage: .unknownProperty)
        /// A predicate compares an attribute with a value of another type.
        public static let invalidPredicate = Code(storage: .invalidPredicate)
        /// The file cannot be opened or created.
        public static let cannotOpen = Code(storage: .cannotOpen)
        /// The process has no free file descriptor for the file or another connection to it.
        public static let tooManyOpenFiles = Code(storage: .tooManyOpenFiles)
        /// The file is not an SQLite database.
        public static let notADatabase = Code(storage: .notADatabase)
        /// The database has the `application_id` of another application.
        public static let wrongApplicationID = Code(storage: .wrongApplicationID)
        /// The store has edits that were not sent yet; ``PersistenceError/details`` has their number.
        public static let unsentEdits = Code(storage: .unsentEdits)
        /// The file was created for another model; ``PersistenceError/details`` lists all differences.
        public static let modelMismatch = Code(storage: .modelMismatch)
        /// The file was created by another version of this library, in another format.
        public static let unsupportedFormat = Code(storage: .unsupportedFormat)
        /// Tables of the file were altered, or it has triggers or views;
        /// ``PersistenceError/details`` lists all differences to the model's tables.
        public static let unexpectedSchema = Code(storage: .unexpectedSchema)
        /// The store was closed, or reset after the context was created.
        public static let storeClosed = Code(storage: .storeClosed)
        /// Objects are invalid; ``PersistenceError/validationErrors`` lists the reasons.
        public static let invalidObject = Code(storage: .invalidObject)
        /// An object has the identity of another one; ``PersistenceError/conflicts`` lists the properties.
        public static let identityConflict = Code(storage: .identityConflict)
        /// A required relationship has no destination.
        public static let relationshipConflict = Code(storage: .relationshipConflict)
        /// The row of the object no longer exists.
        public static let objectNotFound = Code(storage: .objectNotFound)
        /// A row violates another constraint of the database.
        public static let constraintViolation = Code(storage: .constraintViolation)
        /// The file cannot be written.
        public static let readOnly = Code(storage: .readOnly)
        /// Another connection locked the file for longer than ``StoreConfiguration/busyTimeout``.
        public static let busy = Code(storage: .busy)
        /// The disk is full.
        public static let storageFull = Code(storage: .storageFull)
        /// The operating system failed to read or write the file.
        public static let ioFailure = Code(storage: .ioFailure)
        /// The database file is corrupt.
        public static let corrupt = Code(storage: .corrupt)
        /// The database reported an error without a code of its own here.
        public static let databaseFailure = Code(storage: .databaseFailure)
        /// An entity mapping does not match the model; ``PersistenceError/details`` lists all errors.
        public static let invalidMapping = Code(storage: .invalidMapping)

        /// Another context has changed properties that the context has changed as well;
        /// ``PersistenceError/conflicts`` lists them.
        public static let saveConflict = Code(storage: .saveConflict)
        /// The context's ``ManagedObjectContext/willSave`` threw an error, which is
        /// ``PersistenceError/underlying``.
        public static let saveRejected = Code(storage: .saveRejected)
        /// A migration would lose data or cannot be derived; ``PersistenceError/details`` lists all
        /// reasons.
        public static let migrationRefused = Code(storage: .migrationRefused)
        /// A step of a migration failed; ``PersistenceError/underlying`` is its error.
        public static let migrationFailed = Code(storage: .migrationFailed)

        /// A file or stream cannot be imported; ``PersistenceError/location`` is the place, and
        /// ``PersistenceError/underlying`` the reason.
        public static let importFailed = Code(storage: .importFailed)

        /// The type of an attribute cannot represent its stored value, which another program has written.
        ///
        /// Set the attribute to repair the row.
        public static let unreadableValue = Code(storage: .unreadableValue)

        /// A closure has returned with changes of its context that it has neither saved nor rolled back.
        public static let unsavedChanges = Code(storage: .unsavedChanges)

        /// Another program has removed, replaced or migrated the file while the store was open, or another
        /// store has reset it.
        ///
        /// Close the store and open the file again; nothing of the transaction was written.
        public static let fileChanged = Code(storage: .fileChanged)

        /// The name of the code, free of dynamic data.
        public var description: String { storage.rawValue }
    }

    /// The kind of the error.
    public var code: Code
    /// The name of the entity; `nil` if the error does not concern one.
    public var entity: String?
    /// The name of the property; `nil` if the error does not concern one.
    public var property: String?
    /// The path of the database file; `nil` if the error does not concern one.
    public var path: String?
    /// The details, one line each.
    public var details: [String]
    /// The error that caused this one.
    public var underlying: (any Error)?
    /// The reasons why objects cannot be saved, with code ``Code/invalidObject``.
    public var validationErrors: [ValidationError] = []
    /// The properties in conflict, with code ``Code/saveConflict`` or ``Code/identityConflict``.
    public var conflicts: [SaveConflict] = []
    /// The place in the imported file or stream, with code ``Code/importFailed``.
    public var location: ImportLocation?

    /// Creates an error.
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

    /// One line with the code, the entity, the property, the path and the details.
    public var description: String {
        var text = code.description
        if let entity {
            text += " in \(entity)"
            if let property { text += ".\(property)" }
        } else if let property {
            text += " in \(property)"
        }
        if let path { text += " at \(path)" }
        if let location { text += " at \(location)" }
        if !details.isEmpty { text += ": " + details.joined(separator: "; ") }
        return text
    }
}
