// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// Why a request did not end in objects: what went wrong, at which stage, for which request, and
/// where in the document.
///
/// ``description`` is safe to log: it names the request without its query and never holds anything
/// the server sent. What the server sent is in ``body`` and ``mappedErrors``.
public struct NetworkingError: Error, Sendable {
    /// What went wrong.
    public var code: Code

    /// How far the request came.
    public var stage: Stage

    /// Method of the request.
    public var method: String?

    /// URL of the request, without user, password, query and fragment.
    public var url: String?

    /// Status of the response, if one arrived.
    public var status: Int?

    /// Where in the response's document.
    public var path: DocumentPath?

    /// The particulars, one line each: every mistake of a configuration, or for every descriptor
    /// why it does not describe the response.
    public var causes: [String]

    /// The error below this one.
    public var underlying: (any Error)?

    /// Errors that the server's body was mapped to, in document order.
    public var mappedErrors: [any Error]

    /// The first bytes of the response's body, at most ``maximumBodyByteCount``.
    public var body: [UInt8]

    /// How many bytes of a body an error keeps.
    public static let maximumBodyByteCount = 16 * 1024

    /// Makes an error.
    public init(
        _ code: Code, stage: Stage, method: String? = nil, url: String? = nil, status: Int? = nil,
        path: DocumentPath? = nil, causes: [String] = [], underlying: (any Error)? = nil,
        mappedErrors: [any Error] = [], body: [UInt8] = []
    ) {
        self.code = code
        self.stage = stage
        self.method = method
        self.url = url
        self.status = status
        self.path = path
        self.causes = causes
        self.underlying = underlying
        self.mappedErrors = mappedErrors
        self.body = Array(body.prefix(Self.maximumBodyByteCount))
    }
}

extension NetworkingError {
    /// What went wrong; more codes may come.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Storage: String, Sendable {
            case invalidConfiguration
            case invalidRequest
            case transportFailed
            case unexpectedStatus
            case errorResponse
            case unexpectedContentType
            case emptyResponse
            case malformedBody
            case noMatchingDescriptor
            case mappingFailed
            case foreignOrigin
            case endlessPagination
        }

        private let storage: Storage

        /// A pattern, descriptor or base URL is wrong; all mistakes are in the causes.
        public static let invalidConfiguration = Code(storage: .invalidConfiguration)
        /// No request can be made from the path, the parameters or the values of a pattern.
        public static let invalidRequest = Code(storage: .invalidRequest)
        /// No complete response arrived; the underlying error says why.
        public static let transportFailed = Code(storage: .transportFailed)
        /// The status is none of those expected.
        public static let unexpectedStatus = Code(storage: .unexpectedStatus)
        /// The server refused and said why; its words are the mapped errors.
        public static let errorResponse = Code(storage: .errorResponse)
        /// The content type is none that can be read.
        public static let unexpectedContentType = Code(storage: .unexpectedContentType)
        /// An object is wanted and the body is empty.
        public static let emptyResponse = Code(storage: .emptyResponse)
        /// The body is no document.
        public static let malformedBody = Code(storage: .malformedBody)
        /// No descriptor describes the response; the causes say for each why.
        public static let noMatchingDescriptor = Code(storage: .noMatchingDescriptor)
        /// The document does not fit the mapping.
        public static let mappingFailed = Code(storage: .mappingFailed)
        /// A path or a link leads away from the base URL's origin.
        public static let foreignOrigin = Code(storage: .foreignOrigin)
        /// Pages repeat, or there are more of them than allowed.
        public static let endlessPagination = Code(storage: .endlessPagination)

        /// The code's name.
        public var description: String { storage.rawValue }

        /// Lets a `catch` pattern name a code.
        public static func ~= (code: Code, error: any Error) -> Bool {
            (error as? NetworkingError)?.code == code
        }
    }

    /// How far a request came.
    public enum Stage: String, Sendable, Hashable {
        /// Setting up, before any request.
        case configuration
        /// Making the request.
        case assembly
        /// Sending it and receiving the response.
        case transport
        /// Judging status and content type.
        case response
        /// Reading the body.
        case parsing
        /// Choosing the descriptors that describe the response.
        case selection
        /// Making objects.
        case mapping
        /// Going from one page to the next.
        case pagination
    }
}

extension NetworkingError: CustomStringConvertible {
    /// One line: code, stage, request, status, place and particulars.
    public var description: String {
        var text = "\(code) at \(stage.rawValue)"
        if let method { text += " of \(method) \(url ?? "")" }
        if let status { text += ", status \(status)" }
        if let path { text += ", at \(path.abbreviated)" }
        if !causes.isEmpty { text += ": " + causes.joined(separator: "; ") }
        if let underlying { text += " (\(underlying))" }
        return text
    }
}
