// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import RestTransport
import TestSupport
import Testing

/// Tables of decisions on responses.
@Suite(.tags(.specification)) struct ResponseDecisionTests {
    private let now = CacheSamples.now

    private func decide(
        _ head: HTTPResponse, _ forwarded: CacheDecision.ForwardedRequest
    ) -> ResponseDecision {
        ResponseDecision.decide(on: head, to: forwarded, requestDate: now, responseDate: now)
    }

    private func stores(
        _ status: Int, _ lines: [(String, String)], _ request: TransportRequest
    ) -> Bool {
        StorableResponse(CacheSamples.head(status, lines), to: request, at: now) != nil
    }

    @Test(arguments: [
        (200, "", true), (200, "no-store", false), (200, "max-age=60, no-store", false),
        (200, "private", true), (202, "", false), (202, "max-age=60", true), (202, "public", true),
        (299, "max-age=60", true), (404, "", true), (500, "", false), (500, "max-age=60", true),
        (503, "", false), (599, "max-age=60", true), (304, "max-age=60", false),
        (206, "max-age=60", false), (412, "max-age=60", false), (416, "max-age=60", false),
        (200, "no-store, must-understand, max-age=60", true),
        (599, "no-store, must-understand, max-age=60", false),
        (599, "must-understand, max-age=60", false), (301, "", true), (302, "", false),
    ])
    func storesByStatusAndDirectives(status: Int, control: String, isStored: Bool) throws {
        let lines = control.isEmpty ? [] : [("Cache-Control", control)]
        #expect(stores(status, lines, try CacheSamples.request()) == isStored)
        let silent = try CacheSamples.request(.get, [("Cache-Control", "no-store")])
        #expect(!stores(status, lines, silent))
    }

    @Test func storesPOSTOnlyWithOwnContentLocation() throws {
        let post = try CacheSamples.request(.post)
        let fresh = ("Cache-Control", "max-age=60")
        #expect(stores(200, [fresh, ("Content-Location", "/a")], post))
        #expect(!stores(200, [fresh, ("Content-Location", "/b")], post))
        #expect(!stores(200, [fresh, ("Content-Location", "http://evil.example/a")], post))
        #expect(!stores(200, [fresh], post))
        #expect(!stores(200, [("Content-Location", "/a")], post))
        let put = try CacheSamples.request(.put)
        #expect(!stores(200, [fresh, ("Content-Location", "/a")], put))
    }

    @Test(.threat("T43"))
    func keepsStoredResponseWhenServerFails() throws {
        let request = try CacheSamples.request()
        let good = try CacheSamples.entry([("ETag", "\"a\"")], id: 7)
        let failure = CacheSamples.head(500, [("Cache-Control", "max-age=60")])
        let storable = try #require(StorableResponse(failure, to: request, at: now))
        #expect(storable.replacedEntries(among: [good], for: request) == nil)
        let forwarded = CacheDecision.ForwardedRequest(request, validating: good)
        #expect(decide(CacheSamples.head(503), forwarded) == .deliver([]))
        #expect(decide(CacheSamples.head(401), forwarded) == .deliver([]))
        let bad = try CacheSamples.entry([], status: 500, id: 8)
        #expect(storable.replacedEntries(among: [bad], for: request)?.map(\.id) == [8])
        let removal = ResponseDecision.Change.remove(good)
        let uncacheable = CacheSamples.head(200, [("Cache-Control", "no-store")])
        #expect(decide(uncacheable, forwarded) == .deliver([removal]))
    }

    @Test(
        .threat("T43"),
        arguments: [
            ("stale-if-error=60", "", 60.0, true), ("stale-if-error=60", "", 71, false),
            ("", "stale-if-error=60", 60, true), ("", "", 11, false),
            ("stale-if-error=60, must-revalidate", "", 20, false),
            ("stale-if-error=60, no-cache", "", 20, false),
            ("stale-if-error=60", "no-cache", 20, false),
        ])
    func reusesStaleOnErrorOnlyIfAllowed(
        stored: String, asked: String, age: Double, isServed: Bool
    ) throws {
        let entry = try CacheSamples.entry(
            [("Cache-Control", "max-age=10, \(stored)")], secondsAgo: age)
        let request = try CacheSamples.request(
            .get, asked.isEmpty ? [] : [("Cache-Control", asked)])
        let forwarded = CacheDecision.ForwardedRequest(request, validating: entry)
        for status in [500, 502, 503, 504] {
            let decision = decide(CacheSamples.head(status), forwarded)
            #expect(decision == (isServed ? .staleIfError(entry) : .deliver([])))
        }
        #expect(decide(CacheSamples.head(501), forwarded) != .staleIfError(entry))
        #expect(decide(CacheSamples.head(429), forwarded) == .deliver([]))
    }

    @Test(
        .threat("T48"),
        arguments: [
            ("\"a\"", "\"a\"", true), ("\"a\"", "\"b\"", false), ("W/\"a\"", "W/\"a\"", true),
            ("\"a\"", "W/\"a\"", true), ("W/\"a\"", "\"a\"", true), ("W/\"a\"", "W/\"b\"", false),
            ("\"a\"", nil, true),
        ] as [(String, String?, Bool)])
    func accepts304OnlyWithMatchingETag(
        stored: String, brought: String?, isValidated: Bool
    ) throws {
        let entry = try CacheSamples.entry([("ETag", stored)])
        let forwarded = CacheDecision.ForwardedRequest(
            try CacheSamples.request(), validating: entry)
        let head = CacheSamples.head(304, brought.map { [("ETag", $0)] } ?? [])
        switch decide(head, forwarded) {
        case .validated(let validated, let isStorable):
            #expect(isValidated && isStorable && validated.id == entry.id)
        case .validatorMismatch(let mismatched):
            #expect(!isValidated && mismatched == entry)
        default: Issue.record("neither")
        }
    }

    @Test(.threat("T48"))
    func rejects304WithOtherLastModified() throws {
        let entry = try CacheSamples.entry([("Last-Modified", CacheSamples.date(-100))])
        let forwarded = CacheDecision.ForwardedRequest(
            try CacheSamples.request(), validating: entry)
        let other = CacheSamples.head(304, [("Last-Modified", CacheSamples.date(-99))])
        #expect(decide(other, forwarded) == .validatorMismatch(entry))
        // The request was not a validation of the stored response.
        let plain = CacheDecision.ForwardedRequest(try CacheSamples.request())
        #expect(decide(CacheSamples.head(304), plain) == .deliver([]))
    }

    @Test(.threat("T48"))
    func updatesStoredFieldsFrom304() throws {
        let entry = try CacheSamples.entry(
            [
                ("ETag", "\"a\""), ("Date", CacheSamples.date(-500)), ("Age", "400"), ("A", "1"),
                ("A", "2"), ("B", "1"), ("Content-Length", "10"), ("Content-Encoding", "gzip"),
                ("Content-Type", "text/plain"), ("Set-Cookie", "old=1"),
            ], secondsAgo: 500)
        let request = try CacheSamples.request(.get, [("Foo", "1")])
        let head = CacheSamples.head(
            304,
            [
                ("A", "3"), ("C", "1"), ("Content-Length", "0"), ("Content-Encoding", "br"),
                ("Content-Type", "text/html"), ("Connection", "D"), ("D", "1"), ("Vary", "Foo"),
            ])
        let decision = decide(head, CacheDecision.ForwardedRequest(request, validating: entry))
        guard case .validated(let updated, true) = decision else {
            Issue.record("\(decision)")
            return
        }
        let expected = CacheSamples.fields([
            ("ETag", "\"a\""), ("Date", CacheSamples.date(0)), ("A", "3"), ("B", "1"),
            ("Content-Length", "10"), ("Content-Encoding", "gzip"), ("Content-Type", "text/html"),
            ("C", "1"), ("Vary", "Foo"),
        ])
        #expect(updated.head.headerFields == expected)
        #expect(updated.responseDate == now && updated.requestDate == now)
        #expect(SelectingFields.match(updated, request))
        #expect(!SelectingFields.match(updated, try CacheSamples.request()))
        // No later request can match the updated response.
        for line in [("Vary", "*"), ("Cache-Control", "no-store")] {
            let last = decide(
                CacheSamples.head(304, [line]),
                CacheDecision.ForwardedRequest(request, validating: entry))
            guard case .validated(_, false) = last else {
                Issue.record("\(last)")
                continue
            }
        }
    }

    @Test(
        .threat("T44"),
        arguments: [
            ("/b", ["http://api.example/a", "http://api.example/b"]),
            ("c?d#e", ["http://api.example/a", "http://api.example/c?d"]),
            ("http://API.example:80/b", ["http://api.example/a", "http://api.example/b"]),
            ("https://api.example/b", ["http://api.example/a"]),
            ("http://api.example:81/b", ["http://api.example/a"]),
            ("http://evil.example/b", ["http://api.example/a"]),
            ("//evil.example/b", ["http://api.example/a"]),
            ("http://api.example@evil.example/b", ["http://api.example/a"]),
        ])
    func invalidatesOnlySameOriginURLs(location: String, expected: [String]) throws {
        for name in ["Location", "Content-Location"] {
            let request = try CacheSamples.request(.post)
            let head = CacheSamples.head(201, [(name, location)])
            let changes = expected.map { ResponseDecision.Change.invalidate($0) }
            #expect(decide(head, CacheDecision.ForwardedRequest(request)) == .deliver(changes))
        }
    }

    @Test func invalidatesAfterSuccessfulUnsafeMethods() throws {
        for name in ["POST", "PUT", "PATCH", "DELETE", "M-SEARCH", "BREW"] {
            let request = try CacheSamples.request(HTTPRequest.Method(checking: name))
            let invalidation = ResponseDecision.Change.invalidate("http://api.example/a")
            for status in [200, 204, 303] {
                let decision = decide(
                    CacheSamples.head(status), CacheDecision.ForwardedRequest(request))
                #expect(decision == .deliver([invalidation]))
            }
            for status in [400, 500] {
                let decision = decide(
                    CacheSamples.head(status), CacheDecision.ForwardedRequest(request))
                #expect(decision == .deliver([]))
            }
        }
        for name in ["OPTIONS", "TRACE", "PROPFIND"] {
            let request = try CacheSamples.request(HTTPRequest.Method(checking: name))
            #expect(
                decide(CacheSamples.head(200), CacheDecision.ForwardedRequest(request))
                    == .deliver([]))
        }
    }

    @Test func updatesStoredGETFromHEAD() throws {
        let entry = try CacheSamples.entry(
            [("ETag", "\"a\""), ("Content-Length", "10"), ("Cache-Control", "max-age=1")],
            secondsAgo: 5)
        let forwarded = CacheDecision.ForwardedRequest(
            try CacheSamples.request(.head), validating: entry)
        #expect(!forwarded.isConditional && forwarded.storedEntry == entry)
        let same = CacheSamples.head(200, [("ETag", "\"a\""), ("Cache-Control", "max-age=9")])
        guard case .deliver(let changes) = decide(same, forwarded),
            case .update(let updated)? = changes.first
        else {
            Issue.record("not updated")
            return
        }
        #expect(updated.head.headerFields[.cacheControl] == "max-age=9")
        for line in [("ETag", "\"b\""), ("Content-Length", "11")] {
            let other = decide(CacheSamples.head(200, [line]), forwarded)
            #expect(other == .deliver([.remove(entry)]))
        }
        #expect(decide(CacheSamples.head(200), forwarded) == .deliver([]))
        #expect(decide(CacheSamples.head(404), forwarded) == .deliver([]))
    }

    @Test(.threat("T49"))
    func storesNoConnectionFields() throws {
        let head = CacheSamples.head(
            200,
            [
                ("Connection", "a, B"), ("A", "1"), ("b", "2"), ("C", "3"), ("Keep-Alive", "5"),
                ("Transfer-Encoding", "chunked"), ("TE", "x"), ("Upgrade", "x"),
                ("Proxy-Connection", "x"), ("Proxy-Authenticate", "x"), ("Set-Cookie", "a=1"),
                ("Cache-Control", "max-age=60, no-cache=\"d\""), ("D", "4"),
                ("Date", CacheSamples.date(0)),
            ])
        let storable = StorableResponse(head, to: try CacheSamples.request(), at: now)
        let expected = CacheSamples.fields([
            ("C", "3"), ("Set-Cookie", "a=1"), ("Cache-Control", "max-age=60, no-cache=\"d\""),
            ("Date", CacheSamples.date(0)),
        ])
        #expect(storable?.head.headerFields == expected)
    }

    @Test func limitsNumberOfVariants() throws {
        let entries = try (0..<40).map { number in
            try CacheSamples.entry(
                [("Vary", "Foo")], secondsAgo: Double(number), id: UInt64(number),
                for: try CacheSamples.request(.get, [("Foo", "\(number)")]))
        }
        let request = try CacheSamples.request(.get, [("Foo", "x")])
        let storable = try #require(
            StorableResponse(CacheSamples.head(200, [("Vary", "Foo")]), to: request, at: now))
        let replaced = try #require(storable.replacedEntries(among: entries, for: request))
        #expect(Set(replaced.map(\.id)) == Set(31..<40))
    }
}
