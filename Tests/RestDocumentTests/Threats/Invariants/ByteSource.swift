// SPDX-License-Identifier: Apache-2.0

/// An input taken apart into decisions and values; zeros follow its end.
struct ByteSource {
    private var rest: ArraySlice<UInt8>

    init(_ input: [UInt8]) {
        rest = input[...]
    }

    init(_ input: ArraySlice<UInt8>) {
        rest = input
    }

    /// Whether nothing but zeros follows.
    var isEmpty: Bool { rest.isEmpty }

    /// The next byte.
    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    /// The next eight bytes.
    mutating func integer() -> UInt64 {
        (0..<8).reduce(0) { value, _ in value << 8 | UInt64(byte()) }
    }

    /// The next bytes, fewer at the end.
    mutating func bytes(_ count: Int) -> [UInt8] {
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    /// The next bytes as text, repaired where they are not UTF-8.
    mutating func text(_ count: Int) -> String {
        String(decoding: bytes(count), as: UTF8.self)
    }
}
