// SPDX-License-Identifier: Apache-2.0

import RestDocument

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Decimal: MappableValue {
    /// Converts a number, or text that is one, with all its digits.
    ///
    /// A number of more than 38 digits is out of range. Text that is not a number is an issue under
    /// all coercions.
    public static func map(from source: ValueSource) throws(MappingFailure) -> Decimal {
        let view = source.view
        if view.kind.isNumber {
            if let value = unsafe DecimalText.read(view.numberBytes.span) { return value }
            throw source.failure(.outOfRange, "a decimal of at most 38 digits")
        }
        guard let text = view.string()?.trimmed else { throw source.mismatch("a decimal") }
        guard let value = DecimalText.read(Array(text.utf8).span) else {
            throw source.conversionFailure(.textToNumber, "the text of a decimal")
        }
        try source.coerce(.textToNumber, "a decimal")
        return value
    }

    /// Writes text with all digits, or a number if the mapping declares so; NaN has no
    /// representation.
    public func write(to writer: inout RequestWriter) throws(MappingFailure) {
        try writer.decimal(self)
    }
}

extension UUID: MappableValue {
    /// Converts text of 36 characters.
    public static func map(from source: ValueSource) throws(MappingFailure) -> UUID {
        guard let text = source.view.string() else { throw source.mismatch("a UUID") }
        guard let value = UUID(uuidString: text) else {
            throw source.failure(.malformedValue, "a UUID")
        }
        return value
    }

    /// Writes text of 36 characters.
    public func write(to writer: inout RequestWriter) {
        writer.string(uuidString)
    }
}

extension URL: MappableValue {
    /// Converts text that is a valid URL; under ``Coercion/unescapedToURL`` also text that is one
    /// except for characters that need percent-encoding.
    public static func map(from source: ValueSource) throws(MappingFailure) -> URL {
        guard let text = source.view.string() else { throw source.mismatch("a URL") }
        if let value = URL(wellFormed: text) { return value }
        guard source.allows(.unescapedToURL), let value = URL(escaping: text.trimmed) else {
            throw source.failure(.malformedValue, "a URL")
        }
        source.noteCoercion(.unescapedToURL)
        return value
    }

    /// Writes the text of the URL.
    public func write(to writer: inout RequestWriter) {
        writer.string(absoluteString)
    }
}

extension URL {
    /// Creates a URL from text that is valid as it is; nil otherwise.
    init?(wellFormed text: String) {
        self.init(string: text, encodingInvalidCharacters: false)
    }

    /// Creates a URL from text, in which characters that a URL cannot contain are percent-encoded;
    /// nil if it is none even then.
    init?(escaping text: String) {
        guard !text.isEmpty else { return nil }
        self.init(string: text, encodingInvalidCharacters: true)
    }
}

extension Data: MappableValue {
    /// Converts text that is Base64.
    public static func map(from source: ValueSource) throws(MappingFailure) -> Data {
        guard let text = source.view.string() else { throw source.mismatch("Base64 text") }
        guard let value = Data(base64Encoded: text) else {
            throw source.failure(.malformedValue, "Base64 text")
        }
        return value
    }

    /// Writes text that is Base64.
    public func write(to writer: inout RequestWriter) {
        writer.string(base64EncodedString())
    }
}
