// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A storage under test, with sample entries and expectations.
struct CacheStorageHarness {
    let storage: any CacheStorage
    let capacity: Int

    // MARK: Samples

    static func key(_ name: String, partition: String? = nil) -> CacheKey {
        CacheKey(url: "https://example.com/\(name)", partition: partition)
    }

    static func entry(_ key: CacheKey, id: UInt64 = 1, byteCount: Int) -> CacheEntry {
        CacheEntry(
            key: key, id: id, selectingFields: [.acceptLanguage: "is"],
            head: HTTPResponse(
                status: .ok, headerFields: [.eTag: "\"\(id)\"", .cacheControl: "max-age=60"]),
            requestDate: Date(timeIntervalSince1970: 1_767_225_600.25),
            responseDate: Date(timeIntervalSince1970: 1_767_225_601.5), bodyByteCount: byteCount)
    }

    /// Returns a body whose bytes depend on its key and ID.
    static func body(_ key: CacheKey, id: UInt64 = 1, byteCount: Int) -> [UInt8] {
        var sum = UInt8(truncatingIfNeeded: id &* 31)
        for byte in key.url.utf8 { sum = sum &* 33 &+ byte }
        for byte in (key.partition ?? "-").utf8 { sum = sum &* 33 &+ byte }
        return (0..<byteCount).map { sum &+ UInt8(truncatingIfNeeded: $0) }
    }

    func store(_ key: CacheKey, id: UInt64 = 1, byteCount: Int = 1_000) async {
        await storage.store(
            Self.entry(key, id: id, byteCount: byteCount),
            body: Self.body(key, id: id, byteCount: byteCount))
    }

    // MARK: Expectations

    func requireIDs(
        _ ids: Set<UInt64>, under key: CacheKey, _ context: String
    ) async throws {
        let found = await storage.entries(for: key).map(\.id)
        try require(
            found.count == ids.count && Set(found) == ids,
            "\(context), the IDs \(ids.sorted()) are expected, found \(found.sorted())")
    }

    func requireBody(
        _ body: [UInt8], of entry: CacheEntry, _ context: String
    ) async throws {
        let found = await storage.body(of: entry)
        try require(
            found == body,
            "\(context), a body of \(body.count) bytes is expected, found "
                + (found.map { "\($0.count) other bytes" } ?? "none"))
    }
}

// MARK: Storing

extension CacheStorageHarness {
    func returnsStoredResponses() async throws {
        var fields = HTTPFields()
        for (name, value) in [("Set-Cookie", "a=1"), ("x-ODD", ""), ("Set-Cookie", "b=2; c")] {
            guard let name = HTTPField.Name(name) else { continue }
            fields.append(HTTPField(name: name, value: value))
        }
        // A Latin-1 value that is not valid UTF-8.
        fields.append(HTTPField(name: .server, lenientValue: [0x63, 0x61, 0x66, 0xE9]))
        for byteCount in [0, 1, 4_095, 20_000, 100_000] {
            let key = Self.key("stored?bytes=\(byteCount)", partition: "Zoë")
            var entry = CacheEntry(
                key: key, id: .max - UInt64(byteCount), selectingFields: [.accept: "a, b"],
                head: HTTPResponse(
                    status: .init(code: 203, reasonPhrase: "From Elsewhere"), headerFields: fields),
                requestDate: Date(timeIntervalSince1970: -1.125),
                responseDate: Date(timeIntervalSince1970: 4_102_444_800.75),
                bodyByteCount: byteCount)
            entry.isMapped = byteCount == 0
            let body = Self.body(key, byteCount: byteCount)
            await storage.store(entry, body: body)
            let found = await storage.entries(for: key)
            try require(
                found == [entry],
                "the entry of a body of \(byteCount) bytes is not the stored one")
            let names = found.flatMap { $0.head.headerFields.map(\.name.rawName) }
            try require(
                names == fields.map(\.name.rawName), "the names of fields are \(names)")
            try await requireBody(body, of: entry, "after storing")
            try await requireBody(body, of: entry, "on the second read")
        }
        try await requireIDs([], under: Self.key("other"), "for a key without responses")
        let unknown = Self.entry(Self.key("other"), byteCount: 0)
        try require(await storage.body(of: unknown) == nil, "an unknown entry has a body")
    }

    func keepsSeveralForOneKey() async throws {
        let key = Self.key("several")
        for id in 1...5 as ClosedRange<UInt64> { await store(key, id: id, byteCount: 7_000) }
        try await requireIDs([1, 2, 3, 4, 5], under: key, "after storing five")
        for id in 1...5 as ClosedRange<UInt64> {
            try await requireBody(
                Self.body(key, id: id, byteCount: 7_000),
                of: Self.entry(key, id: id, byteCount: 7_000), "of the response with ID \(id)")
        }
    }

    func replacesSameID() async throws {
        let key = Self.key("replaced")
        for byteCount in [40_000, 500, 0, 30_000] {
            await store(key, id: 2, byteCount: 100)
            await store(key, id: 7, byteCount: byteCount)
            try await requireIDs([2, 7], under: key, "after replacing")
            let entry = Self.entry(key, id: 7, byteCount: byteCount)
            let found = await storage.entries(for: key).first { $0.id == 7 }
            try require(found == entry, "the entry is not the one stored last")
            try await requireBody(
                Self.body(key, id: 7, byteCount: byteCount), of: entry, "after replacing")
        }
    }

    func separatesKeys() async throws {
        let long = String(repeating: "x", count: 10_000)
        let names = [
            "a", "a/", "a?", "a?b=../../etc/passwd", "../a", "A", "%2e%2e/a", long, long + "y",
        ]
        let partitions: [String?] = [nil, "", "p", "P", "../p", "p/../p", long]
        let keys = names.flatMap { name in partitions.map { Self.key(name, partition: $0) } }
        for key in keys { await store(key, byteCount: 32) }
        for key in keys {
            try await requireIDs([1], under: key, "in its own partition")
            try await requireBody(
                Self.body(key, byteCount: 32), of: Self.entry(key, byteCount: 32),
                "of \(key.url.prefix(60)) in \(key.partition?.prefix(20) ?? "no partition")")
        }
    }

    func updatesWithoutBody() async throws {
        let key = Self.key("updated")
        for byteCount in [300, 50_000] {
            await store(key, id: 1, byteCount: byteCount)
            await store(key, id: 2, byteCount: 10)
            var entry = Self.entry(key, id: 1, byteCount: byteCount)
            entry.head.headerFields[.age] = "0"
            entry.responseDate += 100
            entry.isMapped = true
            await storage.update(entry)
            let found = await storage.entries(for: key).first { $0.id == 1 }
            try require(found == entry, "the entry is not the updated one")
            try await requireBody(
                Self.body(key, id: 1, byteCount: byteCount), of: entry, "after an update")
            await storage.remove(entry)
            await storage.update(entry)
            try await requireIDs([2], under: key, "after an update of a removed entry")
        }
    }
}
