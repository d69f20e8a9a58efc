// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension PersistenceError: LocalizedError {
    /// A sentence with the kind of the error, the entity, the property and the details, in English.
    public var errorDescription: String? {
        let reason = details.isEmpty ? "" : ": " + details.joined(separator: "; ")
        let place = location.map { " at \($0)" } ?? ""
        return "\(sentence)\(place)\(reason)."
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
        case .notADatabase: "The file is not an SQLite database"
        case .wrongApplicationID: "The database belongs to another application"
        case .modelMismatch: "The database does not match the model"
        case .unsupportedFormat: "The database has another format"
        case .unexpectedSchema: "The tables of the database were altered"
        case .storeClosed: "The store is closed"
        case .invalidObject: "An object\(name) is invalid"
        case .saveConflict: "Properties were changed by another context as well"
        case .saveRejected: "The save was rejected"
        case .identityConflict: "Two objects\(name) have the same identity"
        case .relationshipConflict: "A required relationship\(path) has no destination"
        case .objectNotFound: "The object\(name) no longer exists"
        case .constraintViolation: "An object\(name) violates a constraint of the database"
        case .readOnly: "The database file cannot be written"
        case .busy: "The database is locked by another connection"
        case .storageFull: "The disk is full"
        case .ioFailure: "The database file could not be read or written"
        case .corrupt: "The database file is corrupt"
        case .databaseFailure: "The database failed"
        case .invalidMapping: "The mapping\(name) does not match the model"
        case .migrationRefused: "The database cannot be migrated to the model"
        case .migrationFailed: "A step of the migration failed"
        case .importFailed: "The import failed"
        default: "The store failed (\(code))"
        }
    }
}
