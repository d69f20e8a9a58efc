// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import RestDocument
public import RestMapping

/// An error of a request, a response or the configuration of an ``ObjectManager``.
///
/// An error has a code, the stage that failed, the request, and the location in the document.
/// ``description`` is safe to log: it contains the URL without its query, and nothing that the
/// server sent. The server's data is in ``body`` and ``mappedErrors``.
public struct NetworkingError: Error, Sendable {
    /// The kind of the error.
    public var code: Code

    /// The stage that failed.
    public var stage: Stage

    /// The method of the request.
    public var method: String?

    /// The URL of the request, without user, password, query and fragment.
    public var url: String?

    /// The status and header fields of the response; `nil` if none was received.
    public var head: HTTPResponse?

    /// The location of the error in the document.
    public var path: DocumentPath?

    /// The details, one line each.
    ///
    /// For an invalid configuration, these are its diagnostics. If no descriptor matches a response,
    /// these are the number of descriptors and the mismatches of those that come nearest;
    /// ``ObjectManager/explain(method:path:status:)`` returns those of all descriptors.
    public var causes: [String]

    /// The error that caused this one.
    public var underlying: (any Error)?

    /// The errors that the response was mapped to, in document order.
    public var mappedErrors: [any Error]

    /// The issues and counts of mapping the body of an error response; empty if it was not mapped.
    ///
    /// They are reported to ``ObjectManager/onIssues`` as well.
    public internal(set) var mappingReport = MappingReport()

    /// The first bytes of the response body, at most ``maximumBodyByteCount``.
    public var body: [UInt8]

    /// The maximum number of bytes in ``body``: 16 KiB.
    public static let maximumBodyByteCount = 16 * 1024

    /// Creates an error.
    public init(
        _ code: Code, stage: Stage, method: String? = nil, url: String? = nil,
        head: HTTPResponse? = nil, path: DocumentPath? = nil, causes: [String] = [],
        underlying: (any Error)? = nil,
        mappedErrors: [any Error] = [], body: [UInt8] = []
    ) {
        self.code = code
        self.stage = stage
        self.method = method
        self.url = url
        self.head = head
        self.path = path
        self.causes = causes
        self.underlying = underlying
        self.mappedErrors = mappedErrors
        self.body = Array(body.prefix(Self.maximumBodyByteCount))
    }
}

extension NetworkingError {
    /// The status code of the response; `nil` if none was received.
    public var status: Int? { head?.status.code }
}

extension NetworkingError {
    /// A kind of error, open to additions in future versions.
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
            case noMatchingRoute
            case duplicateRoute
            case mappingFailed
            case crossOrigin
            case endlessPagination
            case mappingDeclined
            case cancelled
            case valueTaken
            case pageUnavailable
            case loadInProgress
        }

        private let storage: Storage

        /// A path pattern, response descriptor or base URL is invalid; the causes are its diagnostics.
        public static let invalidConfiguration = Code(storage: .invalidConfiguration)
        /// The path, the parameters or the values for a path pattern cannot form a request.
        public static let invalidRequest = Code(storage: .invalidRequest)
        /// The transport did not deliver a complete response; see the underlying error.
        public static let transportFailed = Code(storage: .transportFailed)
        /// The status code is not one that a descriptor expects.
        public static let unexpectedStatus = Code(storage: .unexpectedStatus)
        /// The server sent an error response, which is mapped into ``NetworkingError/mappedErrors``.
        public static let errorResponse = Code(storage: .errorResponse)
        /// The content type has no registered format.
        public static let unexpectedContentType = Code(storage: .unexpectedContentType)
        /// The body is empty, but the requested type has no empty value.
        public static let emptyResponse = Code(storage: .emptyResponse)
        /// The body is not well-formed.
        public static let malformedBody = Code(storage: .malformedBody)
        /// The response matches no descriptor; the causes are the mismatches of the nearest ones.
        public static let noMatchingDescriptor = Code(storage: .noMatchingDescriptor)
        /// There is no route with the name, or for the object and the method.
        public static let noMatchingRoute = Code(storage: .noMatchingRoute)
        /// A route has the name, or the type, relationship and method, of another route.
        public static let duplicateRoute = Code(storage: .duplicateRoute)
        /// The document cannot be mapped; see the underlying error.
        public static let mappingFailed = Code(storage: .mappingFailed)
        /// A path or a link leads to another origin than that of the base URL.
        public static let crossOrigin = Code(storage: .crossOrigin)
        /// The pages repeat, or exceed ``Pagination/maximumPageCount``.
        public static let endlessPagination = Code(storage: .endlessPagination)
        /// The state of a ``Paginator`` does not tell the page: nothing is loaded, the page count is
        /// not known, or the page precedes the first one.
        public static let pageUnavailable = Code(storage: .pageUnavailable)
        /// A ``Paginator`` is loading a page; cancel it, or wait for its end.
        public static let loadInProgress = Code(storage: .loadInProgress)

        /// ``ObjectRequest/willMapDocument`` returned no document that can be mapped.
        public static let mappingDeclined = Code(storage: .mappingDeclined)
        /// The operation was cancelled; the stage is the one that it had reached.
        public static let cancelled = Code(storage: .cancelled)
        /// The value of the operation is not Sendable and was taken before.
        public static let valueTaken = Code(storage: .valueTaken)

        /// The name of the code, free of dynamic data.
        public var description: String { storage.rawValue }

        /// Returns a Boolean value that indicates whether an error has a code, for `catch` patterns.
        public static func ~= (code: Code, error: any Error) -> Bool {
            (error as? NetworkingError)?.code == code
        }
    }

    /// A stage of a request.
    public enum Stage: String, Sendable, Hashable {
        /// The configuration of the object manager, before any request.
        case configuration
        /// Creating the request.
        case assembly
        /// Sending the request and receiving the response.
        case transport
        /// Checking the status and the content type.
        case response
        /// Parsing the body.
        case parsing
        /// Selecting the descriptors that match the response.
        case selection
        /// Mapping the document into objects.
        case mapping
        /// Requesting the next page.
        case pagination
    }
}
