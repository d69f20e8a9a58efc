// SPDX-License-Identifier: Apache-2.0

import RestSyntax

/// The single range of a `Range` field, in bytes.
///
/// - Source: RFC 9110 §14.1.2.
package enum ByteRange: Sendable, Hashable {
    /// The bytes from an offset through another offset, or to the end.
    case from(Int, through: Int?)

    /// A number of bytes at the end.
    case suffix(Int)

    /// Creates the range of a field value, or returns `nil` for other units, several ranges and
    /// invalid values.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count > 6, bytes[..<6].map(\.asciiLowercased).elementsEqual("bytes=".utf8)
        else {
            return nil
        }
        let range = bytes[6...].trimmingWhitespace()
        guard let dash = range.firstIndex(of: UInt8(ascii: "-")) else { return nil }
        let (first, last) = (range[..<dash], range[(dash + 1)...])
        if first.isEmpty {
            guard let count = ContentRange.number(last) else { return nil }
            self = .suffix(count)
        } else {
            guard let start = ContentRange.number(first) else { return nil }
            guard !last.isEmpty else {
                self = .from(start, through: nil)
                return
            }
            guard let end = ContentRange.number(last), end >= start else { return nil }
            self = .from(start, through: end)
        }
    }

    /// Returns the offsets of the range in a body, or `nil` if the range is not satisfiable.
    package func offsets(in byteCount: Int) -> Range<Int>? {
        switch self {
        case .from(let start, let end):
            guard start < byteCount else { return nil }
            return start..<min(end ?? byteCount, byteCount - 1) + 1
        case .suffix(let count):
            guard count > 0, byteCount > 0 else { return nil }
            return max(0, byteCount - count)..<byteCount
        }
    }
}

/// The position of a partial response in the complete representation, from a `Content-Range` field.
///
/// - Source: RFC 9110 §14.4.
package struct ContentRange: Sendable, Hashable {
    /// The offsets in the complete representation.
    package let offsets: Range<Int>

    /// The length of the complete representation in bytes, or `nil` if it is unknown.
    package let completeByteCount: Int?

    /// Creates the range of a field value, or returns `nil` if the value is invalid.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count > 6, bytes[..<6].map(\.asciiLowercased).elementsEqual("bytes ".utf8),
            let slash = bytes.firstIndex(of: UInt8(ascii: "/")),
            let dash = bytes[..<slash].firstIndex(of: UInt8(ascii: "-")),
            let first = Self.number(bytes[6..<dash]),
            let last = Self.number(bytes[(dash + 1)..<slash]), first <= last
        else { return nil }
        let complete = bytes[(slash + 1)...]
        completeByteCount = complete.elementsEqual("*".utf8) ? nil : Self.number(complete)
        guard complete.elementsEqual("*".utf8) || completeByteCount.map({ $0 > last }) == true
        else {
            return nil
        }
        offsets = first..<last + 1
    }

    static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard !digits.isEmpty, digits.count < 19, digits.allSatisfy(\.isDigit) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }
}
