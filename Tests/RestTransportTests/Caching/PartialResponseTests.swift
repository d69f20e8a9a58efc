// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import RestTransport
import TestSupport
import Testing

/// Ranges, and parts of a body.
@Suite(.tags(.specification)) struct PartialResponseTests {
    @Test(
        arguments: [
            ("bytes=0-1", 0..<2), ("bytes=4-", 4..<10), ("bytes=-3", 7..<10), ("bytes=-30", 0..<10),
            ("bytes=9-99", 9..<10), ("BYTES=0-0", 0..<1), ("bytes= 1-2", 1..<3),
            ("bytes=10-", nil), ("bytes=-0", nil),
        ] as [(String, Range<Int>?)])
    func readsRanges(text: String, offsets: Range<Int>?) throws {
        #expect(try #require(ByteRange(text)).offsets(in: 10) == offsets)
    }

    @Test(arguments: [
        "", "bytes=", "bytes=-", "bytes=2-1", "bytes=0-1,3-4", "items=0-1", "bytes=a-b",
        "bytes=0-99999999999999999999999", "bytes=+1-2",
    ])
    func readsNoOthers(text: String) {
        #expect(ByteRange(text) == nil)
    }

    @Test(arguments: ["bytes 0-4/10", "bytes 4-9/10", "bytes 0-0/*"])
    func readsContentRanges(text: String) {
        #expect(ContentRange(text) != nil)
    }

    @Test(arguments: [
        "bytes */10", "bytes 0-10/10", "bytes 4-2/10", "0-1/2", "bytes 0-1", "bytes 0-1/x",
    ])
    func readsNoOtherContentRanges(text: String) {
        #expect(ContentRange(text) == nil)
    }

    private func answer(
        _ lines: [(String, String)], of entry: CacheEntry, _ method: HTTPRequest.Method = .get
    ) throws -> StoredAnswer? {
        StoredAnswer.of(entry, to: try CacheSamples.request(method, lines))
    }

    @Test func cutsPartsOutOfAWhole() throws {
        let entry = try CacheSamples.entry([("ETag", "\"a\""), ("A", "1")])
        let part = try #require(try answer([("Range", "bytes=2-3")], of: entry))
        let head = part.head(of: entry, age: nil)
        #expect(head.status == .partialContent)
        #expect(head.headerFields[.contentRange] == "bytes 2-3/10")
        #expect(head.headerFields[.contentLength] == "2")
        #expect(part.body(of: Array(0..<10)) == [2, 3])
        let none = try #require(try answer([("Range", "bytes=10-")], of: entry))
        #expect(none.head(of: entry, age: nil).status == .rangeNotSatisfiable)
        #expect(none.head(of: entry, age: nil).headerFields[.contentRange] == "bytes */10")
        #expect(try answer([("Range", "bytes=0-1,3-4")], of: entry) == .whole)
        let coded = try CacheSamples.entry([("Content-Encoding", "gzip")])
        #expect(try answer([("Range", "bytes=2-3")], of: coded) == .whole)
    }

    @Test func heedsTheConditionOnARange() throws {
        let entry = try CacheSamples.entry([("ETag", "\"a\"")])
        let weak = try CacheSamples.entry([("ETag", "W/\"a\"")])
        func answer(_ condition: String, _ entry: CacheEntry) throws -> StoredAnswer? {
            try self.answer([("Range", "bytes=2-3"), ("If-Range", condition)], of: entry)
        }
        #expect(try answer("\"a\"", entry) != .whole)
        #expect(try answer("\"b\"", entry) == .whole)
        #expect(try answer("W/\"a\"", weak) == .whole)
    }

    @Test(.threat("T50"))
    func neverTakesAPartForTheWhole() throws {
        let range = try CacheSamples.request(.get, [("Range", "bytes=4-8")])
        let part = try CacheSamples.entry(
            [("Content-Range", "bytes 4-8/10"), ("Cache-Control", "max-age=60")], status: 206,
            for: range, bodyByteCount: 5)
        #expect(try answer([], of: part) == nil)
        #expect(try answer([], of: part, .head) == nil)
        #expect(try answer([("Range", "bytes=4-8")], of: part) == .whole)
        #expect(try answer([("Range", "bytes=4-9")], of: part) == nil)
        #expect(try answer([("Range", "bytes=0-8")], of: part) == nil)
        #expect(try answer([("Range", "bytes=-5")], of: part) == nil)
        #expect(try answer([("Range", "bytes=0-1,4-5")], of: part) == nil)
        let inner = try #require(try answer([("Range", "bytes=5-6")], of: part))
        #expect(inner.body(of: [4, 5, 6, 7, 8]) == [5, 6])
        #expect(inner.head(of: part, age: nil).headerFields[.contentRange] == "bytes 5-6/10")
        // A body that is not as long as it says serves no other range than the one asked for.
        let short = try CacheSamples.entry(
            [("Content-Range", "bytes 4-8/10")], status: 206, for: range, bodyByteCount: 4)
        #expect(try answer([("Range", "bytes=5-6")], of: short) == nil)
        // Without the whole's length, an end of the whole is not known.
        let endless = try CacheSamples.entry(
            [("Content-Range", "bytes 4-8/*")], status: 206, for: range, bodyByteCount: 5)
        #expect(try answer([("Range", "bytes=5-6")], of: endless) == nil)
    }

    @Test(.threat("T50"))
    func storesPartsForRangesOnly() throws {
        let now = CacheSamples.now
        let part = CacheSamples.head(
            206,
            [
                ("Content-Range", "bytes 0-1/3"), ("Cache-Control", "max-age=60"),
            ])
        let range = try CacheSamples.request(.get, [("Range", "bytes=0-1")])
        #expect(StorableResponse(part, to: range, at: now)?.requestFields.contains(.range) == true)
        #expect(StorableResponse(part, to: try CacheSamples.request(), at: now) == nil)
        let beyond = CacheSamples.head(416, [("Cache-Control", "max-age=60")])
        #expect(StorableResponse(beyond, to: range, at: now) == nil)
        let whole = try CacheSamples.entry([("Cache-Control", "max-age=60")], id: 1)
        let other = try CacheSamples.entry(
            [("Content-Range", "bytes 0-1/3")], status: 206, id: 2, for: range)
        let storable = try #require(StorableResponse(part, to: range, at: now))
        #expect(storable.replaced(of: [whole, other], by: range)?.map(\.id) == [2])
    }
}
