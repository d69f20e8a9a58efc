// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A stored response without its body.
public struct CacheEntry: Sendable, Hashable {
    /// What it is found by.
    public let key: CacheKey

    /// What tells it from other responses under the same key, chosen when it was stored.
    public let id: UInt64

    /// What the response varies with: digests of the request's fields that its `Vary` names, a
    /// missing one being absent here, and of `Range` for a part of a body.
    public var requestFields: HTTPFields

    /// Status and header fields as stored.
    public var head: HTTPResponse

    /// When the request was sent that brought it or last confirmed it.
    public var requestDate: Date

    /// When the response came that brought it or last confirmed it.
    public var responseDate: Date

    /// The length of its body.
    public let bodyByteCount: Int

    /// Whether objects were made of it.
    public var isMapped = false

    /// Makes an entry.
    ///
    /// - Parameters:
    ///   - key: What it is found by.
    ///   - id: What tells it from others under the same key.
    ///   - requestFields: Digests of the request's fields that `Vary` names.
    ///   - head: Status and header fields.
    ///   - requestDate: When the request was sent.
    ///   - responseDate: When the response came.
    ///   - bodyByteCount: The length of its body.
    public init(
        key: CacheKey, id: UInt64, requestFields: HTTPFields, head: HTTPResponse,
        requestDate: Date, responseDate: Date, bodyByteCount: Int
    ) {
        self.key = key
        self.id = id
        self.requestFields = requestFields
        self.head = head
        self.requestDate = requestDate
        self.responseDate = responseDate
        self.bodyByteCount = bodyByteCount
    }

    /// What an entry is told by after it was stored.
    package struct Reference: Sendable, Hashable {
        package let key: CacheKey
        package let id: UInt64
    }

    /// What the entry is told by.
    package var reference: Reference { Reference(key: key, id: id) }
}
