// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import RestTransport
import TestSupport
import Testing

/// Tables of decisions on requests.
@Suite(.tags(.specification)) struct CacheDecisionTests {
    /// A decision without its values.
    enum Outcome: String, Sendable {
        case fresh, stale, validatingInBackground, forward, validate, unavailable
    }

    struct Row: Sendable, CustomTestStringConvertible {
        var stored: String
        var age: Double
        var request = ""
        var policy = CachePolicy.standard
        var outcome: Outcome
        var testDescription: String { "\(stored) | \(age) | \(request) | \(policy)" }
    }

    static func outcome(of decision: CacheDecision) -> Outcome {
        switch decision {
        case .reuse(let reuse):
            reuse.validation != nil ? .validatingInBackground : reuse.isStale ? .stale : .fresh
        case .forward(let forwarded): forwarded.isConditional ? .validate : .forward
        case .unavailable: .unavailable
        }
    }

    static let rows: [Row] = [
        // Response directives.
        Row(stored: "max-age=60", age: 59, outcome: .fresh),
        Row(stored: "max-age=60", age: 60, outcome: .validate),
        Row(stored: "max-age=60, no-cache", age: 0, outcome: .validate),
        Row(stored: "max-age=60, no-cache=\"a\"", age: 0, outcome: .fresh),
        Row(stored: "max-age=60, must-revalidate", age: 1, outcome: .fresh),
        Row(stored: "", age: 0, outcome: .validate),
        // stale-while-revalidate.
        Row(
            stored: "max-age=1, stale-while-revalidate=10", age: 11,
            outcome: .validatingInBackground),
        Row(stored: "max-age=1, stale-while-revalidate=10", age: 12, outcome: .validate),
        Row(
            stored: "max-age=1, stale-while-revalidate=10, must-revalidate", age: 5,
            outcome: .validate),
        Row(stored: "no-cache, stale-while-revalidate=10", age: 5, outcome: .validate),
        Row(
            stored: "max-age=1, stale-while-revalidate=10", age: 5, request: "max-age=4",
            outcome: .validate),
        Row(
            stored: "max-age=1, stale-while-revalidate=10", age: 5, request: "min-fresh=0",
            outcome: .validate),
        Row(
            stored: "max-age=1, stale-while-revalidate=10", age: 5, request: "only-if-cached",
            outcome: .stale),
        // Request directives.
        Row(stored: "max-age=60", age: 1, request: "max-age=0", outcome: .validate),
        Row(stored: "max-age=60", age: 10, request: "max-age=10", outcome: .fresh),
        Row(stored: "max-age=60", age: 11, request: "max-age=10", outcome: .validate),
        Row(stored: "max-age=60", age: 10, request: "min-fresh=50", outcome: .fresh),
        Row(stored: "max-age=60", age: 11, request: "min-fresh=50", outcome: .validate),
        Row(stored: "max-age=60", age: 70, request: "max-stale=10", outcome: .stale),
        Row(stored: "max-age=60", age: 71, request: "max-stale=10", outcome: .validate),
        Row(stored: "max-age=60", age: 9_000_000, request: "max-stale", outcome: .stale),
        Row(
            stored: "max-age=60, must-revalidate", age: 70, request: "max-stale",
            outcome: .validate),
        Row(stored: "max-age=60, no-cache", age: 0, request: "max-stale", outcome: .validate),
        Row(stored: "max-age=60", age: 0, request: "no-cache", outcome: .validate),
        Row(stored: "max-age=60", age: 0, request: "no-store", outcome: .forward),
        Row(stored: "max-age=60", age: 0, request: "only-if-cached", outcome: .fresh),
        Row(stored: "max-age=60", age: 61, request: "only-if-cached", outcome: .unavailable),
        Row(
            stored: "max-age=60", age: 0, request: "only-if-cached, no-cache",
            outcome: .unavailable),
        // Policies.
        Row(stored: "max-age=60", age: 0, policy: .revalidate, outcome: .validate),
        Row(stored: "max-age=60, immutable", age: 59, policy: .revalidate, outcome: .fresh),
        Row(stored: "max-age=60, immutable", age: 60, policy: .revalidate, outcome: .validate),
        Row(stored: "max-age=60", age: 900, policy: .cacheFirst, outcome: .stale),
        Row(stored: "", age: 900, policy: .cacheFirst, outcome: .stale),
        Row(stored: "no-cache", age: 0, policy: .cacheFirst, outcome: .validate),
        Row(
            stored: "max-age=1, must-revalidate", age: 2, policy: .cacheFirst, outcome: .validate),
        Row(stored: "max-age=60", age: 900, policy: .cacheOnly, outcome: .stale),
        Row(stored: "max-age=60", age: 0, policy: .cacheOnly, outcome: .fresh),
        Row(stored: "no-cache", age: 0, policy: .cacheOnly, outcome: .unavailable),
        Row(
            stored: "max-age=1, must-revalidate", age: 2, policy: .cacheOnly,
            outcome: .unavailable),
        Row(stored: "max-age=60", age: 0, policy: .ignore, outcome: .forward),
        Row(
            stored: "max-age=60", age: 0, request: "only-if-cached", policy: .ignore,
            outcome: .unavailable),
    ]

    @Test(arguments: rows)
    func decidesByDirectivesAndPolicy(row: Row) throws {
        let entry = try CacheSamples.entry(
            [("Cache-Control", row.stored), ("ETag", "\"a\"")], secondsAgo: row.age)
        let lines = row.request.isEmpty ? [] : [("Cache-Control", row.request)]
        let request = try CacheSamples.request(.get, lines, policy: row.policy)
        let decision = CacheDecision.decide(on: request, entries: [entry], at: CacheSamples.now)
        #expect(Self.outcome(of: decision) == row.outcome)
    }

    @Test func forwardsWhenNothingIsStored() throws {
        for (policy, outcome) in [
            (CachePolicy.standard, Outcome.forward), (.revalidate, .forward),
            (.cacheFirst, .forward),
            (.cacheOnly, .unavailable), (.ignore, .forward),
        ] {
            let request = try CacheSamples.request(policy: policy)
            let decision = CacheDecision.decide(on: request, entries: [], at: CacheSamples.now)
            #expect(Self.outcome(of: decision) == outcome)
        }
    }

    @Test func forwardsOtherMethodsAndOriginPreconditions() throws {
        let entry = try CacheSamples.entry([("Cache-Control", "max-age=60")])
        for request in [
            try CacheSamples.request(.post), try CacheSamples.request(.options),
            try CacheSamples.request(.get, [("If-Match", "\"a\"")]),
            try CacheSamples.request(.get, [("If-Unmodified-Since", CacheSamples.date(0))]),
        ] {
            let decision = CacheDecision.decide(on: request, entries: [entry], at: CacheSamples.now)
            #expect(decision == .forward(CacheDecision.ForwardedRequest(request)))
        }
        let head = CacheDecision.decide(
            on: try CacheSamples.request(.head), entries: [entry], at: CacheSamples.now)
        #expect(Self.outcome(of: head) == .fresh)
    }

    @Test func sendsValidatorsOfStoredResponse() throws {
        let date = CacheSamples.date(-100)
        let entry = try CacheSamples.entry([("ETag", "W/\"a\""), ("Last-Modified", date)])
        let request = try CacheSamples.request(
            .get, [("If-None-Match", "\"x\", \"a\""), ("If-Modified-Since", "x"), ("A", "b")])
        let forwarded = CacheDecision.ForwardedRequest(request, validating: entry)
        #expect(forwarded.isConditional)
        #expect(forwarded.request.headerFields[.ifNoneMatch] == "W/\"a\"")
        #expect(forwarded.request.headerFields[.ifModifiedSince] == date)
        #expect(forwarded.original == request)
        let other = try CacheSamples.request(.get, [("If-None-Match", "\"x\"")])
        let plain = CacheDecision.ForwardedRequest(other, validating: entry)
        #expect(!plain.isConditional && plain.storedEntry == nil && plain.request == other)
    }

    @Test(
        arguments: [
            ([("If-None-Match", "\"a\"")], true), ([("If-None-Match", "W/\"a\"")], true),
            ([("If-None-Match", "\"x\", \"a\", \"y\"")], true), ([("If-None-Match", "*")], true),
            ([("If-None-Match", "\"x,a\"")], false), ([("If-None-Match", "\"b\"")], false),
            ([("If-None-Match", "\"b\""), ("If-Modified-Since", CacheSamples.date(0))], false),
            ([("If-Modified-Since", CacheSamples.date(-100))], true),
            ([("If-Modified-Since", CacheSamples.date(-50))], true),
            ([("If-Modified-Since", CacheSamples.date(-101))], false),
            ([("If-Modified-Since", "yesterday")], false),
        ])
    func evaluatesConditionsOfTheRequest(lines: [(String, String)], isNotModified: Bool) throws {
        let entry = try CacheSamples.entry([
            ("ETag", "\"a\""), ("Last-Modified", CacheSamples.date(-100)),
            ("Cache-Control", "max-age=60"), ("Content-Type", "a/b"),
        ])
        let request = try CacheSamples.request(.get, lines)
        let response = try #require(ConstructedResponse(from: entry, to: request))
        #expect((response == .notModified) == isNotModified)
        let head = response.head(from: entry, age: 7)
        #expect(head.status == (isNotModified ? .notModified : .ok))
        #expect(head.headerFields[.age] == "7")
        #expect(head.headerFields.contains(.contentType) != isNotModified)
    }

    @Test func prefersMostRecentResponse() throws {
        let old = try CacheSamples.entry([("Cache-Control", "max-age=60")], secondsAgo: 9, id: 1)
        let new = try CacheSamples.entry([("Cache-Control", "max-age=60")], secondsAgo: 5, id: 2)
        let decision = CacheDecision.decide(
            on: try CacheSamples.request(), entries: [new, old], at: CacheSamples.now)
        guard case .reuse(let reuse) = decision else { throw CancellationError() }
        #expect(reuse.entry.id == 2 && reuse.age == 5)
    }
}
