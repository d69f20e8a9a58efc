// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// An error of a mirror.
///
/// Values of records, credentials and queries of URLs never appear in its description.
public struct MirrorError: Error, Sendable, CustomStringConvertible, LocalizedError {
    /// The kind of an error.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Storage: String {
            case invalidDefinition
            case missingSecret
            case otherDefinition
            case notAMirror
            case requestFailed
            case responseRefused
            case unreadableResponse
            case listDoesNotEnd
            case budgetSpent
            case ceilingReached
            case runInProgress
            case recordsRefused
            case storeFailed
            case rowNotFound
        }

        private let storage: Storage

        /// The definition cannot be run; the details say why.
        public static let invalidDefinition = Code(storage: .invalidDefinition)
        /// A secret of the definition is neither in the environment nor in its file.
        public static let missingSecret = Code(storage: .missingSecret)
        /// The file is the mirror of another API.
        public static let otherDefinition = Code(storage: .otherDefinition)
        /// The file is no mirror.
        public static let notAMirror = Code(storage: .notAMirror)
        /// A request has no response.
        public static let requestFailed = Code(storage: .requestFailed)
        /// A response has a status or a body that is a failure.
        public static let responseRefused = Code(storage: .responseRefused)
        /// The body of a response cannot be read.
        public static let unreadableResponse = Code(storage: .unreadableResponse)
        /// The pages of a list repeat, or exceed the maximum number.
        public static let listDoesNotEnd = Code(storage: .listDoesNotEnd)
        /// The server or the budget requires a longer wait than allowed.
        public static let budgetSpent = Code(storage: .budgetSpent)
        /// The run has sent as many requests as it may without consent.
        public static let ceilingReached = Code(storage: .ceilingReached)
        /// Another run reads into the file.
        public static let runInProgress = Code(storage: .runInProgress)
        /// Records do not fit the schema, which is frozen.
        public static let recordsRefused = Code(storage: .recordsRefused)
        /// The database cannot be read or written.
        public static let storeFailed = Code(storage: .storeFailed)
        /// The file has no such row.
        public static let rowNotFound = Code(storage: .rowNotFound)

        /// The name of the code.
        public var description: String { storage.rawValue }
    }

    /// The kind of the error.
    public var code: Code
    /// The name of the resource; `nil` if the error concerns no single one.
    public var resource: String?
    /// The URL of the request, without its query; `nil` without a request.
    public var url: String?
    /// The problems, and the advice on how to fix them.
    public var details: [String]
    /// The error of another part of the package.
    public var underlying: (any Error)?

    /// Creates an error.
    public init(
        _ code: Code, resource: String? = nil, url: String? = nil, details: [String] = [],
        underlying: (any Error)? = nil
    ) {
        self.code = code
        self.resource = resource
        self.url = url
        self.details = details
        self.underlying = underlying
    }

    /// The code, the place and the details in one line.
    public var description: String {
        var text = "\(code)"
        if let resource { text += " of \(resource)" }
        if let url { text += " at \(url)" }
        if !details.isEmpty { text += ": " + details.joined(separator: "; ") }
        if let underlying, details.isEmpty { text += ": \(underlying)" }
        return text
    }

    /// The description.
    public var errorDescription: String? { description }

    /// Returns the error with the name of a resource, if it has none.
    func of(_ resource: String) -> MirrorError {
        var error = self
        error.resource = resource
        return error
    }
}
