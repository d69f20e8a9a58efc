// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestTesting
import RestTransport
import Synchronization
import TestSupport
import Testing

@Suite struct RequestIDInterceptorTests {
    private static func ids(_ transport: StubTransport) -> [String?] {
        transport.requests.map { $0.headerFields[.requestID] }
    }

    @Test func addsUniqueIDs() async throws {
        let transport = StubTransport { .stub(to: $0) }
        let client = try HTTPClient(transport, interceptors: [RequestIDInterceptor()])
        for _ in 0..<1000 { _ = try await client.status("a") }
        let ids = Self.ids(transport).compactMap(\.self)
        #expect(Set(ids).count == 1000)
        #expect(
            ids.allSatisfy { id in
                id.utf8.count == 32 && id.allSatisfy { $0.isHexDigit && !$0.isUppercase }
            })
    }

    @Test func keepsExistingID() async throws {
        let transport = StubTransport { .stub(to: $0) }
        let client = try HTTPClient(transport, interceptors: [RequestIDInterceptor()])
        _ = try await client.send(
            try client.request(at: "a", headerFields: [.requestID: "mine"]))
        #expect(Self.ids(transport) == ["mine"])
    }

    @Test func keepsIDAcrossRetries() async throws {
        let number = Count()
        let transport = StubTransport { request in
            switch number.up() {
            case 1: .stub(.unauthorized, to: request)
            case 2: .stub(.serviceUnavailable, to: request)
            case 3: .stub(.found, headerFields: [.location: "b"], to: request)
            default: .stub(to: request)
            }
        }
        var policy = RetryPolicy()
        policy.baseDelay = .zero
        let client = try HTTPClient(
            transport,
            interceptors: [
                RequestIDInterceptor { "id" },
                AuthorizationInterceptor(AuthorizationInterceptorTests.Tokens()),
            ],
            networkInterceptors: [RetryInterceptor(policy)])
        #expect(try await client.status("a") == 200)
        #expect(Self.ids(transport) == ["id", "id", "id", "id"])
    }

    @Test func addsNewIDToEachRetry() async throws {
        let transport = RetryInterceptorTests.transport([.serviceUnavailable, .ok])
        let number = Count()
        let client = try HTTPClient(
            transport,
            networkInterceptors: [
                RetryInterceptor(), RequestIDInterceptor { "\(number.up())" },
            ], clock: RetryInterceptorTests.InstantClock())
        #expect(try await client.status("a") == 200)
        #expect(Self.ids(transport) == ["1", "2"])
    }

    @Test func usesCustomField() async throws {
        let name = try #require(HTTPField.Name("X-Correlation-ID"))
        let transport = StubTransport { .stub(to: $0) }
        let client = try HTTPClient(
            transport, interceptors: [RequestIDInterceptor(fieldName: name) { "id" }])
        _ = try await client.status("a")
        #expect(transport.requests.first?.headerFields == [name: "id"])
    }

    @Test(.threat("T33"), arguments: ["a\r\nX-Injected: 1", "a\0", " a", "\u{7F}"])
    func refusesInvalidID(id: String) async throws {
        let transport = StubTransport { .stub(to: $0) }
        let client = try HTTPClient(
            transport, interceptors: [RequestIDInterceptor(makeID: { id })])
        let error = await transportError { _ = try await client.status("a") }
        #expect(error?.code == .invalidRequest)
        #expect(error?.reason.contains("x-request-id") == true)
        #expect(transport.requests.isEmpty)
    }
}
