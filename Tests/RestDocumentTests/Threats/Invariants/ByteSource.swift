// SPDX-License-Identifier: Apache-2.0

/// A source of decisions and values from an input, which returns zeros after its end.
struct ByteSource {
    private var rest: ArraySlice<UInt8>

    init(_ input: [UInt8]) {
        rest = input[...]
    }

    init(_ input: ArraySlice<UInt8>) {
        rest = input
    }

    /// A Boolean value that indicates whether the input has ended.
    var isEmpty: Bool { rest.isEmpty }

    /// Returns the next byte.
    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    /// Returns the next eight bytes.
    mutating func integer() -> UInt64 {
        (0..<8).reduce(0) { value, _ in value << 8 | UInt64(byte()) }
    }

    /// Returns the next bytes, or fewer at the end.
    mutating func bytes(_ count: Int) -> [UInt8] {
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    /// Returns the next bytes as text, with invalid UTF-8 replaced.
    mutating func text(_ count: Int) -> String {
        String(decoding: bytes(count), as: UTF8.self)
    }
}
