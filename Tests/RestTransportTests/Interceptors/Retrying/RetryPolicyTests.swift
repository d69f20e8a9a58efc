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

    @Test(.threat("T19")) func allowsRetryOfIdempotentRequests() throws {
        let query = try HTTPRequest.Method(checking: "QUERY")
        for method in [HTTPRequest.Method.get, .head, .options, query, .put, .delete] {
            #expect(policy.allowsRetry(try request(method), isUnsent: false), "\(method)")
        }
        for method in [HTTPRequest.Method.post, .patch] {
            #expect(!policy.allowsRetry(try request(method), isUnsent: false), "\(method)")
            #expect(policy.allowsRetry(try request(method), isUnsent: true), "\(method)")
            let keyed = try request(method, [.idempotencyKey: "\"8e03978e\""])
            #expect(policy.allowsRetry(keyed, isUnsent: false), "\(method)")
        }
    }

    @Test func detectsTransientStatuses() throws {
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

    @Test func detectsTransientErrors() {
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

    @Test(.threat("T19")) func doublesBoundOfRandomDelays() {
        var generator = SeededGenerator(seed: 1)
        for count in 1...100 {
            let bound = count > 7 ? 20 : min(0.25 * Double(1 << (count - 1)), 20)
            var delays: [Double] = []
            for _ in 0..<1000 {
                let delay = policy.backoff(afterAttempts: count, using: &generator)
                delays.append(delay / .seconds(1))
            }
            #expect(delays.allSatisfy { (0..<bound).contains($0) })
            let mean = delays.reduce(0, +) / 1000
            #expect(abs(mean / bound - 0.5) < 0.05, "attempt \(count)")
        }
    }

    @Test(.threat("T19")) func limitsRetryAfterDelays() throws {
        var generator = SeededGenerator(seed: 2)
        for imposed in [0, 5, 60] {
            for _ in 0..<100 {
                let delay = try #require(
                    policy.delay(afterAttempts: 1, imposed: .seconds(imposed), using: &generator))
                #expect(delay >= .seconds(imposed))
                #expect(delay < .seconds(imposed) + .milliseconds(250))
            }
        }
        for imposed in [61, 100_000_000] {
            let delay = policy.delay(
                afterAttempts: 1, imposed: .seconds(imposed), using: &generator)
            #expect(delay == nil)
        }
    }

    @Test(arguments: [
        (429, "X-RateLimit-Reset", true), (403, "RateLimit-Reset", true),
        (502, "X-RateLimit-Reset", false), (503, "RateLimit-Reset", false),
        (503, "Retry-After", true), (403, "Retry-After", true),
    ])
    func rateLimitImposesDelayOnlyIfExceeded(
        code: Int, name: String, isImposed: Bool
    ) throws {
        var head = HTTPResponse(status: HTTPResponse.Status(code: code))
        head.headerFields[try #require(HTTPField.Name(name))] = "30"
        let delay = policy.imposedDelay(of: head, at: Date(timeIntervalSince1970: 0))
        #expect(delay == (isImposed ? .seconds(30) : nil))
    }
}
