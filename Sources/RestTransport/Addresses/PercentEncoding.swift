// SPDX-License-Identifier: Apache-2.0

/// Escapes of path, query and fragment.
enum PercentEncoding {
    /// The canonical spelling: what RFC 3986 allows stays, everything else is escaped.
    ///
    /// A percent sign that does not begin an escape is escaped itself.
    static func canonical(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        if bytes.allSatisfy({ $0.isAllowedInPathOrQuery && $0 != UInt8(ascii: "%") }) {
            return bytes
        }
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count + 16)
        for (index, byte) in zip(bytes.indices, bytes) {
            let isAllowed =
                byte == UInt8(ascii: "%")
                ? index + 2 < bytes.endIndex && bytes[index + 1].isHexDigit
                    && bytes[index + 2].isHexDigit
                : byte.isAllowedInPathOrQuery
            if isAllowed {
                output.append(byte)
            } else {
                output.append(UInt8(ascii: "%"))
                output.append(hexDigit(byte >> 4))
                output.append(hexDigit(byte & 15))
            }
        }
        return output[...]
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}

extension UInt8 {
    // pchar of RFC 3986, with `/` and `?`.
    fileprivate var isAllowedInPathOrQuery: Bool {
        if isDigit || isLetter { return true }
        switch self {
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"),
            UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&"), UInt8(ascii: "'"),
            UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "*"), UInt8(ascii: "+"),
            UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "="), UInt8(ascii: ":"),
            UInt8(ascii: "@"), UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "%"):
            return true
        default:
            return false
        }
    }
}

/// Dot segments of a path.
enum PathNormalization {
    /// The path without `.` and `..` segments, however they are escaped.
    ///
    /// - Source: RFC 3986 §5.2.4 and §6.2.2.
    static func withoutDotSegments(_ path: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        if !mayHoldDotSegment(path) { return path }
        var kept: [ArraySlice<UInt8>] = []
        var segments = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let isAbsolute = path.first == UInt8(ascii: "/")
        if isAbsolute { segments.removeFirst() }
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            switch dotCount(segment) {
            case 1:
                if isLast { kept.append([]) }
            case 2:
                _ = kept.popLast()
                if isLast { kept.append([]) }
            default:
                kept.append(segment)
            }
        }
        var output: [UInt8] = isAbsolute ? [UInt8(ascii: "/")] : []
        output += kept.joined(separator: [UInt8(ascii: "/")])
        return output[...]
    }

    // 1 or 2 when the segment is `.` or `..` in any spelling, else 0.
    private static func dotCount(_ segment: ArraySlice<UInt8>) -> Int {
        var rest = segment
        var count = 0
        while let byte = rest.first {
            if byte == UInt8(ascii: ".") {
                rest = rest.dropFirst()
            } else if byte == UInt8(ascii: "%"), rest.count >= 3,
                rest[rest.startIndex + 1] == UInt8(ascii: "2"),
                rest[rest.startIndex + 2] | 0x20 == UInt8(ascii: "e")
            {
                rest = rest.dropFirst(3)
            } else {
                return 0
            }
            count += 1
        }
        return count <= 2 ? count : 0
    }

    private static func mayHoldDotSegment(_ path: ArraySlice<UInt8>) -> Bool {
        var previous = UInt8(ascii: "/")
        for byte in path {
            if previous == UInt8(ascii: "/"),
                byte == UInt8(ascii: ".") || byte == UInt8(ascii: "%")
            {
                return true
            }
            previous = byte
        }
        return false
    }
}
