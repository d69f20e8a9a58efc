// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Makes documents of values of any `Encodable` type.
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
/// The strategies have the names and meanings of Foundation's `JSONEncoder`; dates are RFC 3339
/// unless said otherwise. Members stand in the order in which they were encoded; where a type
/// encodes a key twice, the last value counts. Nothing is half written: a value that fails leaves
/// no trace.
public struct DocumentEncoder: Sendable {
    /// How a `Date` is written.
    public enum DateEncodingStrategy: Sendable {
        /// Text of RFC 3339 in UTC, with as many decimals of a second as it has, at most six:
        /// `2024-05-01T12:00:00Z`, `2024-05-01T12:00:00.25Z`. The years are 0000 to 9999.
        case iso8601
        /// A number of seconds since 1970.
        case secondsSince1970
        /// A number of milliseconds since 1970.
        case millisecondsSince1970
        /// As `Date` encodes itself: a number of seconds since 2001.
        case deferredToDate
        /// What a closure encodes.
        case custom(@Sendable (Date, any Encoder) throws -> Void)
    }

    /// How a `Data` is written.
    public enum DataEncodingStrategy: Sendable {
        /// Text in Base64.
        case base64
        /// As `Data` encodes itself: an array of bytes.
        case deferredToData
        /// What a closure encodes.
        case custom(@Sendable (Data, any Encoder) throws -> Void)
    }

    /// How the keys of a type become those of a document.
    ///
    /// The keys of dictionaries stay as they are.
    public enum KeyEncodingStrategy: Sendable {
        /// As they are.
        case useDefaultKeys
        /// The key `createdAt` is `created_at`.
        case convertToSnakeCase
        /// A closure makes the document's key of the type's.
        case custom(@Sendable (String) -> String)
    }

    /// How infinities and NaN are written, which JSON has not.
    public enum NonConformingFloatEncodingStrategy: Sendable {
        /// They are an error.
        case `throw`
        /// They are these texts.
        case convertToString(positiveInfinity: String, negativeInfinity: String, nan: String)
    }

    /// How a `Date` is written; RFC 3339 text by default.
    public var dateEncodingStrategy = DateEncodingStrategy.iso8601
    /// How a `Data` is written; Base64 text by default.
    public var dataEncodingStrategy = DataEncodingStrategy.base64
    /// How keys are written; as they are by default.
    public var keyEncodingStrategy = KeyEncodingStrategy.useDefaultKeys
    /// How infinities and NaN are written; an error by default.
    public var nonConformingFloatEncodingStrategy = NonConformingFloatEncodingStrategy.throw
    /// What types find in their encoder's `userInfo`.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]
    /// How deep types may encode others inside themselves.
    ///
    /// Where their own code uses much of the stack, it ends after 256 KiB.
    public var depthLimit = 512
    /// How text is laid out.
    public var writer = JSONWriter.compact

    /// Makes an encoder.
    public init() {}

    /// Makes a document of a value.
    ///
    /// - Throws: ``DocumentError`` with code ``DocumentError/Code/notEncodable`` and the path where
    ///   a value has no form in a document, such as NaN, or its type refused;
    ///   ``DocumentError/Code/limitExceeded`` when the nesting is deeper than ``depthLimit``.
    public func encode<T: Encodable>(_ value: T) throws(DocumentError) -> Document {
        try EncodingRun(self).document(of: value)
    }

    /// Makes JSON text in UTF-8 of a value.
    ///
    /// - Throws: ``DocumentError``, as for a document.
    public func bytes<T: Encodable>(of value: T) throws(DocumentError) -> [UInt8] {
        if writer == .compact { return try EncodingRun(self).bytes(of: value) }
        return writer.bytes(of: try encode(value))
    }
}
