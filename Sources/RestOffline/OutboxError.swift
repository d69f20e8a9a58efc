// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// An error of an outbox.
///
/// It contains no values of objects and nothing that the server sent.
public struct OutboxError: Error, Sendable, CustomStringConvertible {
    /// A kind of error, open to additions in future versions.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Storage: String {
            case invalidDeclaration
            case unknownObject
            case unknownEntry
            case inProgress
            case refused
            case uncertain
            case invalidEdit
            case unsentEdits
            case notSent
            case fileUnavailable
        }

        private let storage: Storage

        /// A declaration does not fit the model or the manager.
        public static let invalidDeclaration = Code(storage: .invalidDeclaration)
        /// The outbox does not send the entity, or the object does not exist.
        public static let unknownObject = Code(storage: .unknownObject)
        /// The entry has ended.
        public static let unknownEntry = Code(storage: .unknownEntry)
        /// A request of the entry may be executed, so that it cannot be changed.
        public static let inProgress = Code(storage: .inProgress)
        /// The server has refused the request of an object, or has another version of it.
        public static let refused = Code(storage: .refused)
        /// The answer is lost, so that it is not known whether the server has executed the request of an object.
        public static let uncertain = Code(storage: .uncertain)

        /// The change of an entry concerns more than the properties that are sent of its object.
        public static let invalidEdit = Code(storage: .invalidEdit)
        /// Edits were not sent yet, refused ones included.
        public static let unsentEdits = Code(storage: .unsentEdits)
        /// A request that is not queued cannot be sent now.
        public static let notSent = Code(storage: .notSent)
        /// A file of a form cannot be read or copied.
        public static let fileUnavailable = Code(storage: .fileUnavailable)

        /// The name of the kind.
        public var description: String { storage.rawValue }
    }

    /// The kind of the error.
    public let code: Code
    /// The reason, one line.
    public let reason: String
    /// The answer of the server; `nil` for other errors.
    public let problem: OutboxProblem?

    init(_ code: Code, _ reason: String, problem: OutboxProblem? = nil) {
        self.code = code
        self.reason = reason
        self.problem = problem
    }

    /// The code and the reason.
    public var description: String { "\(code): \(reason)" }
}

extension OutboxError: LocalizedError {
    /// A sentence with the reason, in English.
    public var errorDescription: String? { "The outbox failed: \(reason)." }
}

/// The reason for which the server has refused a request.
public struct OutboxProblem: Sendable, Hashable {
    /// A kind of reason, open to additions in future versions.
    public struct Kind: Sendable, Hashable, CustomStringConvertible {
        private enum Storage: String {
            case rejected
            case gone
            case keyReused
            case invalidRequest
        }

        private let storage: Storage

        /// The server rejects the request.
        public static let rejected = Kind(storage: .rejected)
        /// The server does not have the object any more.
        public static let gone = Kind(storage: .gone)
        /// The server has received another request with the idempotency key, which is a defect.
        public static let keyReused = Kind(storage: .keyReused)
        /// The request cannot be written, as when the manager has no route for it.
        public static let invalidRequest = Kind(storage: .invalidRequest)

        /// The name of the kind.
        public var description: String { storage.rawValue }
    }

    /// The kind of the reason.
    public let kind: Kind
    /// The status code; `nil` if there was no answer.
    public let status: Int?
    /// The first bytes of the body of the answer, at most 16 KiB.
    public let body: [UInt8]
}
