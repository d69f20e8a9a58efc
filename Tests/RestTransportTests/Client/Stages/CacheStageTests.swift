// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestTesting
import RestTransport
import TestSupport
import Testing

/// Redirects served from the cache, under the rules of each request.
@Suite struct CacheStageTests {
    /// Returns a transport that redirects `/` to the target, cacheable for a minute.
    private func transport(_ status: Int, to target: String) -> StubTransport {
        StubTransport { request in
            guard request.url.path == "/" else { return .stub(to: request) }
            return .stub(
                HTTPResponse.Status(code: status),
                headerFields: [.cacheControl: "max-age=60", .location: target], to: request)
        }
    }

    private func client(
        at base: String, _ stub: StubTransport, _ clock: ManualClock
    ) throws -> HTTPClient {
        var client = try HTTPClient(baseURL: base, transport: stub)
        client.cache = HTTPCache()
        client.clock = clock
        client.principal = Principal("ann")
        return client
    }

    @Test(.threat("T24"), arguments: [301, 308])
    func sendsNoSecretsAfterCachedRedirect(status: Int) async throws {
        let stub = transport(status, to: "http://b.example/x")
        let clock = ManualClock()
        var client = try client(at: "http://a.example/", stub, clock)
        // Stored for a request without secrets.
        _ = try await client.read("")
        client.defaultHeaders = try Canaries.fields
        // A condition of the caller would bypass the cache.
        client.defaultHeaders[.ifNoneMatch] = nil
        client.credential = BearerToken("canary")
        client.interceptors = [AddingFields(fields: try Canaries.outerFields)]
        client.networkInterceptors = [AddingFields(fields: try Canaries.innerFields)]
        for _ in 0..<2 { _ = try await client.read("") }
        func count(_ host: String) -> Int { stub.requests.count { $0.url.host == host } }
        #expect(count("a.example") == 1)
        for request in stub.requests where request.url.host == "b.example" {
            let names = Set(request.headerFields.map(\.name.canonicalName))
            #expect(names.isDisjoint(with: Canaries.all))
        }
        // A body for the first origin is not sent to the target either.
        let post = try client.request(.post, at: "", body: .bytes([1]))
        if status == 308 {
            let error = await transportError { _ = try await client.send(post) }
            #expect(error?.code == .redirectRefused)
        }
        // The redirect expires.
        let before = count("a.example")
        clock.advance(by: .seconds(61))
        _ = try await client.read("")
        #expect(count("a.example") == before + 1)
    }

    @Test(.threat("T22", "T24"), arguments: [301, 308])
    func refusesCachedRedirectToHTTP(status: Int) async throws {
        let stub = transport(status, to: "http://a.example/x")
        let client = try client(at: "https://a.example/", stub, ManualClock())
        for _ in 0..<3 {
            let error = await transportError { _ = try await client.read("") }
            #expect(error?.code == .redirectRefused)
        }
        #expect(stub.requests.map(\.url.text) == ["https://a.example/"])
    }

    @Test(.threat("T49")) func storesNoCookiesFromCachedResponses() async throws {
        let stub = StubTransport { request in
            .stub(
                headerFields: [.cacheControl: "max-age=60", .setCookie: "a=1"],
                body: [1], to: request)
        }
        var client = try client(at: "https://a.example/", stub, ManualClock())
        let jar = CookieJar()
        client.cookieJar = jar
        _ = try await client.read("a")
        #expect(jar.cookies(for: client.baseURL, of: client.principal).count == 1)
        jar.removeAll()
        #expect(try await client.read("a") == [1])
        #expect(stub.requests.count == 1)
        #expect(jar.cookies(for: client.baseURL, of: client.principal).isEmpty)
    }
}
