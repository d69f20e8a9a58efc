// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestCurl
import RestNetworking
import RestTesting
import RestTransport
import Synchronization
import TestSupport
import Testing

@Suite(.tags(.socket)) struct ValueUpdatesTests {
    /// A server whose response can be replaced.
    private final class Service: Sendable {
        let response: Mutex<LoopbackResponse>

        init(_ response: LoopbackResponse) {
            self.response = Mutex(response)
        }

        func answer(_ request: LoopbackRequest) -> LoopbackResponse {
            response.withLock { response in
                let tag = response.headers.first { $0.name == "ETag" }?.value
                guard let tag, request.headers["if-none-match"] == tag else { return response }
                return LoopbackResponse(status: 304, headers: response.headers)
            }
        }
    }

    private static func article(
        _ title: String, _ headers: (name: String, value: String)...
    ) -> LoopbackResponse {
        .json(#"{"id": 1, "title": "\#(title)"}"#, headers: headers)
    }

    /// Runs a closure with a manager for a service.
    private func serve(
        _ service: Service, hasCache: Bool = true,
        _ body: (ObjectManager, LoopbackServer) async throws -> Void
    ) async throws {
        try await LoopbackServer.run({ service.answer($0) }) { server in
            let transport = CurlTransport()
            var client = try HTTPClient(baseURL: server.baseURL, transport: transport)
            if hasCache { client.cache = HTTPCache() }
            try await body(ObjectManager(client: client), server)
            await transport.shutdown()
        }
    }

    /// Returns the states of an iteration as text.
    private func states(_ api: ObjectManager, _ path: String = "article") async throws -> [String] {
        var states: [String] = []
        for try await update in api.updates(of: path, as: Article.self) {
            switch update {
            case .stored(let article, let age):
                #expect((0..<100).contains(age))
                states.append("stored \(article.title)")
            case .loading: states.append("loading")
            case .fresh(let article): states.append("fresh \(article.title)")
            case .failed(let error): states.append("failed \(error.code)")
            }
        }
        return states
    }

    private func expect(
        _ states: [String], of api: ObjectManager, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let found = try await self.states(api)
        #expect(found == states, sourceLocation: sourceLocation)
    }

    @Test(arguments: ["max-age=0", "max-age=3600", "no-cache", "max-age=0, must-revalidate"])
    func returnsStoredValueBeforeRequest(directives: String) async throws {
        let fields = [(name: "ETag", value: "\"1\""), (name: "Cache-Control", value: directives)]
        let service = Service(Self.article("old", fields[0], fields[1]))
        try await serve(service) { api, server in
            try await expect(["loading", "fresh old"], of: api)
            let isForbidden = directives.contains("no-cache") || directives.contains("must")
            let stored = isForbidden ? [] : ["stored old"]
            try await expect(stored + ["loading", "fresh old"], of: api)
            // Validated, not sent again.
            #expect(server.requests.count == 2)
            #expect(server.requests.last?.headers["if-none-match"] == "\"1\"")
            service.response.withLock { $0 = Self.article("new", ("ETag", "\"2\""), fields[1]) }
            try await expect(stored + ["loading", "fresh new"], of: api)
            #expect(server.requests.count == 3)
        }
    }

    @Test func sendsRequestOnDemand() async throws {
        let service = Service(Self.article("old", ("Cache-Control", "max-age=3600")))
        try await serve(service) { api, server in
            try await expect(["loading", "fresh old"], of: api)
            var iterator = api.updates(of: "article", as: Article.self).makeAsyncIterator()
            #expect(server.requests.count == 1)
            guard case .stored = try await iterator.next(),
                case .loading = try await iterator.next()
            else {
                Issue.record("not stored, then loading")
                return
            }
            #expect(server.requests.count == 1)
            guard case .fresh = try await iterator.next() else {
                Issue.record("not fresh")
                return
            }
            #expect(server.requests.count == 2)
            #expect(try await iterator.next() == nil)
            #expect(server.requests.count == 2)
        }
    }

    @Test(arguments: ["max-age=0", "max-age=0, stale-if-error=3600"])
    func keepsStoredValueWhenServerFails(directives: String) async throws {
        let service = Service(Self.article("old", ("Cache-Control", directives)))
        try await serve(service) { api, _ in
            _ = try await states(api)
            service.response.withLock { $0 = .json("{}", status: 503) }
            try await expect(["stored old", "loading", "failed unexpectedStatus"], of: api)
            service.response.withLock { $0 = .json("[", status: 200) }
            try await expect(["stored old", "loading", "failed malformedBody"], of: api)
        }
    }

    @Test func ignoresStoredResponseThatCannotBeMapped() async throws {
        let service = Service(.json("{}", headers: [("Cache-Control", "max-age=3600")]))
        try await serve(service) { api, _ in
            try await expect(["loading", "failed mappingFailed"], of: api)
            service.response.withLock { $0 = Self.article("new") }
            try await expect(["loading", "fresh new"], of: api)
        }
    }

    @Test(arguments: [true, false])
    func beginsWithServerWithoutStoredResponse(hasCache: Bool) async throws {
        let service = Service(Self.article("new", ("Cache-Control", "no-store")))
        try await serve(service, hasCache: hasCache) { api, server in
            for count in 1...2 {
                try await expect(["loading", "fresh new"], of: api)
                #expect(server.requests.count == count)
            }
        }
    }

    @Test func throwsForInvalidRequest() async throws {
        try await serve(Service(Self.article("new"))) { api, server in
            let error = await #expect(throws: NetworkingError.self) {
                _ = try await states(api, "https://elsewhere.example/a")
            }
            #expect(error?.code == .crossOrigin)
            #expect(server.requests.isEmpty)
        }
    }
}
