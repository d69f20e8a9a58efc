// SPDX-License-Identifier: Apache-2.0

import RestSyntax

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The parsed value of a Set-Cookie field.
///
/// - Source: RFC 6265bis §5.6.
struct SetCookieField {
    private(set) var name: [UInt8] = []
    private(set) var value: [UInt8] = []
    private(set) var expires: Date?
    private(set) var maximumAge: Int?
    private(set) var domain: String?
    private(set) var path: String?
    private(set) var isSecure = false
    private(set) var isHTTPOnly = false
    private(set) var sameSite: Cookie.SameSite?

    /// The maximum number of bytes of an attribute's value; longer attributes are ignored.
    private static let maximumAttributeByteCount = 1024

    /// Creates a field by parsing its value.
    ///
    /// - Returns: `nil` if the value contains a control character, or neither a name nor a value.
    init?(parsing bytes: [UInt8]) {
        guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == UInt8(ascii: "\t") }) else {
            return nil
        }
        let parts = bytes.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        guard let pair = parts.first else { return nil }
        if let equals = pair.firstIndex(of: UInt8(ascii: "=")) {
            name = Array(pair[..<equals].trimmingWhitespace())
            value = Array(pair[(equals + 1)...].trimmingWhitespace())
        } else {
            value = Array(pair.trimmingWhitespace())
        }
        guard !name.isEmpty || !value.isEmpty else { return nil }
        for part in parts.dropFirst() {
            let equals = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
            let attribute = Self.text(part[..<equals]).asciiLowercased
            let value = equals == part.endIndex ? "" : Self.text(part[equals...].dropFirst())
            guard value.utf8.count <= Self.maximumAttributeByteCount else { continue }
            set(attribute, to: value)
        }
    }

    /// Sets an attribute; the last one of a name wins.
    private mutating func set(_ attribute: String, to value: String) {
        switch attribute {
        case "expires":
            expires = CookieDate.date(value) ?? expires
        case "max-age":
            maximumAge = Self.age(value) ?? maximumAge
        case "domain":
            domain = (value.hasPrefix(".") ? String(value.dropFirst()) : value).asciiLowercased
        case "path":
            path = value.hasPrefix("/") ? value : nil
        case "secure":
            isSecure = true
        case "httponly":
            isHTTPOnly = true
        case "samesite":
            sameSite = Cookie.SameSite(rawValue: value.asciiLowercased)
        default:
            break
        }
    }

    /// Returns a number of seconds; `Int.max` if it does not fit, 0 if it is negative.
    private static func age(_ text: String) -> Int? {
        let digits = text.utf8.first == UInt8(ascii: "-") ? text.utf8.dropFirst() : text.utf8[...]
        guard !digits.isEmpty, digits.allSatisfy({ $0.isDigit }) else { return nil }
        if digits.count < text.utf8.count { return 0 }
        return Int(text) ?? .max
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes.trimmingWhitespace(), as: UTF8.self)
    }
}

extension String {
    /// The text with ASCII letters in lower case.
    ///
    /// Unicode mappings would make ASCII letters of others.
    var asciiLowercased: String {
        String(decoding: utf8.map { $0.asciiLowercased }, as: UTF8.self)
    }
}
