// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import RestCurl
import RestDocument
import RestMapping
import RestNetworking
import RestTesting
import RestTransport
import TestSupport
import Testing

@Suite(.tags(.socket)) struct PagesTests {
    // MARK: Link header

    @Test func followsNextLinksToLastPage() async throws {
        try await serve({ page in page < 3 ? "</v1/articles?page=\(page + 1)>; rel=next" : nil }) {
            api, server in
            let pages = api.pages(
                of: Article.self, at: "articles", parameters: ["page": 1], by: .linkHeader)
            var titles: [[String]] = []
            for try await page in pages {
                titles.append(page.objects.map(\.title))
            }
            #expect(titles == [["1a", "1b"], ["2a", "2b"], ["3a", "3b"]])
            #expect(
                server.requests.map(\.target) == [1, 2, 3].map { "/v1/articles?page=\($0)" })
        }
    }

    @Test func resolvesRelativeLinksAgainstTheirPage() async throws {
        try await serve({ page in page < 2 ? "<?page=2>; rel=\"next\", <?page=9>; rel=last" : nil })
        {
            api, server in
            let pages = try await walk(api)
            #expect(pages.count == 2)
            #expect(server.requests.map(\.target) == ["/v1/articles", "/v1/articles?page=2"])
        }
    }

    @Test func requestsPagesOnDemand() async throws {
        try await serve({ "<?page=\($0 + 1)>; rel=next" }) { api, server in
            var iterator = api.pages(of: Article.self, at: "articles", by: .linkHeader)
                .makeAsyncIterator()
            #expect(server.requests.isEmpty)
            _ = try await iterator.next()
            _ = try await iterator.next()
            #expect(server.requests.count == 2)
        }
    }

    @Test(
        .threat("T25"),
        arguments: [
            "http://evil.example/articles?page=2", "//evil.example/", "http://127.0.0.1:1/articles",
            "http://169.254.169.254/latest", "https://127.0.0.1/", "http://[::1]/",
            "http://localhost/", "file:///etc/passwd", "http://user@127.0.0.1/", "javascript:x",
        ])
    func rejectsLinkToAnotherOrigin(link: String) async throws {
        try await serve({ _ in "<\(link)>; rel=next" }) { api, server in
            let error = await networkingError { try await walk(api) }
            #expect(error?.code == .crossOrigin)
            #expect(error?.stage == .pagination)
            #expect(error?.method == "GET")
            #expect(server.requests.count == 1)
        }
    }

    @Test(.threat("T25")) func followsLinkToTrustedOrigin() async throws {
        try await serve({ _ in nil }) { _, other in
            let link = "<\(other.baseURL)v1/articles?page=2>; rel=next"
            try await serve({ _ in link }) { api, server in
                let origin = try HTTPURL(parsing: other.baseURL).origin
                api.configure { $0.client.redirects.trustedOrigins = [origin] }
                #expect(try await walk(api).count == 2)
                #expect(server.requests.count == 1)
                #expect(other.requests.count == 1)
            }
        }
    }

    @Test(
        .threat("T25"),
        arguments: [
            // A link to the page itself, to the previous page, and a cycle.
            [1: 1], [1: 2, 2: 1], [1: 3, 3: 2, 2: 3],
        ])
    func throwsForLinkCycle(links: [Int: Int]) async throws {
        try await serve({ page in links[page].map { "<?page=\($0)>; rel=next" } }) { api, server in
            let error = await networkingError {
                try await walk(api, parameters: ["page": 1])
            }
            #expect(error?.code == .endlessPagination)
            #expect(error?.stage == .pagination)
            #expect(server.requests.count == links.count)
        }
    }

    @Test(.threat("T25")) func throwsBeyondMaximumPageCount() async throws {
        #expect(Pagination.linkHeader.maximumPageCount == 10_000)
        try await serve({ "<?page=\($0 + 1)>; rel=next" }) { api, server in
            var pagination = Pagination.linkHeader
            pagination.maximumPageCount = 5
            let error = await networkingError { try await walk(api, by: pagination) }
            #expect(error?.code == .endlessPagination)
            #expect(error?.causes == ["more than 5 pages"])
            #expect(server.requests.count == 5)
        }
    }

    @Test func endsAfterError() async throws {
        try await serve({ "<?page=\($0 + 1)>; rel=next" }, failingAt: 2) { api, server in
            var iterator = api.pages(of: Article.self, at: "articles", by: .linkHeader)
                .makeAsyncIterator()
            let first = try await iterator.next()
            #expect(first?.objects.count == 2)
            let error = await networkingError { try await iterator.next() }
            #expect(error?.code == .unexpectedStatus)
            let end = try await iterator.next()
            #expect(end == nil)
            #expect(server.requests.count == 2)
        }
    }

    @Test func endsAfterMappingError() async throws {
        try await LoopbackServer.run({ _ in
            .json(#"[{"id": "x"}]"#, headers: [("Link", "<?page=2>; rel=next")])
        }) { server in
            var iterator = try manager(at: server.baseURL)
                .pages(of: Article.self, at: "articles", by: .linkHeader).makeAsyncIterator()
            let error = await networkingError { try await iterator.next() }
            #expect(error?.code == .mappingFailed)
            let end = try await iterator.next()
            #expect(end == nil)
            #expect(server.requests.count == 1)
        }
    }

    @Test func returnsLastValidPageBeforeError() async throws {
        try await serve({ _ in "<http://evil.example/>; rel=next" }) { api, _ in
            var iterator = api.pages(of: Article.self, at: "articles", by: .linkHeader)
                .makeAsyncIterator()
            let first = try await iterator.next()
            #expect(first?.objects.map(\.title) == ["1a", "1b"])
            let error = await networkingError { try await iterator.next() }
            #expect(error?.code == .crossOrigin)
        }
    }

    // MARK: Page numbers

    @Test func numbersPagesUntilEmptyPage() async throws {
        try await serve({ _ in nil }, lastPage: 2) { api, server in
            let pages = try await walk(
                api, parameters: ["q": "x"], by: .pageNumber(parameter: "page", size: 2))
            #expect(pages == [["1a", "1b"], ["2a", "2b"]])
            #expect(
                server.requests.map(\.query)
                    == [1, 2, 3].map { "q=x&page=\($0)&per_page=2" })
        }
    }

    @Test func endsAtShortPageIfConfigured() async throws {
        try await serve({ _ in nil }, lastPage: 5) { api, server in
            let pages = try await walk(
                api,
                by: .pageNumber(
                    parameter: "page", size: 3, sizeParameter: "limit", first: 0, ends: .shortPage))
            #expect(pages.count == 1)
            #expect(server.requests.map(\.query) == ["page=0&limit=3"])
        }
    }

    @Test(.threat("T22"), arguments: ["http://base/articles?page=2", "http://base:443/articles"])
    func rejectsLinkThatDowngradesEncryption(link: String) async throws {
        let stub = StubTransport { request in
            var response = TransportResponse.json(#"[{"id": 1, "title": "a"}]"#, to: request)
            try response.head.headerFields.set("<\(link)>; rel=next", for: "Link")
            return response
        }
        let api = ObjectManager(client: try HTTPClient(baseURL: "https://base/", transport: stub))
        let error = await networkingError { try await walk(api) }
        #expect(error?.code == .crossOrigin)
        #expect(stub.requests.count == 1)
    }

    /// An insertion before the last element repeats a page of one element, but only once.
    @Test(.threat("T25"), arguments: [(1, 3), (2, 2)])
    func throwsWhenPagesRepeat(elementCount: Int, requestCount: Int) async throws {
        let elements = (0..<elementCount).map { #"{"id": \#($0), "title": "a"}"# }
        let page = "[\(elements.joined(separator: ","))]"
        try await LoopbackServer.run({ _ in .json(page) }) { server in
            let api = try manager(at: server.baseURL)
            let error = await networkingError { try await walk(api, by: .pageNumber()) }
            #expect(error?.code == .endlessPagination)
            #expect(server.requests.count == requestCount)
        }
    }

    @Test func continuesAfterElementThatInsertionRepeats() async throws {
        try await LoopbackServer.run({ request in
            let id = [1: 1, 2: 2, 3: 2][request.number("page") ?? 1]
            return .json(id.map { #"[{"id": \#($0), "title": "a"}]"# } ?? "[]")
        }) { server in
            let pages = try await walk(try manager(at: server.baseURL), by: .pageNumber())
            #expect(pages.count == 3)
            #expect(server.requests.count == 4)
        }
    }

    // MARK: Isolation

    @Test @MainActor func returnsPagesToCallersActor() async throws {
        try await LoopbackServer.run({ _ in .json(#"[{"text": "a"}]"#) }) { server in
            let api = try manager(at: server.baseURL)
            for try await page in api.pages(of: Note.self, at: "notes", by: .linkHeader) {
                MainActor.assertIsolated()
                page.objects[0].text += "!"
                #expect(page.objects[0].text == "a!")
            }
        }
    }

    // MARK: Helpers

    private func walk(
        _ api: ObjectManager, parameters: RequestParameters = [:],
        by pagination: Pagination = .linkHeader
    ) async throws -> [[String]] {
        var titles: [[String]] = []
        for try await page in api.pages(
            of: Article.self, at: "articles", parameters: parameters, by: pagination)
        {
            titles.append(page.objects.map(\.title))
        }
        return titles
    }

    /// Serves pages of two articles each; `link` returns the `Link` header of a page.
    private func serve(
        _ link: @escaping @Sendable (_ page: Int) -> String?, failingAt failure: Int = .max,
        lastPage: Int = .max, _ work: (ObjectManager, LoopbackServer) async throws -> Void
    ) async throws {
        try await LoopbackServer.run({ request in
            let page = Self.page(of: request.query)
            guard page < failure else { return .json("{}", status: 500) }
            guard page <= lastPage else { return .json("[]") }
            return .json(
                """
                [{"id": \(page * 10), "title": "\(page)a"}, {"id": \(page * 10 + 1), "title": \
                "\(page)b"}]
                """, headers: link(page).map { [("Link", $0)] } ?? [])
        }) { server in
            try await work(manager(at: server.baseURL + "v1/"), server)
        }
    }

    private static func page(of query: String) -> Int {
        for pair in query.split(separator: "&") where pair.hasPrefix("page=") {
            return Int(pair.dropFirst("page=".count)) ?? 1
        }
        return 1
    }
}

/// Pages of recorded GitHub responses.
@Suite(.tags(.socket), .enabled(if: SharedFiles.isAvailable, "shared corpus not found"))
struct RecordedPagesTests {
    @Test func mapsLinkedPagesByDescriptorOfFirstPage() async throws {
        try await ReplayServer.run("recorded/github/paginate-issues.json") { server in
            let api = try manager(at: server.baseURL)
            var mapping = ObjectMapping(for: GitHub.Issue.self)
            mapping.remove(to: "title")
            mapping.add("title", from: "state")
            try api.add(ResponseDescriptor(mapping, at: "repos/:owner/:repo/issues"))
            var titles: [String] = []
            for try await issue in api.pages(
                of: GitHub.Issue.self, at: "repos/octokit-fixture-org/paginate-issues/issues",
                parameters: ["per_page": 3], by: .linkHeader
            ).objects {
                titles.append(issue.title)
            }
            #expect(titles == Array(repeating: "open", count: 13))
            #expect(server.requests.last?.path == "/repositories/1000/issues")
        }
    }

    @Test func iteratesAllPagesOfIssueList() async throws {
        let recording = "recorded/github/paginate-issues.json"
        try await ReplayServer.run(recording) { server in
            let api = try manager(at: server.baseURL)
            var pages: [[GitHub.Issue]] = []
            for try await page in api.pages(
                of: GitHub.Issue.self, at: "repos/octokit-fixture-org/paginate-issues/issues",
                parameters: ["per_page": 3], by: .linkHeader)
            {
                #expect(page.report.issueCount == 0)
                pages.append(page.objects)
            }
            #expect(pages.map(\.count) == [3, 3, 3, 3, 1])
            let issues = pages.flatMap(\.self)
            #expect(issues.map(\.number) == Array((1...13).reversed()))
            #expect(issues.map(\.id) == Array(1000...1012))
            #expect(issues.allSatisfy { $0.title == "Test issue \($0.number)" })
            #expect(issues.allSatisfy { $0.user.login == "octokit-fixture-user-a" })
            #expect(issues.allSatisfy { $0.closedAt == nil && !$0.isLocked && $0.labels.isEmpty })
            let created = try Date("2017-10-10T16:00:00Z", strategy: .iso8601)
            #expect(issues.allSatisfy { $0.createdAt == created })
            #expect(server.requests.count == 5)
        }
    }
}
