// SPDX-License-Identifier: Apache-2.0

import RestTransport
import Testing

/// The expiry of timeouts, shared by all adapters.
@Suite struct ExchangeTimeoutsTests {
    private static let begin = ExchangeInstant.now

    /// Returns the instant some seconds after the start.
    private static func at(_ seconds: Int) -> ExchangeInstant { begin + .seconds(seconds) }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let expected: String?
        let run: @Sendable (inout ExchangeTimeouts) -> Void
        /// The time of the check, in seconds after the start.
        let moment: Int

        init(
            _ name: String, at moment: Int, _ expected: String?,
            run: @escaping @Sendable (inout ExchangeTimeouts) -> Void
        ) {
            testDescription = "\(name), after \(moment) s"
            self.expected = expected
            self.run = run
            self.moment = moment
        }
    }

    // Connect timeout 5 s, idle timeout 10 s, total timeout 100 s.
    static let cases: [Case] = [
        Case("waits for a connection", at: 99, nil) { _ in },
        Case("waits for a connection", at: 100, "within 100 s") { _ in },
        Case("connects", at: 24, nil) { $0.noteConnecting(at: at(20)) },
        Case("connects", at: 25, "within 5 s") { $0.noteConnecting(at: at(20)) },
        Case("connects to a second address", at: 25, "within 5 s") {
            $0.noteConnecting(at: at(20))
            $0.noteConnecting(at: at(24))
        },
        Case("is silent", at: 29, nil) { $0.noteActivity(.receivingHeader, at: at(20)) },
        Case("is silent", at: 30, "within 10 s") {
            $0.noteActivity(.receivingHeader, at: at(20))
        },
        Case("has a slow reader", at: 99, nil) {
            $0.noteActivity(.receivingBody, at: at(20))
            _ = $0.suspend()
        },
        Case("has a reader who goes on", at: 59, nil) {
            $0.noteActivity(.receivingBody, at: at(20))
            _ = $0.suspend()
            _ = $0.resume(at: at(50))
        },
        Case("has a reader who goes on", at: 60, "within 10 s") {
            $0.noteActivity(.receivingBody, at: at(20))
            _ = $0.suspend()
            _ = $0.resume(at: at(50))
        },
        Case("has a reader who was never slow", at: 30, "within 10 s") {
            $0.noteActivity(.receivingBody, at: at(20))
            _ = $0.resume(at: at(25))
        },
        Case("has a slow source", at: 99, nil) {
            $0.noteActivity(.sendingRequest, at: at(1))
            $0.noteSource(isSlow: true, at: at(2))
        },
        Case("has a source that goes on", at: 60, "within 10 s") {
            $0.noteActivity(.sendingRequest, at: at(1))
            $0.noteSource(isSlow: true, at: at(2))
            $0.noteSource(isSlow: false, at: at(50))
        },
        Case("has a slow source nobody waits for", at: 60, "within 10 s") {
            $0.noteSource(isSlow: true, at: at(2))
            $0.noteResponse(status: 413, at: at(50))
        },
        Case("has a slow source that is waited for", at: 99, nil) {
            $0.noteSource(isSlow: true, at: at(2))
            $0.noteResponse(status: 200, at: at(50))
        },
        Case("has been going on for long", at: 100, "within 100 s") {
            $0.noteActivity(.receivingBody, at: at(99))
        },
    ]

    @Test(arguments: cases) func expires(example: Case) throws {
        var limits = TransportLimits()
        limits.connectTimeout = .seconds(5)
        limits.idleTimeout = .seconds(10)
        limits.totalTimeout = .seconds(100)
        var times = ExchangeTimeouts(
            limits: limits, stage: .connecting, isWaiting: true, now: Self.begin)
        example.run(&times)
        let request = TransportRequest(url: try HTTPURL(parsing: "http://example.com/"))
        let now = Self.at(example.moment)
        let error = times.expiry(of: request, at: now)
        #expect(error.map { $0.description.contains(example.expected ?? "no limit") } ?? true)
        #expect((error == nil) == (example.expected == nil))
        // The earliest deadline is never later than an expired timeout.
        let deadline = try #require(times.earliestDeadline(at: now))
        #expect((deadline <= now) == (example.expected != nil))
    }
}
