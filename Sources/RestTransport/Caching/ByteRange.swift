// SPDX-License-Identifier: Apache-2.0

/// The one range of bytes that a `Range` field asks for.
///
/// - Source: RFC 9110 §14.1.2.
package enum ByteRange: Sendable, Hashable {
    /// From an offset to one, which is included, or to the end.
    case from(Int, through: Int?)

    /// So many bytes at the end.
    case last(Int)

    /// Reads a field; `nil` for other units, several ranges and what is no range.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count > 6, bytes[..<6].map(\.asciiLowercased).elementsEqual("bytes=".utf8)
        else {
            return nil
        }
        let range = bytes[6...].trimmingBlanks()
        guard let dash = range.firstIndex(of: UInt8(ascii: "-")) else { return nil }
        let (first, last) = (range[..<dash], range[(dash + 1)...])
        if first.isEmpty {
            guard let count = ContentRange.number(last) else { return nil }
            self = .last(count)
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

    /// The offsets in a body of so many bytes, `nil` when it has none of them.
    package func offsets(in byteCount: Int) -> Range<Int>? {
        switch self {
        case .from(let start, let end):
            guard start < byteCount else { return nil }
            return start..<min(end ?? byteCount, byteCount - 1) + 1
        case .last(let count):
            guard count > 0, byteCount > 0 else { return nil }
            return max(0, byteCount - count)..<byteCount
        }
    }
}

/// Which part of a whole a 206 response holds, as its `Content-Range` field says.
///
/// - Source: RFC 9110 §14.4.
package struct ContentRange: Sendable, Hashable {
    /// The offsets in the whole.
    package let offsets: Range<Int>

    /// The length of the whole, when it is known.
    package let wholeByteCount: Int?

    /// Reads a field; `nil` when it does not say which part.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count > 6, bytes[..<6].map(\.asciiLowercased).elementsEqual("bytes ".utf8),
            let slash = bytes.firstIndex(of: UInt8(ascii: "/")),
            let dash = bytes[..<slash].firstIndex(of: UInt8(ascii: "-")),
            let first = Self.number(bytes[6..<dash]),
            let last = Self.number(bytes[(dash + 1)..<slash]), first <= last
        else { return nil }
        let whole = bytes[(slash + 1)...]
        wholeByteCount = whole.elementsEqual("*".utf8) ? nil : Self.number(whole)
        guard whole.elementsEqual("*".utf8) || wholeByteCount.map({ $0 > last }) == true else {
            return nil
        }
        offsets = first..<last + 1
    }

    static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard !digits.isEmpty, digits.count < 19, digits.allSatisfy(\.isDigit) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }
}
