// SPDX-License-Identifier: Apache-2.0

import RestSyntax

/// A parser of directives, `name` or `name=value`, separated by commas.
///
/// Values may be quoted; quoted text is never a directive. An invalid part is skipped up to the
/// next comma outside of quotes.
struct DirectiveReader {
    /// A directive.
    struct Directive {
        /// The name in lower case.
        var name: String

        /// The value without its quotes, or `nil` if there is no equals sign.
        var value: [UInt8]?

        /// The value as a number of seconds, or `nil` if it is not a number.
        ///
        /// - Source: RFC 9111 §1.2.2.
        var seconds: Int? { value.flatMap { DeltaSeconds.parse($0[...]) } }

        /// The value as a list of field names in lower case.
        var listedNames: [String] {
            (value ?? []).split { $0 == UInt8(ascii: ",") || $0.isBlank }.map {
                String(decoding: $0.map(\.asciiLowercased), as: UTF8.self)
            }
        }
    }

    private let bytes: [UInt8]
    private var position = 0

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    /// Returns the next directive, or `nil` at the end.
    mutating func next() -> Directive? {
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: ",") || byte.isBlank {
                position += 1
                continue
            }
            let directive = readDirective()
            skipToComma()
            if let directive { return directive }
        }
        return nil
    }

    private mutating func readDirective() -> Directive? {
        let start = position
        while position < bytes.count, bytes[position].isTokenCharacter { position += 1 }
        guard position > start else { return nil }
        let name = String(decoding: bytes[start..<position].map(\.asciiLowercased), as: UTF8.self)
        guard position < bytes.count else { return Directive(name: name) }
        switch bytes[position] {
        case UInt8(ascii: "="):
            position += 1
            return Directive(name: name, value: readValue())
        case UInt8(ascii: ","):
            return Directive(name: name)
        default:
            let end = bytes[position...].firstIndex { !$0.isBlank } ?? bytes.count
            let isAlone = end == bytes.count || bytes[end] == UInt8(ascii: ",")
            return isAlone ? Directive(name: name) : nil
        }
    }

    /// Reads a value; text between a closing quote and the comma is ignored.
    private mutating func readValue() -> [UInt8] {
        guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else {
            let start = position
            skipToComma()
            var end = position
            while end > start, bytes[end - 1].isBlank { end -= 1 }
            return Array(bytes[start..<end])
        }
        position += 1
        var value: [UInt8] = []
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            if byte == UInt8(ascii: "\"") { break }
            if byte == UInt8(ascii: "\\"), position < bytes.count {
                value.append(bytes[position])
                position += 1
            } else {
                value.append(byte)
            }
        }
        return value
    }

    private mutating func skipToComma() {
        var isQuoted = false
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: ",") where !isQuoted: return
            case UInt8(ascii: "\""): isQuoted.toggle()
            case UInt8(ascii: "\\") where isQuoted: position += 1
            default: break
            }
            position += 1
        }
        position = min(position, bytes.count)
    }
}

/// Numbers of seconds in header fields.
///
/// - Source: RFC 9111 §1.2.2.
enum DeltaSeconds {
    /// Returns a number of seconds, clamped to ``CacheControl/maximumSeconds``, or `nil` if the
    /// text is not a number.
    static func parse(_ digits: ArraySlice<UInt8>) -> Int? {
        guard !digits.isEmpty else { return nil }
        var number = 0
        for digit in digits {
            guard digit.isDigit else { return nil }
            number = min(
                number * 10 + Int(digit - UInt8(ascii: "0")), CacheControl.maximumSeconds)
        }
        return number
    }
}
