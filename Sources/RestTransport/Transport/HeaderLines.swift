// SPDX-License-Identifier: Apache-2.0

/// The lines of a received header, status line first, each with its line end.
///
/// A field that is folded onto further lines is one line, with a space in place of each fold. A line
/// that begins with whitespace is returned as it is if no field precedes it.
///
/// - Source: RFC 9112 §5.2.
struct HeaderLines: Sequence, IteratorProtocol {
    private let header: [UInt8]
    private var position = 0

    init(_ header: [UInt8]) {
        self.header = Self.isFolded(header) ? Self.unfolded(header) : header
    }

    mutating func next() -> ArraySlice<UInt8>? {
        guard position < header.count else { return nil }
        let line = Self.line(of: header, at: position)
        position = line.endIndex
        return line
    }

    private static func line(of header: [UInt8], at start: Int) -> ArraySlice<UInt8> {
        let lineBreak = header[start...].firstIndex(of: UInt8(ascii: "\n"))
        return header[start..<(lineBreak.map { $0 + 1 } ?? header.count)]
    }

    /// Returns a Boolean value that indicates whether a line begins with whitespace.
    private static func isFolded(_ header: [UInt8]) -> Bool {
        var isLineStart = false
        for byte in header {
            if isLineStart, isBlank(byte) { return true }
            isLineStart = byte == UInt8(ascii: "\n")
        }
        return false
    }

    private static func unfolded(_ header: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(header.count)
        var position = 0
        var lineCount = 0
        while position < header.count {
            let line = line(of: header, at: position)
            position = line.endIndex
            if lineCount > 1, line.first.map(isBlank) == true {
                while let last = result.last,
                    isBlank(last) || last == UInt8(ascii: "\r") || last == UInt8(ascii: "\n")
                {
                    result.removeLast()
                }
                result.append(UInt8(ascii: " "))
                result += line.drop(while: isBlank)
            } else {
                result += line
                lineCount += 1
            }
        }
        return result
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }
}
