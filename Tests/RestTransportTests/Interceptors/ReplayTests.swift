// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestTesting
import RestTransport
import TestSupport
import Testing

/// What becomes of bodies that can be had only once.
@Suite struct ReplayTests {
    /// Two chunks that can be had once.
    private static func once() -> MessageBody {
        let (chunks, continuation) = AsyncStream.makeStream(of: [UInt8].self)
        for chunk in [[1], [2]] as [[UInt8]] { continuation.yield(chunk) }
        continuation.finish()
        return .once(chunks, byteCount: 2)
    }

    @Test(.threat("T19"), arguments: [HTTPRequest.Method.put, .post])
    func neverRepeatsABodyThatCanBeHadOnce(method: HTTPRequest.Method) async throws {
        let fields: HTTPFields = [.idempotencyKey: "\"k\""]
        let answers: [StubTransport.Answer] = [
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
                transport, networkInterceptors: [RetryInterceptor()], clock: RetryTests.Dreaming())
            let request = try client.request(
                method, at: "a", headerFields: fields, body: Self.once())
            _ = try? await client.send(request)
            #expect(transport.requests.count == 1)
        }
    }

    @Test func deliversTheRefusalAndRefreshesForTheNext() async throws {
        let transport = AuthorizationTests.transport(accepting: "t2")
        let authorizer = AuthorizationTests.Tokens()
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
