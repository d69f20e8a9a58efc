// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestTesting
import RestTransport
import TestSupport
import Testing

/// The cache as a part of the client.
@Suite struct HTTPCacheTests {
    private let lost = TransportError(.connectionLost, stage: .receivingBody, reason: "cut")

    @Test(.parity("S066"))
    func reusesFreshAndRevalidatesStaleResponses() async throws {
        let harness = try CacheHarness { request in
            if request.headerFields[.ifNoneMatch] == "\"1\"" {
                return .text("", [("ETag", "\"1\""), ("A", "new")], status: 304, to: request)
            }
            return .text(
                "body", [("ETag", "\"1\""), ("Cache-Control", "max-age=60"), ("A", "old")],
                to: request)
        }
        let first = try await harness.read()
        #expect(first.response.origin == .network && first.body == "body")
        harness.clock.advance(by: .seconds(59))
        let second = try await harness.read()
        #expect(second.response.origin == .cache(age: 59) && second.body == "body")
        #expect(second.response.headerFields[.age] == "59")
        #expect(harness.askedCount == 1)
        harness.clock.advance(by: .seconds(1))
        let third = try await harness.read()
        #expect(third.response.origin == .revalidated && third.body == "body")
        #expect(third.response.status == .ok)
        #expect(third.response.headerFields[try #require(HTTPField.Name("A"))] == "new")
        #expect(third.response.request.headerFields[.ifNoneMatch] == nil)
        let fourth = try await harness.read()
        #expect(fourth.response.origin == .cache(age: 0) && harness.askedCount == 2)
    }

    @Test(.parity("S067"))
    func neverForwardsWithCacheOnlyPolicy() async throws {
        let harness = try CacheHarness { .text("body", [("ETag", "\"1\"")], to: $0) }
        let nothing = try await harness.read(policy: .cacheOnly)
        #expect(nothing.response.status == .gatewayTimeout)
        #expect(nothing.response.origin == .unavailable && harness.askedCount == 0)
        _ = try await harness.read()
        harness.clock.advance(by: .seconds(1000))
        for policy in [CachePolicy.cacheOnly, .cacheFirst] {
            let stored = try await harness.read(policy: policy)
            #expect(stored.response.origin == .stale(age: 1000) && stored.body == "body")
        }
        #expect(harness.askedCount == 1)
        #expect(try await harness.read(policy: .ignore).response.origin == .network)
        var bare = harness
        bare.client.cache = nil
        let uncached = try await bare.read(policy: .cacheOnly)
        #expect(uncached.response.origin == .unavailable && harness.askedCount == 2)
    }

    @Test(
        .threat("T41"),
        arguments: ["max-age=60", "public, max-age=60", "private", "max-age=60, s-maxage=60"])
    func separatesResponsesOfUsers(control: String) async throws {
        let harness = try CacheHarness { request in
            let user = request.headerFields[.authorization] ?? request.headerFields[.cookie] ?? "-"
            let fields = [("Cache-Control", control), ("ETag", "\"1\"")]
            return .text("\(request.principal?.id ?? "") \(user)", fields, to: request)
        }
        let users: [(Principal?, [(String, String)])] = [
            (nil, []), (Principal("a"), []), (Principal("b"), []), (Principal("\u{E9}"), []),
            (Principal("e\u{301}"), []), (nil, [("Authorization", "a")]),
            (nil, [("Authorization", "b")]), (nil, [("Cookie", "a")]), (nil, [("Cookie", "b")]),
            (nil, [("X-Api-Key", "a")]), (nil, [("Authorization", "a"), ("Cookie", "a")]),
        ]
        for (principal, lines) in users {
            let nothing = try await harness.read(
                .get, lines, policy: .cacheOnly, principal: principal)
            #expect(nothing.response.origin == .unavailable)
            let own = try await harness.read(.get, lines, principal: principal)
            #expect(own.response.origin == .network)
        }
        for (principal, lines) in users {
            let stored = try await harness.read(
                .get, lines, policy: .cacheFirst, principal: principal)
            let user = lines.first { $0.0 != "X-Api-Key" }?.1 ?? "-"
            #expect(
                stored.body.unicodeScalars.elementsEqual(
                    "\(principal?.id ?? "") \(user)".unicodeScalars))
        }
        #expect(harness.askedCount == users.count)
        await harness.cache.removeAll(of: Principal("a"))
        let purged = try await harness.read(policy: .cacheOnly, principal: Principal("a"))
        #expect(purged.response.origin == .unavailable)
        let other = try await harness.read(policy: .cacheOnly, principal: Principal("b"))
        #expect(other.response.origin != .unavailable)
    }

    @Test(.threat("T41"))
    func discardsResponsesRequestedBeforeLogOut() async throws {
        let latch = Latch()
        let harness = try CacheHarness { request in
            TransportResponse(
                to: request,
                head: CacheSamples.head(200, [("Cache-Control", "max-age=60")]),
                body: ResponseBody(source: PiecewiseBody(["body"], latch: latch)))
        }
        let user = Principal("a")
        async let reading = harness.read(principal: user)
        await latch.waitForArrivals()
        await harness.cache.removeAll(of: user)
        latch.open()
        #expect(try await reading.body == "body")
        let stored = try await harness.read(policy: .cacheOnly, principal: user)
        #expect(stored.response.origin == .unavailable)
    }

    @Test(.threat("T43"))
    func storesOnlyCompleteBodies() async throws {
        let lost = lost
        let harness = try CacheHarness(entryByteCount: 10) { request in
            let isBroken = request.headerFields[.range] != nil
            let pieces = request.url.path == "/long" ? ["123456", "789ab"] : ["1234", "56"]
            let source = PiecewiseBody(pieces, failure: isBroken ? lost : nil)
            let fields = [("Cache-Control", "max-age=60, stale-if-error=60")]
            return TransportResponse(
                to: request, head: CacheSamples.head(200, fields),
                body: ResponseBody(source: source))
        }
        await #expect(throws: TransportError.self) {
            _ = try await harness.read(.get, [("Range", "x")])
        }
        #expect(try await harness.read(policy: .cacheOnly).response.origin == .unavailable)
        // A body that was not read to its end is not stored either.
        _ = try await harness.client.send(try harness.client.request(at: "a"))
        #expect(try await harness.read(policy: .cacheOnly).response.origin == .unavailable)
        #expect(try await harness.read().body == "123456")
        #expect(try await harness.read(policy: .cacheOnly).body == "123456")
        // A truncated body does not replace a complete one.
        await #expect(throws: TransportError.self) {
            _ = try await harness.read(.get, [("Range", "x")], policy: .ignore)
        }
        #expect(try await harness.read(policy: .cacheOnly).body == "123456")
        #expect(try await harness.read(at: "long").body == "123456789ab")
        let long = try await harness.read(policy: .cacheOnly, at: "long")
        #expect(long.response.origin == .unavailable)
    }

    @Test(.threat("T43"))
    func discardsBodyWithWrongContentLength() async throws {
        let harness = try CacheHarness { request in
            .text("body", [("Cache-Control", "max-age=60"), ("Content-Length", "5")], to: request)
        }
        await #expect(throws: TransportError.self) { _ = try await harness.read() }
        #expect(try await harness.read(policy: .cacheOnly).response.origin == .unavailable)
    }

    @Test(.threat("T43"), arguments: [true, false])
    func reusesStaleWhenUnreachableOnlyIfAllowed(isAllowed: Bool) async throws {
        let lost = lost
        let harness = try CacheHarness { request in
            if request.headerFields.contains(.ifNoneMatch) { throw lost }
            let control = "max-age=1" + (isAllowed ? ", stale-if-error=60" : "")
            return .text("body", [("ETag", "\"1\""), ("Cache-Control", control)], to: request)
        }
        _ = try await harness.read()
        harness.clock.advance(by: .seconds(10))
        if isAllowed {
            let stale = try await harness.read()
            #expect(stale.response.origin == .stale(age: 10) && stale.body == "body")
        } else {
            await #expect(throws: TransportError.self) { _ = try await harness.read() }
        }
    }

    @Test(.threat("T44"))
    func invalidatesAfterUnsafeRequests() async throws {
        let harness = try CacheHarness { request in
            if request.method == .get {
                return .text("body", [("Cache-Control", "max-age=60")], to: request)
            }
            let status = request.url.path == "/refused" ? 500 : 200
            let fields = [("Location", "/b"), ("Content-Location", "http://other.example/c")]
            return .text("", fields, status: status, to: request)
        }
        for path in ["a", "b", "refused", "d"] { _ = try await harness.read(at: path) }
        _ = try await harness.read(.post, principal: Principal("a"), at: "a")
        _ = try await harness.read(.delete, at: "refused")
        for (path, isStored) in [("a", false), ("b", false), ("refused", true), ("d", true)] {
            let origin = try await harness.read(policy: .cacheOnly, at: path).response.origin
            #expect((origin != .unavailable) == isStored, "\(path)")
        }
    }

    @Test func discardsResponsesRequestedBeforeInvalidation() async throws {
        let latch = Latch()
        let harness = try CacheHarness { request in
            guard request.method == .get else { return .text("", [], to: request) }
            await latch.pass()
            return .text("old", [("Cache-Control", "max-age=60")], to: request)
        }
        async let reading = harness.read()
        await latch.waitForArrivals()
        _ = try await harness.read(.put)
        latch.open()
        #expect(try await reading.body == "old")
        #expect(try await harness.read(policy: .cacheOnly).response.origin == .unavailable)
    }

    @Test(.threat("T48"))
    func repeatsRequestAfterMismatched304() async throws {
        let harness = try CacheHarness { request in
            if request.headerFields.contains(.ifNoneMatch) {
                return .text("", [("ETag", "\"2\"")], status: 304, to: request)
            }
            return .text("body", [("ETag", "\"1\""), ("Cache-Control", "no-cache")], to: request)
        }
        _ = try await harness.read()
        let second = try await harness.read()
        #expect(second.response.origin == .network && second.body == "body")
        #expect(second.response.status == .ok && harness.askedCount == 3)
    }

    @Test(.threat("T49"))
    func ignoresCookiesOfStoredResponses() async throws {
        let harness = try CacheHarness { request in
            if request.headerFields.contains(.ifNoneMatch) {
                return .text("", [("ETag", "\"1\"")], status: 304, to: request)
            }
            return .text(
                "body",
                [("ETag", "\"1\""), ("Cache-Control", "max-age=1"), ("Set-Cookie", "a=1")],
                to: request)
        }
        let first = try await harness.read()
        #expect(first.response.origin.isFromServer)
        let stored = try await harness.read()
        #expect(stored.response.headerFields[.setCookie] == "a=1")
        #expect(!stored.response.origin.isFromServer)
        harness.clock.advance(by: .seconds(2))
        let validated = try await harness.read()
        #expect(validated.response.origin.isFromServer)
        #expect(validated.response.headerFields[.setCookie] == nil)
    }

    @Test(.threat("T50"))
    func servesRequestedRanges() async throws {
        let harness = try CacheHarness { request in
            guard request.headerFields[.range] == "bytes=1-2" else {
                return .text("0123456789", [("Cache-Control", "max-age=60")], to: request)
            }
            let fields = [("Cache-Control", "max-age=60"), ("Content-Range", "bytes 1-2/10")]
            return .text("12", fields, status: 206, to: request)
        }
        let range = [("Range", "bytes=1-2")]
        #expect(try await harness.read(.get, range).response.origin == .network)
        let part = try await harness.read(.get, range)
        #expect(part.response.origin == .cache(age: 0) && part.body == "12")
        let whole = try await harness.read()
        #expect(whole.response.origin == .network && whole.body == "0123456789")
        let last = try await harness.read(.get, [("Range", "bytes=-2")])
        #expect(last.response.status == .partialContent && last.body == "89")
        #expect(last.response.origin == .cache(age: 0) && harness.askedCount == 2)
        let none = try await harness.read(.get, [("Range", "bytes=10-")])
        #expect(none.response.status == .rangeNotSatisfiable && none.body.isEmpty)
    }

    @Test func answersHEADFromStoredGET() async throws {
        let harness = try CacheHarness { request in
            .text("body", [("Cache-Control", "max-age=60"), ("Content-Length", "4")], to: request)
        }
        _ = try await harness.read()
        let head = try await harness.read(.head)
        #expect(head.response.origin == .cache(age: 0) && head.body.isEmpty)
        #expect(head.response.headerFields[.contentLength] == "4")
    }

    @Test func marksMappedEntries() async throws {
        let harness = try CacheHarness { request in
            .text("body", [("Cache-Control", "max-age=60")], to: request)
        }
        let first = try await harness.read()
        let request = first.response.request
        #expect(await harness.cache.entry(for: request)?.isMapped == false)
        await harness.cache.markMapped(first.response)
        #expect(await harness.cache.entry(for: request)?.isMapped == true)
        await harness.cache.removeAll()
        await harness.cache.markMapped(first.response)
        #expect(await harness.cache.entry(for: request) == nil)
    }
}
