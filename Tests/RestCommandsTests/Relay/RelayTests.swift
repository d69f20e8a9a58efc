// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import TestSupport
import Testing

@testable import RestCommands

/// Tests of the result lines of `rest http`.
@Suite struct RelayTests {
    /// A transport that echoes header and body of the request.
    private struct Echo: HTTPTransport {
        var responseFields: HTTPFields = [:]
        var responseBody: [UInt8]?

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            if request.url.path == "/lost" {
                throw TransportError(
                    .connectionLost, stage: .receivingHeader, request: request, reason: "closed")
            }
            if request.url.path == "/moved" {
                let fields: HTTPFields = [.location: "/target"]
                return TransportResponse(
                    to: request, head: HTTPResponse(status: .found, headerFields: fields),
                    body: ResponseBody([]))
            }
            let echo = request.headerFields.filter { $0.name.canonicalName.hasPrefix("x-") }
                .map { "\($0.name.canonicalName)=\($0.value)" }.joined(separator: ";")
            let text = "\(request.method.rawValue) \(request.url.path) \(echo) "
            let body = responseBody ?? Array(text.utf8) + (request.body.bytes ?? [])
            return TransportResponse(
                to: request, head: HTTPResponse(status: .ok, headerFields: responseFields),
                body: ResponseBody(body))
        }
    }

    private func relay(_ echo: Echo = Echo(), followsRedirects: Bool = false) throws -> Relay {
        Relay(
            client: try HTTPClient(baseURL: "http://localhost/", transport: echo),
            followsRedirects: followsRedirects)
    }

    private func object(_ line: String) throws -> [String: Any] {
        let value = try JSONSerialization.jsonObject(with: Data(line.utf8))
        return try #require(value as? [String: Any])
    }

    @Test func writesStatusHeadersAndBody() async throws {
        let relay = try relay(Echo(responseFields: [.contentType: "text/plain"]))
        let line = #"{"method":"PUT","url":"http://localhost/a","headers":{"X-A":"1"},"body":"é"}"#
        let answer = try object(await relay.result(of: line))
        #expect(answer["status"] as? Int == 200)
        #expect(answer["headers"] as? [String: String] == ["content-type": "text/plain"])
        #expect(answer["body"] as? String == "PUT /a x-a=1 é")
        #expect(answer["source"] as? String == "network")
    }

    @Test(arguments: [
        #"[["X-A","1"],["x-b","2"],["X-A","3"]]"#, #"{"X-A":["1","3"],"x-b":"2"}"#,
    ])
    func sendsRepeatedFieldsInBothForms(headers: String) async throws {
        let line = #"{"url":"http://localhost/a","headers":\#(headers)}"#
        let body = try object(try await relay().result(of: line))["body"] as? String
        let fields = try #require(body).split(separator: " ").last?.split(separator: ";") ?? []
        #expect(fields.filter { $0.hasPrefix("x-a") } == ["x-a=1", "x-a=3"])
        #expect(fields.contains("x-b=2"))
    }

    @Test func keepsRepeatedFieldsOfTheResponse() async throws {
        var fields = HTTPFields()
        fields.append(HTTPField(name: .vary, value: "a"))
        fields.append(HTTPField(name: .setCookie, value: "a=1, b"))
        fields.append(HTTPField(name: .vary, value: "b"))
        fields.append(HTTPField(name: .setCookie, value: "c=2"))
        let relay = try relay(Echo(responseFields: fields))
        let pairs = try object(
            await relay.result(of: #"{"url":"http://localhost/a","headers":[]}"#))
        #expect(
            pairs["headers"] as? [[String]] == [
                ["vary", "a"], ["set-cookie", "a=1, b"], ["vary", "b"], ["set-cookie", "c=2"],
            ])
        let joined = try object(await relay.result(of: #"{"url":"http://localhost/b"}"#))
        let headers = try #require(joined["headers"] as? [String: Any])
        #expect(headers["vary"] as? String == "a, b")
        #expect(headers["set-cookie"] as? [String] == ["a=1, b", "c=2"])
    }

    @Test func encodesBinaryBodiesInBase64() async throws {
        let relay = try relay(Echo(responseBody: [0xFF, 0x00]))
        let line = #"{"method":"POST","url":"http://localhost/a","bodyBase64":"/wA="}"#
        let answer = try object(await relay.result(of: line))
        #expect(answer["body"] is NSNull)
        #expect(answer["bodyBase64"] as? String == "/wA=")
    }

    @Test(arguments: [
        "", "nonsense", "[]", "{}", #"{"url":"ftp://localhost/"}"#, #"{"url":7}"#,
        #"{"url":"http://localhost/","method":"A B"}"#,
        #"{"url":"http://localhost/","headers":{"a b":"secret"}}"#,
        #"{"url":"http://localhost/","headers":{"a":"secret\u0000"}}"#,
        #"{"url":"http://localhost/","headers":[["a"]]}"#,
        #"{"url":"http://localhost/","headers":{"Host":"secret"}}"#,
        #"{"url":"http://localhost/","bodyBase64":"*"}"#, #"{"url":"http://localhost/lost"}"#,
    ])
    func reportsInvalidLinesWithoutTheirValues(line: String) async throws {
        let relay = try relay()
        let answer = try object(await relay.result(of: line))
        #expect(Array(answer.keys) == ["error"])
        #expect((answer["error"] as? String)?.isEmpty == false)
        #expect((answer["error"] as? String)?.contains("secret") == false)
        let next = try object(await relay.result(of: #"{"url":"http://localhost/a"}"#))
        #expect(next["status"] as? Int == 200)
    }

    @Test func reportsTheSourceOfCachedResponses() async throws {
        let relay = try relay(Echo(responseFields: [.cacheControl: "max-age=60"]))
        let line = #"{"url":"http://localhost/a"}"#
        #expect(try object(await relay.result(of: line))["source"] as? String == "network")
        let second = try object(await relay.result(of: line))
        #expect(second["source"] as? String == "cache")
        #expect(second["age"] as? Int == 0)
        let reload = #"{"url":"http://localhost/a","cache":"reload"}"#
        #expect(try object(await relay.result(of: reload))["source"] as? String == "network")
        let offline = #"{"url":"http://localhost/b","cache":"only-if-cached"}"#
        let missing = try object(await relay.result(of: offline))
        #expect(missing["status"] as? Int == 504)
        #expect(missing["source"] as? String == "unavailable")
    }

    @Test(.threat("T41"))
    func separatesPrincipals() async throws {
        let relay = try relay(Echo(responseFields: [.cacheControl: "max-age=60"]))
        for principal in ["a", "b"] {
            let line = #"{"url":"http://localhost/a","principal":"\#(principal)"}"#
            #expect(try object(await relay.result(of: line))["source"] as? String == "network")
            #expect(try object(await relay.result(of: line))["source"] as? String == "cache")
        }
    }

    @Test func followsRedirectsOnRequest() async throws {
        let line = #"{"url":"http://localhost/moved"}"#
        #expect(try object(try await relay().result(of: line))["status"] as? Int == 302)
        let follow = #"{"url":"http://localhost/moved","redirect":"follow"}"#
        let answer = try object(try await relay().result(of: follow))
        #expect(answer["body"] as? String == "GET /target  ")
        #expect(answer["url"] as? String == "http://localhost/target")
        let all = try object(try await relay(followsRedirects: true).result(of: line))
        #expect(all["status"] as? Int == 200)
        let manual = #"{"url":"http://localhost/moved","redirect":"manual"}"#
        let kept = try object(try await relay(followsRedirects: true).result(of: manual))
        #expect(kept["status"] as? Int == 302)
    }
}
