// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import RestTransport
import TestSupport
import Testing

/// What is done with a response, as tables.
@Suite(.tags(.specification)) struct ResponseDecisionTests {
    private let now = CacheSamples.now

    private func decide(
        _ head: HTTPResponse, _ question: CacheDecision.Question
    ) -> ResponseDecision {
        ResponseDecision.decide(on: head, to: question, requestDate: now, responseDate: now)
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
    func storesWhatTheRuleLets(status: Int, control: String, isStored: Bool) throws {
        let lines = control.isEmpty ? [] : [("Cache-Control", control)]
        #expect(stores(status, lines, try CacheSamples.request()) == isStored)
        let silent = try CacheSamples.request(.get, [("Cache-Control", "no-store")])
        #expect(!stores(status, lines, silent))
    }

    @Test func storesAPostOnlyUnderItsOwnAddress() throws {
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
    func keepsAGoodResponseWhenTheServerFails() throws {
        let request = try CacheSamples.request()
        let good = try CacheSamples.entry([("ETag", "\"a\"")], id: 7)
        let failure = CacheSamples.head(500, [("Cache-Control", "max-age=60")])
        let storable = try #require(StorableResponse(failure, to: request, at: now))
        #expect(storable.replaced(of: [good], by: request) == nil)
        let question = CacheDecision.Question(request, about: good)
        #expect(decide(CacheSamples.head(503), question) == .deliver([]))
        #expect(decide(CacheSamples.head(401), question) == .deliver([]))
        let bad = try CacheSamples.entry([], status: 500, id: 8)
        #expect(storable.replaced(of: [bad], by: request)?.map(\.id) == [8])
        let removal = ResponseDecision.Change.remove(good)
        let uncacheable = CacheSamples.head(200, [("Cache-Control", "no-store")])
        #expect(decide(uncacheable, question) == .deliver([removal]))
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
    func servesStaleInsteadOfAnErrorOnlyWhenAllowed(
        stored: String, asked: String, age: Double, isServed: Bool
    ) throws {
        let entry = try CacheSamples.entry(
            [("Cache-Control", "max-age=10, \(stored)")], secondsAgo: age)
        let request = try CacheSamples.request(
            .get, asked.isEmpty ? [] : [("Cache-Control", asked)])
        let question = CacheDecision.Question(request, about: entry)
        for status in [500, 502, 503, 504] {
            let decision = decide(CacheSamples.head(status), question)
            #expect(decision == (isServed ? .insteadOfError(entry) : .deliver([])))
        }
        #expect(decide(CacheSamples.head(501), question) != .insteadOfError(entry))
        #expect(decide(CacheSamples.head(429), question) == .deliver([]))
    }

    @Test(
        .threat("T48"),
        arguments: [
            ("\"a\"", "\"a\"", true), ("\"a\"", "\"b\"", false), ("W/\"a\"", "W/\"a\"", true),
            ("\"a\"", "W/\"a\"", true), ("W/\"a\"", "\"a\"", true), ("W/\"a\"", "W/\"b\"", false),
            ("\"a\"", nil, true),
        ] as [(String, String?, Bool)])
    func takesA304OnlyForTheResponseItIsAbout(
        stored: String, brought: String?, isConfirmed: Bool
    ) throws {
        let entry = try CacheSamples.entry([("ETag", stored)])
        let question = CacheDecision.Question(try CacheSamples.request(), about: entry)
        let head = CacheSamples.head(304, brought.map { [("ETag", $0)] } ?? [])
        switch decide(head, question) {
        case .confirmed(let confirmed, let isKept):
            #expect(isConfirmed && isKept && confirmed.id == entry.id)
        case .mismatched(let mismatched):
            #expect(!isConfirmed && mismatched == entry)
        default: Issue.record("neither")
        }
    }

    @Test(.threat("T48"))
    func takesA304OfAnotherDateForAnotherResponse() throws {
        let entry = try CacheSamples.entry([("Last-Modified", CacheSamples.date(-100))])
        let question = CacheDecision.Question(try CacheSamples.request(), about: entry)
        let other = CacheSamples.head(304, [("Last-Modified", CacheSamples.date(-99))])
        #expect(decide(other, question) == .mismatched(entry))
        // Nobody asked about what is stored.
        let plain = CacheDecision.Question(try CacheSamples.request())
        #expect(decide(CacheSamples.head(304), plain) == .deliver([]))
    }

    @Test(.threat("T48"))
    func bringsWhatA304Changes() throws {
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
        let decision = decide(head, CacheDecision.Question(request, about: entry))
        guard case .confirmed(let updated, true) = decision else {
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
        #expect(Variation.selects(updated, request))
        #expect(!Variation.selects(updated, try CacheSamples.request()))
        // From now on it can be kept for nobody.
        for line in [("Vary", "*"), ("Cache-Control", "no-store")] {
            let last = decide(
                CacheSamples.head(304, [line]), CacheDecision.Question(request, about: entry))
            guard case .confirmed(_, false) = last else {
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
    func invalidatesAddressesOfTheSameOriginOnly(location: String, expected: [String]) throws {
        for name in ["Location", "Content-Location"] {
            let request = try CacheSamples.request(.post)
            let head = CacheSamples.head(201, [(name, location)])
            let changes = expected.map { ResponseDecision.Change.invalidate($0) }
            #expect(decide(head, CacheDecision.Question(request)) == .deliver(changes))
        }
    }

    @Test func invalidatesAfterUnsafeMethodsThatSucceed() throws {
        for name in ["POST", "PUT", "PATCH", "DELETE", "M-SEARCH", "BREW"] {
            let request = try CacheSamples.request(HTTPRequest.Method(checking: name))
            let invalidation = ResponseDecision.Change.invalidate("http://api.example/a")
            for status in [200, 204, 303] {
                let decision = decide(CacheSamples.head(status), CacheDecision.Question(request))
                #expect(decision == .deliver([invalidation]))
            }
            for status in [400, 500] {
                let decision = decide(CacheSamples.head(status), CacheDecision.Question(request))
                #expect(decision == .deliver([]))
            }
        }
        for name in ["OPTIONS", "TRACE", "PROPFIND"] {
            let request = try CacheSamples.request(HTTPRequest.Method(checking: name))
            #expect(
                decide(CacheSamples.head(200), CacheDecision.Question(request)) == .deliver([]))
        }
    }

    @Test func learnsFromTheHeaderOfAHead() throws {
        let entry = try CacheSamples.entry(
            [("ETag", "\"a\""), ("Content-Length", "10"), ("Cache-Control", "max-age=1")],
            secondsAgo: 5)
        let question = CacheDecision.Question(try CacheSamples.request(.head), about: entry)
        #expect(!question.isConditional && question.held == entry)
        let same = CacheSamples.head(200, [("ETag", "\"a\""), ("Cache-Control", "max-age=9")])
        guard case .deliver(let changes) = decide(same, question),
            case .update(let updated)? = changes.first
        else {
            Issue.record("not updated")
            return
        }
        #expect(updated.head.headerFields[.cacheControl] == "max-age=9")
        for line in [("ETag", "\"b\""), ("Content-Length", "11")] {
            let other = decide(CacheSamples.head(200, [line]), question)
            #expect(other == .deliver([.remove(entry)]))
        }
        #expect(decide(CacheSamples.head(200), question) == .deliver([]))
        #expect(decide(CacheSamples.head(404), question) == .deliver([]))
    }

    @Test(.threat("T49"))
    func storesNoFieldOfTheConnection() throws {
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

    @Test func keepsABoundedNumberOfVariants() throws {
        let entries = try (0..<40).map { number in
            try CacheSamples.entry(
                [("Vary", "Foo")], secondsAgo: Double(number), id: UInt64(number),
                for: try CacheSamples.request(.get, [("Foo", "\(number)")]))
        }
        let request = try CacheSamples.request(.get, [("Foo", "x")])
        let storable = try #require(
            StorableResponse(CacheSamples.head(200, [("Vary", "Foo")]), to: request, at: now))
        let replaced = try #require(storable.replaced(of: entries, by: request))
        #expect(Set(replaced.map(\.id)) == Set(31..<40))
    }
}
