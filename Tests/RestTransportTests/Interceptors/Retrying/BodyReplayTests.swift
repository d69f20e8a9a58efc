// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestTesting
import RestTransport
import TestSupport
import Testing

/// Requests whose body can be read only once.
@Suite struct BodyReplayTests {
    /// Returns a body of two chunks that can be read only once.
    private static func once() -> MessageBody {
        let (chunks, continuation) = AsyncStream.makeStream(of: [UInt8].self)
        for chunk in [[1], [2]] as [[UInt8]] { continuation.yield(chunk) }
        continuation.finish()
        return .once(chunks, byteCount: 2)
    }

    @Test(.threat("T19"), arguments: [HTTPRequest.Method.put, .post])
    func neverRetriesSingleUseBody(method: HTTPRequest.Method) async throws {
        let fields: HTTPFields = [.idempotencyKey: "\"k\""]
        let answers: [StubTransport.Handler] = [
            { .stub(.serviceUnavailable, to: $0) },
            { request in
                throw TransportError(
                    .connectionLost, stage: .sendingRequest, request: request, reason: "test")
            },
            { request in
                throw TransportError(
                    .connectionFailed, stage: .connecting, request: request, reason: "test")
            },
        ]
        for answer in answers {
            let transport = StubTransport(answer)
            let client = try HTTPClient(
                transport, networkInterceptors: [RetryInterceptor()],
                clock: RetryInterceptorTests.InstantClock())
            let request = try client.request(
                method, at: "a", headerFields: fields, body: Self.once())
            _ = try? await client.send(request)
            #expect(transport.requests.count == 1)
        }
    }

    @Test func deliversRefusalAndRefreshesForNextRequest() async throws {
        let transport = AuthorizationInterceptorTests.transport(accepting: "t2")
        let authorizer = AuthorizationInterceptorTests.Tokens()
        let interceptor = AuthorizationInterceptor(authorizer)
        let client = try HTTPClient(transport, interceptors: [interceptor])
        let request = try client.request(.post, at: "a", body: Self.once())
        #expect(try await client.send(request).status == .unauthorized)
        #expect(try await eventually { interceptor.credential()?.token == "t2" })
        #expect(transport.tokens == ["Bearer t1"])
        #expect(try await client.status("b") == 200)
        #expect(authorizer.count.value == 2)
    }
}
