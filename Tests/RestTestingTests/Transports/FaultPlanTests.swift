// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import RestDocument
import RestTesting
import RestTransport
import TestSupport
import Testing

/// Random sequences of faults below a client: each request ends with the right response or a typed
/// error, and its body is released.
@Suite struct FaultPlanTests {
    private static let faults: [TransportFault] = [
        .reset(at: .connecting), .reset(at: .sendingRequest), .reset(at: .receivingHeader),
        .reset(at: .receivingBody), .truncation(after: 0), .truncation(after: 7),
        .truncation(after: 10_000), .wrongLength(by: 3), .wrongLength(by: -2), .garbage,
        .garbageBody(seed: 3), .status(.serviceUnavailable), .status(.badGateway),
        .status(.found, headerFields: [.location: "/elsewhere"]),
        .delay(.milliseconds(1), at: .connecting), .delay(.milliseconds(1), at: .receivingBody),
        .slowBody(byteCount: 9, every: .microseconds(50)),
    ]

    /// A body source that counts its instances, so that leaked ones are found.
    private final class CountedBody: ResponseBodySource {
        private let released: Counter
        private let position = Counter()
        private let text: [UInt8]

        init(_ text: String, created: Counter, released: Counter) {
            self.text = Array(text.utf8)
            self.released = released
            created.next()
        }

        deinit { released.next() }

        func next() async throws -> [UInt8]? {
            let start = position.next() * 16
            return start < text.count ? Array(text[start...].prefix(16)) : nil
        }

        func cancel() {}
    }

    @Test(.tags(.slow, .concurrency))
    func endInTypedErrorOrRightResponse() async throws {
        let first: UInt64 = TestEnvironment.number("RESTKIT_SEED") ?? 1
        let (created, released) = (Counter(), Counter())
        var counts: [String: Int] = [:]
        for seed in first..<first + 1_000 {
            let stub = StubTransport { request in
                let text = #"{"path": "\#(request.url.path)", "list": [1, 2, 3]}"#
                let source = CountedBody(text, created: created, released: released)
                return TransportResponse(
                    to: request, head: HTTPResponse(status: .ok),
                    body: ResponseBody(source: source))
            }
            let plan = FaultInjectingTransport.Plan.random(
                seed: seed, probability: 0.7, of: Self.faults)
            let transport = FaultInjectingTransport(stub, plan: plan)
            var client = try HTTPClient(baseURL: "https://example.com/", transport: transport)
            client.limits.redirectCount = 3
            for number in 0..<5 {
                let outcome = await outcome(of: client, "\(number)")
                #expect(
                    outcome.isTyped, "seed \(seed), request \(number): \(outcome.description)")
                counts[outcome.description, default: 0] += 1
            }
            #expect(transport.faults.count >= 5)
        }
        #expect(counts.values.reduce(0, +) == 5_000)
        #expect(counts["response", default: 0] > 1_000)
        #expect(counts.count > 8, "\(counts)")
        #expect(created.count > 2_000)
        #expect(released.count == created.count)
    }

    private func outcome(
        of client: HTTPClient, _ path: String
    ) async -> (isTyped: Bool, description: String) {
        do {
            let response = try await client.send(try client.request(at: path))
            let body = try await response.collect()
            guard response.status == .ok else { return (true, "\(response.status.code)") }
            let document = try Document(parsing: body)
            let paths = ["/\(path)", "/elsewhere"]
            let isExpected =
                paths.contains(document.root["path"]?.string ?? "")
                && document.root["list"]?.count == 3
            return (isExpected, isExpected ? "response" : "wrong response")
        } catch let error as TransportError {
            return (error.url?.hasPrefix("https://example.com/") == true, "\(error.code)")
        } catch let error as DocumentError {
            return (true, "\(error.code)")
        } catch {
            return (false, "\(error)")
        }
    }
}
