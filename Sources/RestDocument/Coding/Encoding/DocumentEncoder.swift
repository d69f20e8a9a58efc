// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An encoder that creates documents from values of any `Encodable` type.
///
/// ```swift
/// struct Article: Encodable {
///     var id = 42
///     var publishedAt = Date(timeIntervalSince1970: 0)
/// }
///
/// var encoder = DocumentEncoder()
/// encoder.keyEncodingStrategy = .convertToSnakeCase
/// try encoder.bytes(of: Article())      // {"id":42,"published_at":"1970-01-01T00:00:00Z"}
/// ```
///
/// The strategies have the names and meanings of Foundation's `JSONEncoder`. By default, dates are
/// RFC 3339 text, or in the format of the request that contains them. Members have the order in which they were encoded. If a type encodes a key twice,
/// the last value counts. Output is never partial: a value that fails adds nothing.
public struct DocumentEncoder: Sendable {
    /// The strategies for encoding `Date` values.
    public enum DateEncodingStrategy: Sendable {
        /// RFC 3339 text in UTC with up to six fraction digits: `2024-05-01T12:00:00Z`,
        /// `2024-05-01T12:00:00.25Z`. Years are limited to 0000 through 9999.
        case iso8601
        /// A number of seconds since 1970-01-01T00:00:00Z.
        case secondsSince1970
        /// A number of milliseconds since 1970-01-01T00:00:00Z.
        case millisecondsSince1970
        /// The own coding of `Date`: a number of seconds since 2001-01-01T00:00:00Z.
        case deferredToDate
        /// A closure that encodes the value.
        case custom(@Sendable (Date, any Encoder) throws -> Void)
    }

    /// The strategies for encoding `Data` values.
    public enum DataEncodingStrategy: Sendable {
        /// Base64 text.
        case base64
        /// The own coding of `Data`: an array of bytes.
        case deferredToData
        /// A closure that encodes the value.
        case custom(@Sendable (Data, any Encoder) throws -> Void)
    }

    /// The strategies for converting coding keys to document keys.
    ///
    /// Keys of dictionaries are not converted.
    public enum KeyEncodingStrategy: Sendable {
        /// Uses coding keys unchanged.
        case useDefaultKeys
        /// Converts camel case to snake case: `createdAt` becomes `created_at`.
        case convertToSnakeCase
        /// A closure that converts a coding key to a document key.
        case custom(@Sendable (String) -> String)
    }

    /// The strategies for encoding infinities and NaN, which JSON cannot express.
    public enum NonConformingFloatEncodingStrategy: Sendable {
        /// Throws an error.
        case `throw`
        /// Writes the given strings.
        case convertToString(positiveInfinity: String, negativeInfinity: String, nan: String)
    }

    /// The strategy for encoding `Date` values; `nil`, the default, for the format of what contains them.
    ///
    /// That is the format of the object manager for the values of a request, and RFC 3339 text for a value
    /// that ``encode(_:)`` or ``bytes(of:)`` is called with.
    public var dateEncodingStrategy: DateEncodingStrategy?
    /// The strategy for encoding `Data` values; Base64 text by default.
    public var dataEncodingStrategy = DataEncodingStrategy.base64
    /// The strategy for converting keys; unchanged keys by default.
    public var keyEncodingStrategy = KeyEncodingStrategy.useDefaultKeys
    /// The strategy for encoding infinities and NaN; an error by default.
    public var nonConformingFloatEncodingStrategy = NonConformingFloatEncodingStrategy.throw
    /// The values that types find in the `userInfo` of their encoder.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]
    /// The maximum nesting of types that encode other types; 512 by default.
    ///
    /// Encoding also ends when the types' own code has used 256 KiB of stack.
    public var depthLimit = 512
    /// The layout and key order of the text that ``bytes(of:)`` returns.
    public var writer = JSONWriter.compact

    /// A Boolean value that indicates whether equal sets and dictionaries have equal documents, apart from
    /// the order of members; otherwise the order of their elements is that of the process.
    package var sortsHashedValues = false

    /// Creates an encoder with the default strategies.
    public init() {}

    /// Returns a document that represents a value.
    ///
    /// - Throws: ``DocumentError`` with code ``DocumentError/Code/notEncodable`` and a path if a
    ///   value has no representation, such as NaN, or if its type throws; with code
    ///   ``DocumentError/Code/limitExceeded`` if the nesting exceeds ``depthLimit``.
    public func encode<T: Encodable>(_ value: T) throws(DocumentError) -> Document {
        try EncodingSession(self).document(of: value)
    }

    /// Returns JSON text in UTF-8 that represents a value.
    ///
    /// - Throws: ``DocumentError``, as for a document.
    public func bytes<T: Encodable>(of value: T) throws(DocumentError) -> [UInt8] {
        if writer == .compact { return try EncodingSession(self).bytes(of: value) }
        return writer.bytes(of: try encode(value))
    }
}
