// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestTransport
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct RetryPolicyTests {
    private let policy = RetryPolicy.default

    private func request(
        _ method: HTTPRequest.Method, _ fields: HTTPFields = [:]
    ) throws -> TransportRequest {
        TransportRequest(
            method: method, url: try HTTPURL(parsing: "https://api.test/"), headerFields: fields)
    }

    @Test func repeatsWhatMayBeRepeated() throws {
        for method in [HTTPRequest.Method.get, .head, .options, .put, .delete] {
            #expect(policy.allowsRepeating(try request(method), isUnsent: false), "\(method)")
        }
        for method in [HTTPRequest.Method.post, .patch] {
            #expect(!policy.allowsRepeating(try request(method), isUnsent: false), "\(method)")
            #expect(policy.allowsRepeating(try request(method), isUnsent: true), "\(method)")
            let keyed = try request(method, [.idempotencyKey: "\"8e03978e\""])
            #expect(policy.allowsRepeating(keyed, isUnsent: false), "\(method)")
        }
    }

    @Test func knowsPassingStatuses() throws {
        let transient = (100...999).filter {
            policy.isTransient(HTTPResponse(status: HTTPResponse.Status(code: $0)))
        }
        #expect(transient == [408, 425, 429, 502, 503, 504])
        let name = try #require(HTTPField.Name("X-RateLimit-Remaining"))
        for (remaining, isTransient) in [("0", true), ("1", false)] {
            let head = HTTPResponse(status: .forbidden, headerFields: [name: remaining])
            #expect(policy.isTransient(head) == isTransient)
        }
    }

    @Test func knowsPassingErrors() {
        let codes: [TransportError.Code] = [
            .invalidRequest, .connectionFailed, .tlsFailed, .timedOut, .connectionLost,
            .incompleteBody, .malformedResponse, .headerTooLarge, .bodyTooLarge, .tooManyRedirects,
            .redirectRefused, .authorizationFailed, .closed,
        ]
        let transient = codes.filter {
            RetryPolicy.isTransient(TransportError($0, stage: .receivingHeader, reason: ""))
        }
        #expect(transient == [.connectionFailed, .timedOut, .connectionLost, .incompleteBody])
        let stages: [TransportError.Stage] = [
            .preparing, .connecting, .sendingRequest, .receivingHeader, .receivingBody,
        ]
        let unsent = stages.filter {
            RetryPolicy.isUnsent(TransportError(.timedOut, stage: $0, reason: ""))
        }
        #expect(unsent == [.preparing, .connecting])
    }

    @Test func drawsDelaysFromZeroToADoublingBound() {
        var generator = SeededGenerator(seed: 1)
        for count in 1...100 {
            let bound = count > 7 ? 20 : min(0.25 * Double(1 << (count - 1)), 20)
            var delays: [Double] = []
            for _ in 0..<1000 {
                let delay = policy.delay(afterAttempts: count, imposed: nil, using: &generator)
                delays.append(delay / .seconds(1))
            }
            #expect(delays.allSatisfy { (0..<bound).contains($0) })
            let mean = delays.reduce(0, +) / 1000
            #expect(abs(mean / bound - 0.5) < 0.05, "attempt \(count)")
        }
    }

    @Test func keepsImposedDelaysUpToALimit() {
        var generator = SeededGenerator(seed: 2)
        for (imposed, least) in [(0, 0), (5, 5), (60, 60), (61, 60), (100_000_000, 60)] {
            for _ in 0..<100 {
                let delay = policy.delay(
                    afterAttempts: 1, imposed: .seconds(imposed), using: &generator)
                #expect(delay >= .seconds(least))
                #expect(delay < .seconds(least) + .milliseconds(250))
            }
        }
    }

    private static let date = Date(timeIntervalSince1970: 1_767_225_600)

    @Test(
        arguments: [
            (["Retry-After": "120"], 120),
            (["Retry-After": "0"], 0),
            (["Retry-After": "1.5"], 1),
            (["Retry-After": "7 "], 7),
            (["Retry-After": "Thu, 01 Jan 2026 00:02:00 GMT"], 120),
            (["Retry-After": "Thu, 01 Jan 2026 00:00:00 GMT"], 0),
            (["Retry-After": "Wed, 31 Dec 2025 00:00:00 GMT"], 0),
            (["Retry-After": "99999999999999999999"], 10_000_000_000),
            (["Retry-After": "-1"], nil),
            (["Retry-After": "soon"], nil),
            (["Retry-After": ""], nil),
            (["Retry-After": "5", "RateLimit-Reset": "9"], 5),
            (["Retry-After": "soon", "RateLimit-Reset": "9"], 9),
            (["RateLimit": "\"default\";r=0;t=30"], 30),
            (["RateLimit": "\"a\";r=0; t=31, \"b\";r=1;t=5"], 31),
            (["RateLimit": "limit=100, remaining=0, reset=50"], 50),
            (["RateLimit": "limit=100"], nil),
            (["RateLimit-Reset": "9"], 9),
            (["X-RateLimit-Reset": "1767225690"], 90),
            (["X-RateLimit-Reset": "1767225000"], 0),
            (["X-RateLimit-Reset": "45"], 45),
            (["X-RateLimit-Reset": "2026"], 2026),
            ([:], nil),
        ] as [([String: String], Int?)])
    func readsWhatServersAskFor(fields: [String: String], seconds: Int?) throws {
        var headerFields = HTTPFields()
        for (name, value) in fields {
            headerFields.append(
                HTTPField(name: try #require(HTTPField.Name(name)), lenientValue: value.utf8))
        }
        let delay = ImposedDelay.of(headerFields, date: Self.date)
        #expect(delay == seconds.map { .seconds($0) })
    }

    // MARK: Budget

    @Test func letsABudgetRunOutAndFillUp() throws {
        let budget = RetryBudget(capacity: 3)
        let url = try HTTPURL(parsing: "https://api.test/a")
        let other = try HTTPURL(parsing: "https://api.test:444/a")
        let start = ContinuousClock.now
        let first = (0..<5).map { _ in budget.take(for: url, at: start) }
        #expect(first == [true, true, true, false, false])
        #expect(budget.take(for: other, at: start))
        #expect(!budget.take(for: url, at: start + .milliseconds(900)))
        #expect(budget.take(for: url, at: start + .milliseconds(1100)))
        #expect(!budget.take(for: url, at: start + .milliseconds(1100)))
        for _ in 0..<11 { budget.succeed(for: url, at: start + .milliseconds(1100)) }
        #expect(budget.take(for: url, at: start + .milliseconds(1100)))
        #expect(!budget.take(for: url, at: start + .milliseconds(1100)))
        // Full buckets are forgotten.
        #expect(budget.hostCount == 2)
        budget.succeed(for: url, at: start + .seconds(60))
        budget.succeed(for: other, at: start + .seconds(60))
        #expect(budget.hostCount == 0)
    }

    @Test func remembersABoundedNumberOfHosts() throws {
        let budget = RetryBudget(capacity: 3)
        var now = ContinuousClock.now
        for number in 0..<1000 {
            now += .seconds(1)
            let url = try HTTPURL(parsing: "https://host\(number).test/")
            #expect(budget.take(for: url, at: now))
            #expect(budget.hostCount <= 65)
        }
    }
}
