// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestTesting
import RestTransport
import Synchronization
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct AuthorizationTimeTests {
    typealias Tokens = AuthorizationInterceptorTests.Tokens
    typealias Failure = AuthorizationInterceptorTests.Failure

    @Test func refreshesEarlyWithoutWaiting() async throws {
        let clock = ManualClock()
        let transport = StubTransport { .stub(to: $0) }
        let gate = Gate()
        let start = clock.date
        let authorizer = Tokens { number, _, _ in
            if number > 1 { try await gate.pass() }
            return BearerToken(
                "t\(number)", expiry: start.addingTimeInterval(Double(number) * 3600))
        }
        let interceptor = AuthorizationInterceptor(authorizer)
        let client = try HTTPClient(transport, interceptors: [interceptor], clock: clock)
        _ = try await client.status("a")
        clock.advance(by: .seconds(3569))
        _ = try await client.status("b")
        #expect(authorizer.count.value == 1)
        clock.advance(by: .seconds(1))
        _ = try await client.status("c")
        _ = try await client.status("d")
        #expect(try await eventually { authorizer.count.value == 2 })
        gate.open()
        #expect(try await eventually { interceptor.credential()?.token == "t2" })
        _ = try await client.status("e")
        #expect(
            transport.tokens
                == ["Bearer t1", "Bearer t1", "Bearer t1", "Bearer t1", "Bearer t2"])
        #expect(authorizer.count.value == 2)
    }

    @Test func refreshesExpiredCredentialBeforeSending() async throws {
        let clock = ManualClock()
        let transport = StubTransport { .stub(to: $0) }
        let authorizer = Tokens { number, _, _ in
            if number == 2 { throw Failure() }
            return BearerToken("t\(number)", expiry: clock.date.addingTimeInterval(100))
        }
        let client = try HTTPClient(
            transport, interceptors: [AuthorizationInterceptor(authorizer)], clock: clock)
        _ = try await client.status("a")
        clock.advance(by: .seconds(80))
        // A failed early refresh has no effect and is not repeated.
        _ = try await client.status("b")
        #expect(try await eventually { authorizer.count.value == 2 })
        _ = try await client.status("c")
        #expect(authorizer.count.value == 2)
        clock.advance(by: .seconds(20))
        _ = try await client.status("d")
        #expect(
            transport.tokens == ["Bearer t1", "Bearer t1", "Bearer t1", "Bearer t3"])
    }

    @Test func endsSlowRefresh() async throws {
        let clock = ManualClock()
        let gate = Gate()
        let authorizer = Tokens { number, _, _ in
            if number == 1 { try await gate.pass() }
            return BearerToken("t\(number)")
        }
        var client = try HTTPClient(
            StubTransport { .stub(to: $0) }, interceptors: [AuthorizationInterceptor(authorizer)],
            clock: clock)
        client.limits.totalTimeout = .seconds(10)
        let hasty = Task { [client] in try await client.status("a") }
        await clock.waitForSleepers(2)
        clock.advance(by: .seconds(10))
        var error = await transportError { _ = try await hasty.value }
        #expect(error?.code == .timedOut)
        #expect(error?.url == "https://api.test/v1/a")
        client.limits.totalTimeout = .seconds(1000)
        let patient = Task { [client] in try await client.status("b") }
        await clock.waitForSleepers(2)
        clock.advance(by: .seconds(49))
        #expect(gate.leftCount == 0)
        clock.advance(by: .seconds(1))
        error = await transportError { _ = try await patient.value }
        #expect(error?.code == .authorizationFailed)
        #expect(error?.reason == "no credential within 60 s")
        #expect(try await eventually { gate.leftCount == 1 })
        #expect(try await client.status("c") == 200)
    }
}
