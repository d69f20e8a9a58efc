// SPDX-License-Identifier: Apache-2.0

/// The segments `.` and `..` of a path, written out or percent-encoded as `%2E`.
///
/// - Source: RFC 3986 §5.2.4, §6.2.2.
package enum DotSegments {
    /// Returns a Boolean value that indicates whether a path, without its query, has such a
    /// segment.
    @inlinable
    package static func occur(in path: some Collection<UInt8>) -> Bool {
        path.split(separator: UInt8(ascii: "/")).contains { dotCount(of: $0) > 0 }
    }

    /// Returns a path without such segments.
    package static func removed(from path: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        if !mayOccur(in: path) { return path }
        var output: [ArraySlice<UInt8>] = []
        var segments = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let isAbsolute = path.first == UInt8(ascii: "/")
        if isAbsolute { segments.removeFirst() }
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            switch dotCount(of: segment) {
            case 1:
                if isLast { output.append([]) }
            case 2:
                _ = output.popLast()
                if isLast { output.append([]) }
            default:
                output.append(segment)
            }
        }
        var bytes: [UInt8] = isAbsolute ? [UInt8(ascii: "/")] : []
        bytes += output.joined(separator: [UInt8(ascii: "/")])
        return bytes[...]
    }

    /// Returns 1 for `.`, 2 for `..` in any spelling, and 0 for any other segment.
    @inlinable
    static func dotCount(of segment: some Collection<UInt8>) -> Int {
        var rest = segment[...]
        var count = 0
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                guard rest.popFirst() == UInt8(ascii: "2"),
                    rest.popFirst()?.asciiLowercased == UInt8(ascii: "e")
                else { return 0 }
            } else if byte != UInt8(ascii: ".") {
                return 0
            }
            count += 1
        }
        return count <= 2 ? count : 0
    }

    /// Most paths have no segment that begins with a dot or a percent sign, and are not copied.
    private static func mayOccur(in path: ArraySlice<UInt8>) -> Bool {
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
