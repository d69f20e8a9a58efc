// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestDocument
import RestMapping
import RestNetworking
import RestTesting
import TestSupport
import Testing

/// Elements of types other than mapped objects, and requests with properties of their own.
@Suite(.tags(.socket)) struct PageElementTests {
    private struct Reading: Decodable, Equatable {
        var celsius: Double
    }

    private func serveTwoPages(
        _ pages: [String], _ work: (ObjectManager, LoopbackServer) async throws -> Void
    ) async throws {
        try await withList(
            { request in
                let page = request.number("page") ?? 1
                let link =
                    page < pages.count ? [("Link", "</list?page=\(page + 1)>; rel=next")] : []
                return .json(#"{"data": \#(pages[page - 1])}"#, headers: link)
            }, work)
    }

    @Test func returnsValuesThatDecodeThemselves() async throws {
        try await serveTwoPages([#"[{"celsius": 1.5}]"#, #"[{"celsius": 2}, {"celsius": 3}]"#]) {
            api, _ in
            var pages: [[Double]] = []
            for try await page in api.pages(
                of: Reading.self, at: "list", keyPath: "data", by: .linkHeader)
            {
                pages.append(page.objects.map(\.celsius))
                #expect(page.report.objectCount == page.objects.count)
            }
            #expect(pages == [[1.5], [2, 3]])
        }
    }

    @Test func returnsPlainValues() async throws {
        try await serveTwoPages([#"["a", "b"]"#, #"["c"]"#]) { api, _ in
            var values: [String] = []
            let pages = api.pages(of: String.self, at: "list", keyPath: "data", by: .linkHeader)
            for try await value in pages.objects { values.append(value) }
            #expect(values == ["a", "b", "c"])
        }
    }

    @Test func sendsPropertiesOfRequestWithEveryPage() async throws {
        try await serveTwoPages(["[1]", "[2]"]) { api, server in
            let name = try #require(HTTPField.Name("X-Trace"))
            var request = ObjectRequest<[Int]>(at: "list", keyPath: "data")
            request.headerFields[name] = "7"
            var values: [Int] = []
            for try await page in api.pages(of: request, by: .linkHeader) { values += page.objects }
            #expect(values == [1, 2])
            let configured = api.pages(of: Int.self, at: "list", keyPath: "data", by: .linkHeader) {
                $0.headerFields[name] = "8"
            }
            for try await _ in configured {}
            #expect(server.requests.map { $0.headers["x-trace"] } == ["7", "7", "8", "8"])
        }
    }

    @Test func throwsErrorOfRequestAtFirstStep() async throws {
        try await withList({ _ in .json("[]") }) { api, server in
            var iterator = api.pages(
                of: Article.self, at: "http://evil.example/", by: .linkHeader
            ).makeAsyncIterator()
            let error = await networkingError { try await iterator.next() }
            #expect(error?.code == .crossOrigin)
            #expect(server.requests.isEmpty)
        }
    }
}
