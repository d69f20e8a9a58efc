// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import RestDocument
public import RestTransport

/// A received response, read as a document and matched with descriptors, before any object is made.
///
/// The stage before is the transport, the stage after maps the ``matches``: into new objects by
/// ``ObjectManager``, or into rows of a store. The status is one of success, as errors of the
/// server are thrown.
public struct ObjectResponse: Sendable {
    /// The request that was answered; after redirects the last one.
    public let request: TransportRequest

    /// Status and header fields.
    public let head: HTTPResponse

    /// The document; `nil` if the body was empty.
    public let document: Document?

    /// What the document holds, in the order of the descriptors, newest first.
    public let matches: [ResponseMatch]

    /// The first bytes of the body, for errors of later stages.
    package let bodyPrefix: [UInt8]

    /// What the client's cache keeps it as, `nil` when it does not.
    package var storedAs: CacheEntry.Reference?

    /// Whether it came from the server or from the client's cache.
    package var origin = ResponseOrigin.network

    /// The URL that answered.
    public var url: HTTPURL { request.url }

    /// How many objects the matches describe.
    public var representationCount: Int {
        matches.reduce(0) { count, match in
            switch match.representation.kind {
            case .array: count + match.representation.count
            case .null: count
            default: count + 1
            }
        }
    }

    /// An error about this response.
    package func error(
        _ code: NetworkingError.Code, stage: NetworkingError.Stage, path: DocumentPath? = nil,
        causes: [String] = [], underlying: (any Error)? = nil
    ) -> NetworkingError {
        NetworkingError(
            code, stage: stage, method: request.method.rawValue, url: url.redacted,
            status: head.status.code, path: path, causes: causes, underlying: underlying,
            body: bodyPrefix)
    }
}
