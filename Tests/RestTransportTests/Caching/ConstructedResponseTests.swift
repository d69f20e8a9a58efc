// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import RestTransport
import TestSupport
import Testing

@Suite(.tags(.specification)) struct ConstructedResponseTests {
    private func response(
        _ lines: [(String, String)], of entry: CacheEntry, _ method: HTTPRequest.Method = .get
    ) throws -> ConstructedResponse? {
        ConstructedResponse(from: entry, to: try CacheSamples.request(method, lines))
    }

    @Test func constructsPartFromCompleteResponse() throws {
        let entry = try CacheSamples.entry([("ETag", "\"a\""), ("A", "1")])
        let part = try #require(try response([("Range", "bytes=2-3")], of: entry))
        let head = part.head(from: entry, age: nil)
        #expect(head.status == .partialContent)
        #expect(head.headerFields[.contentRange] == "bytes 2-3/10")
        #expect(head.headerFields[.contentLength] == "2")
        #expect(part.body(from: Array(0..<10)) == [2, 3])
        let none = try #require(try response([("Range", "bytes=10-")], of: entry))
        #expect(none.head(from: entry, age: nil).status == .rangeNotSatisfiable)
        #expect(none.head(from: entry, age: nil).headerFields[.contentRange] == "bytes */10")
        #expect(try response([("Range", "bytes=0-1,3-4")], of: entry) == .complete)
        let coded = try CacheSamples.entry([("Content-Encoding", "gzip")])
        #expect(try response([("Range", "bytes=2-3")], of: coded) == .complete)
    }

    @Test func evaluatesIfRange() throws {
        let entry = try CacheSamples.entry([("ETag", "\"a\"")])
        let weak = try CacheSamples.entry([("ETag", "W/\"a\"")])
        func response(_ condition: String, _ entry: CacheEntry) throws -> ConstructedResponse? {
            try self.response([("Range", "bytes=2-3"), ("If-Range", condition)], of: entry)
        }
        #expect(try response("\"a\"", entry) != .complete)
        #expect(try response("\"b\"", entry) == .complete)
        #expect(try response("W/\"a\"", weak) == .complete)
    }

    @Test(.threat("T50"))
    func neverReusesPartAsCompleteResponse() throws {
        let range = try CacheSamples.request(.get, [("Range", "bytes=4-8")])
        let part = try CacheSamples.entry(
            [("Content-Range", "bytes 4-8/10"), ("Cache-Control", "max-age=60")], status: 206,
            for: range, bodyByteCount: 5)
        #expect(try response([], of: part) == nil)
        #expect(try response([], of: part, .head) == nil)
        #expect(try response([("Range", "bytes=4-8")], of: part) == .complete)
        #expect(try response([("Range", "bytes=4-9")], of: part) == nil)
        #expect(try response([("Range", "bytes=0-8")], of: part) == nil)
        #expect(try response([("Range", "bytes=-5")], of: part) == nil)
        #expect(try response([("Range", "bytes=0-1,4-5")], of: part) == nil)
        let inner = try #require(try response([("Range", "bytes=5-6")], of: part))
        #expect(inner.body(from: [4, 5, 6, 7, 8]) == [5, 6])
        #expect(inner.head(from: part, age: nil).headerFields[.contentRange] == "bytes 5-6/10")
        // A body with another length than its Content-Range serves only the requested range.
        let short = try CacheSamples.entry(
            [("Content-Range", "bytes 4-8/10")], status: 206, for: range, bodyByteCount: 4)
        #expect(try response([("Range", "bytes=5-6")], of: short) == nil)
        // A suffix range needs the length of the complete representation.
        let endless = try CacheSamples.entry(
            [("Content-Range", "bytes 4-8/*")], status: 206, for: range, bodyByteCount: 5)
        #expect(try response([("Range", "bytes=5-6")], of: endless) == nil)
    }

    @Test(.threat("T50"))
    func storesPartsOnlyForRanges() throws {
        let now = CacheSamples.now
        let part = CacheSamples.head(
            206,
            [
                ("Content-Range", "bytes 0-1/3"), ("Cache-Control", "max-age=60"),
            ])
        let range = try CacheSamples.request(.get, [("Range", "bytes=0-1")])
        #expect(
            StorableResponse(part, to: range, at: now)?.selectingFields.contains(.range) == true)
        #expect(StorableResponse(part, to: try CacheSamples.request(), at: now) == nil)
        let beyond = CacheSamples.head(416, [("Cache-Control", "max-age=60")])
        #expect(StorableResponse(beyond, to: range, at: now) == nil)
        let whole = try CacheSamples.entry([("Cache-Control", "max-age=60")], id: 1)
        let other = try CacheSamples.entry(
            [("Content-Range", "bytes 0-1/3")], status: 206, id: 2, for: range)
        let storable = try #require(StorableResponse(part, to: range, at: now))
        #expect(storable.replacedEntries(among: [whole, other], for: range)?.map(\.id) == [2])
    }
}
