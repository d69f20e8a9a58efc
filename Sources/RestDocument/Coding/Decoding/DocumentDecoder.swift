// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Makes values of any `Decodable` type from documents.
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
/// The strategies have the names and meanings of Foundation's `JSONDecoder`; dates are ISO 8601
/// unless said otherwise. Integers and `Decimal` are exact or an error. Where an object repeats a
/// key, the last value counts.
///
/// A type's own code sees a `DecodingError` with the coding path; what leaves the decoder is a
/// ``DocumentError`` with the document path, which never shows a value.
public struct DocumentDecoder: Sendable {
    /// How a `Date` is read.
    public enum DateDecodingStrategy: Sendable {
        /// Text in a form of ISO 8601 or RFC 3339, such as `2024-05-01T12:00:00.5+02:00`; also the
        /// dates of HTTP and `05/01/2024`. Without a zone it is UTC.
        case iso8601
        /// A number of seconds since 1970.
        case secondsSince1970
        /// A number of milliseconds since 1970.
        case millisecondsSince1970
        /// As `Date` decodes itself: a number of seconds since 2001.
        case deferredToDate
        /// What a closure makes of the value.
        case custom(@Sendable (any Decoder) throws -> Date)
    }

    /// How a `Data` is read.
    public enum DataDecodingStrategy: Sendable {
        /// Text in Base64.
        case base64
        /// As `Data` decodes itself: an array of bytes.
        case deferredToData
        /// What a closure makes of the value.
        case custom(@Sendable (any Decoder) throws -> Data)
    }

    /// How the keys of a document become those of a type.
    ///
    /// The keys of dictionaries stay as they are.
    public enum KeyDecodingStrategy: Sendable {
        /// As they are.
        case useDefaultKeys
        /// `created_at` is the key `createdAt`.
        case convertFromSnakeCase
        /// A closure makes the type's key of the document's.
        case custom(@Sendable (String) -> String)
    }

    /// How infinities and NaN are read, which JSON has not.
    public enum NonConformingFloatDecodingStrategy: Sendable {
        /// They are an error.
        case `throw`
        /// They are these texts.
        case convertFromString(positiveInfinity: String, negativeInfinity: String, nan: String)
    }

    /// How a `Date` is read; ISO 8601 text by default.
    public var dateDecodingStrategy = DateDecodingStrategy.iso8601
    /// How a `Data` is read; Base64 text by default.
    public var dataDecodingStrategy = DataDecodingStrategy.base64
    /// How keys are read; as they are by default.
    public var keyDecodingStrategy = KeyDecodingStrategy.useDefaultKeys
    /// How infinities and NaN are read; an error by default.
    public var nonConformingFloatDecodingStrategy = NonConformingFloatDecodingStrategy.throw
    /// What types find in their decoder's `userInfo`.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]
    /// How deep types may decode others inside themselves.
    ///
    /// Where their own code uses much of the stack, it ends after 256 KiB.
    public var depthLimit = 512
    /// What a document may grow to that is read from bytes.
    public var limits = ParseLimits.default

    /// Makes a decoder.
    public init() {}

    /// Makes a value of a document.
    ///
    /// - Throws: ``DocumentError`` with code ``DocumentError/Code/notDecodable`` where a value is
    ///   missing, of another kind or refused by its type, ``DocumentError/Code/limitExceeded``
    ///   when the nesting is deeper than ``depthLimit``.
    /// - Complexity: O(*n*) in the size of what is decoded, given a fixed number of keys a type.
    public func decode<T: Decodable>(
        _ type: T.Type, from document: Document
    ) throws(DocumentError) -> T {
        try decode(type, from: document.root)
    }

    /// Makes a value of a part of a document; paths of errors begin at the document's root.
    ///
    /// - Throws: ``DocumentError``, as for a whole document.
    public func decode<T: Decodable>(
        _ type: T.Type, from node: Node
    ) throws(DocumentError) -> T {
        let run = DecodingRun(node, self)
        do {
            return try run.value(type, at: node.index, depth: 0)
        } catch {
            throw run.border(error)
        }
    }

    /// Makes a value of JSON text in UTF-8.
    ///
    /// - Throws: ``DocumentError``, as for a document, and when the bytes are none.
    public func decode<T: Decodable>(
        _ type: T.Type, from bytes: [UInt8]
    ) throws(DocumentError) -> T {
        try decode(type, from: Document(parsing: bytes, limits: limits))
    }

    /// Makes a value of JSON text in UTF-8.
    ///
    /// - Throws: ``DocumentError``, as for a document, and when the bytes are none.
    public func decode<T: Decodable>(
        _ type: T.Type, from data: Data
    ) throws(DocumentError) -> T {
        try decode(type, from: Document(parsing: data, limits: limits))
    }
}
