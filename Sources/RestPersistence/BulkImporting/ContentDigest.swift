// SPDX-License-Identifier: Apache-2.0

/// A digest of the content of a source, which tells whether an interrupted import continues with the
/// same content.
///
/// - Source: FNV-1a, 64 bits. It finds accidental changes, not deliberate ones.
struct ContentDigest {
    /// The digest of the first bytes of a source.
    struct Prefix: Hashable {
        var byteCount = 0
        var value: UInt64 = 0xCBF2_9CE4_8422_2325
    }

    /// The digest of all bytes so far.
    private(set) var prefix = Prefix()
    /// The digests at the ends of the appended parts, in ascending order.
    private var boundaries: [Prefix] = [Prefix()]
    private let expected: Prefix

    init(expecting expected: Prefix = Prefix()) { self.expected = expected }

    /// Appends bytes.
    ///
    /// - Returns: A Boolean value that indicates whether the content can be the expected one.
    mutating func append(_ bytes: [UInt8]) -> Bool {
        let remaining = expected.byteCount - prefix.byteCount
        if remaining > 0, remaining <= bytes.count {
            add(bytes[..<remaining])
            if prefix != expected { return false }
            add(bytes[remaining...])
        } else {
            add(bytes[...])
        }
        boundaries.append(prefix)
        return true
    }

    /// A Boolean value that indicates whether the content is as long as the expected one.
    var isLongEnough: Bool { prefix.byteCount >= expected.byteCount }

    private mutating func add(_ bytes: ArraySlice<UInt8>) {
        var value = prefix.value
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
        prefix.value = value
        prefix.byteCount += bytes.count
    }

    /// Returns the longest known prefix that ends before or at an offset, and forgets shorter ones.
    mutating func lastPrefix(upTo offset: Int) -> Prefix {
        let last = boundaries.lastIndex { $0.byteCount <= offset } ?? 0
        boundaries.removeFirst(last)
        return boundaries[0]
    }
}
