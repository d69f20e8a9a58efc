// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import RestPersistence

@Suite struct ContentDigestTests {
    private static let content = (0..<1_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }

    /// The published test vectors of FNV-1a.
    @Test(
        arguments: [
            ("", 0xCBF2_9CE4_8422_2325), ("a", 0xAF63_DC4C_8601_EC8C),
            ("foobar", 0x8594_4171_F739_67E8),
        ] as [(String, UInt64)])
    func matchesPublishedValues(_ text: String, _ value: UInt64) {
        var digest = ContentDigest()
        let isExpected = digest.append(Array(text.utf8))
        #expect(isExpected)
        #expect(digest.prefix.value == value)
    }

    @Test(arguments: [1, 3, 64, 999, 1_000])
    func acceptsSameContentInOtherParts(_ size: Int) {
        var first = ContentDigest()
        _ = first.append(Array(Self.content[..<400]))
        var second = ContentDigest(expecting: first.prefix)
        for start in stride(from: 0, to: Self.content.count, by: size) {
            let part = Self.content[start..<min(start + size, Self.content.count)]
            let isExpected = second.append(Array(part))
            #expect(isExpected)
        }
        #expect(second.isLongEnough)
    }

    @Test func refusesChangedContent() {
        var first = ContentDigest()
        _ = first.append(Self.content)
        var changed = Self.content
        changed[500] ^= 1
        var second = ContentDigest(expecting: first.prefix)
        let isBeginningExpected = second.append(Array(changed[..<600]))
        #expect(isBeginningExpected)
        #expect(!second.isLongEnough)
        let isRestExpected = second.append(Array(changed[600...]))
        #expect(!isRestExpected)
    }

    @Test func returnsLastPrefixBeforeOffset() {
        var digest = ContentDigest()
        for start in stride(from: 0, to: 1_000, by: 100) {
            _ = digest.append(Array(Self.content[start..<start + 100]))
        }
        let lengths = [99, 350, 1_000].map { digest.lastPrefix(upTo: $0).byteCount }
        #expect(lengths == [0, 300, 1_000])
        let last = digest.lastPrefix(upTo: 1_000)
        #expect(last == digest.prefix)
    }
}
