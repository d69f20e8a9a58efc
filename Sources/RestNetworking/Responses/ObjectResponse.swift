// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import RestDocument
public import RestTransport

/// A response that is parsed and matched with response descriptors, but not mapped yet.
///
/// An ``ObjectRequest`` for a value of this type returns it. The next stage maps its ``matches`` into
/// objects or into rows of a store. The status is one of success, because a response with another
/// status is thrown as a ``NetworkingError``.
public struct ObjectResponse: Sendable {
    /// The request that was answered: after redirects, the last one.
    public let request: TransportRequest

    /// The request that the caller made, which redirects do not change; without the fields of the client.
    package internal(set) var originalRequest: TransportRequest

    /// The status and header fields.
    public let head: HTTPResponse

    /// The parsed body; `nil` if the body was empty.
    public let document: Document?

    /// The parts of the document that descriptors match, by the newest descriptor first.
    public internal(set) var matches: [ResponseMatch]

    /// The descriptors for the response whose key path its document lacks: the response does not say
    /// whether the server has such objects.
    public let absentDescriptors: [ResponseDescriptor]

    /// The bytes of the body, if ``ObjectRequest/keepsResponseBody`` is `true`; `nil` otherwise.
    public let body: [UInt8]?

    /// The first bytes of the body, for errors of later stages.
    package let bodyPrefix: [UInt8]

    /// The origin of the response: the server, or the client's cache.
    package let origin: ResponseOrigin

    /// The stored response in the client's cache; `nil` if the response is not stored.
    package let cacheReference: CacheEntry.Reference?

    /// The interceptor that the request added to the exchange; `nil` if there was none.
    package internal(set) var interceptor: (any HTTPInterceptor)?

    /// Creates a response from a received one and the parts of its body.
    init(
        _ response: TransportResponse, document: Document? = nil, matches: [ResponseMatch] = [],
        absentDescriptors: [ResponseDescriptor] = [], body: [UInt8]? = nil, bodyPrefix: [UInt8]
    ) {
        request = response.request
        originalRequest = response.request
        head = response.head
        origin = response.origin
        cacheReference = response.storedAs
        self.document = document
        self.matches = matches
        self.absentDescriptors = absentDescriptors
        self.body = body
        self.bodyPrefix = bodyPrefix
    }

    /// The URL that answered.
    public var url: HTTPURL { request.url }

    /// The number of objects in the matches.
    public var representationCount: Int {
        matches.reduce(0) { count, match in
            switch match.representation.kind {
            case .array: count + match.representation.count
            case .null: count
            default: count + 1
            }
        }
    }

    /// Returns an error that names the request and the status of this response.
    package func error(
        _ code: NetworkingError.Code, stage: NetworkingError.Stage, path: DocumentPath? = nil,
        causes: [String] = [], underlying: (any Error)? = nil
    ) -> NetworkingError {
        NetworkingError(
            code, stage: stage, method: request.method.rawValue, url: url.redacted,
            head: head, path: path, causes: causes, underlying: underlying, body: bodyPrefix)
    }
}
