// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A stored response without its body.
public struct CacheEntry: Sendable, Hashable {
    /// The cache key.
    public let key: CacheKey

    /// The identifier among the responses with the same key, chosen when the response was stored.
    public let id: UInt64

    /// The digests of the selecting header fields: the request's fields that `Vary` names, and
    /// `Range` for a partial response.
    ///
    /// A field that the request did not have is absent.
    ///
    /// - Source: RFC 9111 §4.1.
    public var selectingFields: HTTPFields

    /// The stored status and header fields.
    public var head: HTTPResponse

    /// The time at which the request was sent that fetched or last validated the response.
    public var requestDate: Date

    /// The time at which the response was received or last validated.
    public var responseDate: Date

    /// The length of the body in bytes.
    public let bodyByteCount: Int

    /// A Boolean value that indicates whether the response was mapped to objects.
    public var isMapped = false

    /// Creates an entry.
    ///
    /// - Parameters:
    ///   - key: The cache key.
    ///   - id: The identifier among the responses with the same key.
    ///   - selectingFields: The digests of the selecting header fields.
    ///   - head: The status and header fields.
    ///   - requestDate: The time at which the request was sent.
    ///   - responseDate: The time at which the response was received.
    ///   - bodyByteCount: The length of the body in bytes.
    public init(
        key: CacheKey, id: UInt64, selectingFields: HTTPFields, head: HTTPResponse,
        requestDate: Date, responseDate: Date, bodyByteCount: Int
    ) {
        self.key = key
        self.id = id
        self.selectingFields = selectingFields
        self.head = head
        self.requestDate = requestDate
        self.responseDate = responseDate
        self.bodyByteCount = bodyByteCount
    }

    /// A reference to an entry: its key and identifier.
    package struct Reference: Sendable, Hashable {
        package let key: CacheKey
        package let id: UInt64
    }

    /// The reference to the entry.
    package var reference: Reference { Reference(key: key, id: id) }
}
