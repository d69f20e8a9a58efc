// SPDX-License-Identifier: Apache-2.0

import RestTransport
import TestSupport
import Testing

@Suite(.tags(.specification)) struct ByteRangeTests {
    @Test(
        arguments: [
            ("bytes=0-1", 0..<2), ("bytes=4-", 4..<10), ("bytes=-3", 7..<10), ("bytes=-30", 0..<10),
            ("bytes=9-99", 9..<10), ("BYTES=0-0", 0..<1), ("bytes= 1-2", 1..<3),
            ("bytes=10-", nil), ("bytes=-0", nil),
        ] as [(String, Range<Int>?)])
    func parsesRanges(text: String, offsets: Range<Int>?) throws {
        #expect(try #require(ByteRange(text)).offsets(in: 10) == offsets)
    }

    @Test(arguments: [
        "", "bytes=", "bytes=-", "bytes=2-1", "bytes=0-1,3-4", "items=0-1", "bytes=a-b",
        "bytes=0-99999999999999999999999", "bytes=+1-2",
    ])
    func rejectsOtherRanges(text: String) {
        #expect(ByteRange(text) == nil)
    }

    @Test(arguments: ["bytes 0-4/10", "bytes 4-9/10", "bytes 0-0/*"])
    func parsesContentRanges(text: String) {
        #expect(ContentRange(text) != nil)
    }

    @Test(arguments: [
        "bytes */10", "bytes 0-10/10", "bytes 4-2/10", "0-1/2", "bytes 0-1", "bytes 0-1/x",
    ])
    func rejectsOtherContentRanges(text: String) {
        #expect(ContentRange(text) == nil)
    }
}
