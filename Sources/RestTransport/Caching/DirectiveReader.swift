// SPDX-License-Identifier: Apache-2.0

/// Reads directives, `name` or `name=value` separated by commas, one by one.
///
/// Values may be quoted; what stands in quotes is never a directive. A part that is no directive is
/// passed over up to the next comma outside quotes.
struct DirectiveReader {
    /// One directive.
    struct Directive {
        /// The name in lower case.
        var name: String

        /// The value without its quotes; `nil` when there is no equals sign.
        var value: [UInt8]?

        /// The value as a number of seconds, `nil` when it is none.
        ///
        /// - Source: RFC 9111 §1.2.2.
        var seconds: Int? { value.flatMap { HTTPNumber.seconds($0[...]) } }

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

    /// The next directive, or `nil` at the end.
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

    /// Reads a value; what stands between a quoted one and the comma makes it no number.
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

/// The numbers of header fields.
enum HTTPNumber {
    /// A number of seconds, at most ``CacheControl/maximumSeconds``; `nil` when it is none.
    static func seconds(_ digits: ArraySlice<UInt8>) -> Int? {
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

extension UInt8 {
    /// Whether the byte may stand in a token.
    ///
    /// - Source: RFC 9110 §5.6.2.
    var isTokenCharacter: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default:
            "!#$%&'*+-.^_`|~".utf8.contains(self)
        }
    }
}
