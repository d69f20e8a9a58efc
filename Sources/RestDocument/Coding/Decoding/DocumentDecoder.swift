// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A decoder that creates values of any `Decodable` type from documents.
///
/// ```swift
/// struct Article: Decodable {
///     let id: Int
///     let publishedAt: Date?
/// }
///
/// var decoder = DocumentDecoder()
/// decoder.keyDecodingStrategy = .convertFromSnakeCase
/// let article = try decoder.decode(Article.self, from: body)
/// ```
///
/// The strategies have the names and meanings of Foundation's `JSONDecoder`. By default, dates are
/// ISO 8601 text. Integers and `Decimal` are decoded exactly or not at all. If an object repeats a
/// key, the last value counts.
///
/// A `Decodable` type sees a `DecodingError` with the coding path. The decoder itself throws a
/// ``DocumentError`` with the document path, whose description contains no values.
public struct DocumentDecoder: Sendable {
    /// The strategies for decoding `Date` values.
    public enum DateDecodingStrategy: Sendable {
        /// Text in a form of ISO 8601 or RFC 3339, such as `2024-05-01T12:00:00.5+02:00`; also the
        /// date formats of HTTP and `05/01/2024`. Without a time zone, the date is in UTC.
        case iso8601
        /// A number of seconds since 1970-01-01T00:00:00Z.
        case secondsSince1970
        /// A number of milliseconds since 1970-01-01T00:00:00Z.
        case millisecondsSince1970
        /// The own coding of `Date`: a number of seconds since 2001-01-01T00:00:00Z.
        case deferredToDate
        /// A closure that decodes the value.
        case custom(@Sendable (any Decoder) throws -> Date)
    }

    /// The strategies for decoding `Data` values.
    public enum DataDecodingStrategy: Sendable {
        /// Base64 text.
        case base64
        /// The own coding of `Data`: an array of bytes.
        case deferredToData
        /// A closure that decodes the value.
        case custom(@Sendable (any Decoder) throws -> Data)
    }

    /// The strategies for converting document keys to coding keys.
    ///
    /// Keys of dictionaries are not converted.
    public enum KeyDecodingStrategy: Sendable {
        /// Uses document keys unchanged.
        case useDefaultKeys
        /// Converts snake case to camel case: `created_at` becomes `createdAt`.
        case convertFromSnakeCase
        /// A closure that converts a document key to a coding key.
        case custom(@Sendable (String) -> String)
    }

    /// The strategies for decoding infinities and NaN, which JSON cannot express.
    public enum NonConformingFloatDecodingStrategy: Sendable {
        /// Throws an error.
        case `throw`
        /// Accepts the given strings.
        case convertFromString(positiveInfinity: String, negativeInfinity: String, nan: String)
    }

    /// The strategy for decoding `Date` values; ISO 8601 text by default.
    public var dateDecodingStrategy = DateDecodingStrategy.iso8601
    /// The strategy for decoding `Data` values; Base64 text by default.
    public var dataDecodingStrategy = DataDecodingStrategy.base64
    /// The strategy for converting keys; unchanged keys by default.
    public var keyDecodingStrategy = KeyDecodingStrategy.useDefaultKeys
    /// The strategy for decoding infinities and NaN; an error by default.
    public var nonConformingFloatDecodingStrategy = NonConformingFloatDecodingStrategy.throw
    /// The values that types find in the `userInfo` of their decoder.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]
    /// The maximum nesting of types that decode other types; 512 by default.
    ///
    /// Decoding also ends when the types' own code has used 256 KiB of stack.
    public var depthLimit = 512
    /// The limits for documents that are parsed from bytes.
    public var limits = ParseLimits.default

    /// Creates a decoder with the default strategies.
    public init() {}

    /// Returns a value decoded from a document.
    ///
    /// - Throws: ``DocumentError`` with code ``DocumentError/Code/notDecodable`` if a value is
    ///   missing, of another kind, or rejected by its type; with code
    ///   ``DocumentError/Code/limitExceeded`` if the nesting exceeds ``depthLimit``.
    /// - Complexity: O(*n*) in the size of the decoded values, for a fixed number of keys in each
    ///   type.
    public func decode<T: Decodable>(
        _ type: T.Type, from document: Document
    ) throws(DocumentError) -> T {
        try decode(type, from: document.root)
    }

    /// Returns a value decoded from a part of a document.
    ///
    /// Error paths begin at the document's root.
    ///
    /// - Throws: ``DocumentError``, as for a document.
    public func decode<T: Decodable>(
        _ type: T.Type, from node: Node
    ) throws(DocumentError) -> T {
        try value(type, of: DecodingSession(node, self), at: node)
    }

    /// Returns a value decoded from a part of a document by the rule of mappings for null in lists.
    ///
    /// Null in place of an array, a set or a dictionary is an empty one. A null element is left out,
    /// unless the type of the elements accepts it. Types that read a list themselves, through an unkeyed
    /// container of their decoder, see null as any other value.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - node: The part of the document.
    ///   - nulls: The null elements that were left out, in the order in which they were decoded.
    /// - Returns: The value.
    /// - Throws: ``DocumentError``, as for a document.
    package func decode<T: Decodable>(
        _ type: T.Type, from node: Node, leavingOut nulls: inout [NullElement]
    ) throws(DocumentError) -> T {
        let session = DecodingSession(node, self, leavesOutNullElements: true)
        defer { nulls = session.nullElements }
        return try value(type, of: session, at: node)
    }

    private func value<T: Decodable>(
        _ type: T.Type, of session: DecodingSession, at node: Node
    ) throws(DocumentError) -> T {
        do {
            return try session.value(type, at: node.index, depth: 0)
        } catch {
            throw session.documentError(wrapping: error)
        }
    }

    /// Returns a value decoded from JSON text in UTF-8.
    ///
    /// - Throws: ``DocumentError``, as for a document, and if the bytes are not valid JSON.
    public func decode<T: Decodable>(
        _ type: T.Type, from bytes: [UInt8]
    ) throws(DocumentError) -> T {
        try decode(type, from: Document(parsing: bytes, limits: limits))
    }

    /// Returns a value decoded from JSON text in UTF-8.
    ///
    /// - Throws: ``DocumentError``, as for a document, and if the data is not valid JSON.
    public func decode<T: Decodable>(
        _ type: T.Type, from data: Data
    ) throws(DocumentError) -> T {
        try decode(type, from: Document(parsing: data, limits: limits))
    }
}
