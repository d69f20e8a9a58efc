// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension PersistenceError: LocalizedError {
    /// A sentence with the kind of the error, the entity, the property, the place and the details, in
    /// English.
    public var errorDescription: String? {
        let reason = details.isEmpty ? "" : ": " + details.joined(separator: "; ")
        let place = (path ?? location?.description).map { " at \($0)" } ?? ""
        return "\(sentence)\(place)\(reason)."
    }

    /// The ways to continue after an error of a file, in English; `nil` for other errors.
    public var recoverySuggestion: String? {
        switch code {
        case .cannotOpen:
            "Name a file in a directory that exists and that this user can read and write."
        case .tooManyOpenFiles:
            "Close stores and files that are not in use, or raise the limit of open files of the "
                + "process; a store has up to StoreConfiguration.maximumReaderCount connections and one "
                + "for each context with unsaved changes that fetches."
        case .notADatabase, .wrongApplicationID:
            "Name another file; this one was not created by a store, and is unchanged."
        case .modelMismatch:
            "Open the file with the model that created it, or allow its migration by "
                + "StoreConfiguration.migration."
        case .unsupportedFormat:
            "Open the file with the version of the library that created it. A file of a server's "
                + "objects can also be removed by ManagedObjectStore.removeFiles(at:) and loaded again."
        case .unexpectedSchema:
            "Undo the listed changes with another SQLite program; tables of your own belong in names "
                + "that the model does not have."
        case .readOnly where path != nil:
            "Make the file and its directory writable for this user, or set "
                + "StoreConfiguration.isReadOnly and save nothing."
        case .busy where path != nil:
            "Try again when the other program has finished, or set a longer "
                + "StoreConfiguration.busyTimeout."
        case .fileChanged:
            "Close the store, and open the file again with the model that it has now."
        case .unsentEdits:
            "Send the edits first, or discard them with the content."
        case .storageFull:
            "Free space on the disk, and try again. A context keeps the changes that it could not save."
        case .ioFailure:
            "Check the disk, and try again. A context keeps the changes that it could not save."
        case .corrupt:
            "Restore a backup, or remove the file by ManagedObjectStore.removeFiles(at:) and load the "
                + "objects again."
        case .migrationRefused:
            "Add or correct a MigrationStep for each reason, or open the file with the model that "
                + "created it."
        case .migrationFailed:
            "Correct the step that the error names; the file is unchanged."
        case .unreadableValue:
            "Set the attribute of the named object and save, or correct the row with another SQLite "
                + "program."
        default: nil
        }
    }

    private var sentence: String {
        let name = entity.map { " \($0)" } ?? ""
        let path = entity.map { " \($0)" + (property.map { ".\($0)" } ?? "") } ?? ""
        return switch code {
        case .invalidModel: "The model is invalid"
        case .unknownEntity: "The model has no such entity\(name)"
        case .unknownProperty: "The property\(path) does not exist or has another type"
        case .invalidPredicate: "The predicate\(path) cannot be evaluated"
        case .cannotOpen: "The database file cannot be opened"
        case .tooManyOpenFiles: "The process has too many open files"
        case .notADatabase: "The file is not an SQLite database"
        case .wrongApplicationID: "The database belongs to another application"
        case .modelMismatch: "The database does not match the model"
        case .unsupportedFormat: "The database has another format"
        case .unexpectedSchema: "The tables of the database were altered"
        case .storeClosed: "The store is closed"
        case .invalidObject: "An object\(name) is invalid"
        case .saveConflict: "Properties were changed by another context as well"
        case .saveRejected: "The save was rejected"
        case .identityConflict: "An object\(name) has the identity of another one"
        case .relationshipConflict: "A required relationship\(path) has no destination"
        case .unsavedChanges: "Changes were not saved"
        case .objectNotFound: "The object\(name) no longer exists"
        case .constraintViolation: "An object\(name) violates a constraint of the database"
        case .readOnly: "The database file cannot be written"
        case .fileChanged: "The database file was changed by another program"
        case .unsentEdits: "Edits were not sent yet"
        case .busy: "The database is locked by another connection"
        case .storageFull: "The disk is full"
        case .ioFailure: "The database file could not be read or written"
        case .corrupt: "The database file is corrupt"
        case .databaseFailure: "The database failed"
        case .invalidMapping: "The mapping\(name) does not match the model"
        case .migrationRefused: "The database cannot be migrated to the model"
        case .migrationFailed: "A step of the migration failed"
        case .importFailed: "The import failed"
        case .unreadableValue: "A stored value\(path.isEmpty ? "" : " of\(path)") cannot be read"
        default: "The store failed (\(code))"
        }
    }
}
