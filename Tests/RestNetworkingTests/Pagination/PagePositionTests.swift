// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import RestDocument
import RestMapping
import RestNetworking
import RestTesting
import RestTransport
import TestSupport
import Testing

@Suite(.tags(.socket)) struct PagePositionTests {
    /// A list of seven articles by three, whose responses suit all rules.
    private static func list(_ request: LoopbackRequest) -> LoopbackResponse {
        let page = request.number("page").map { ($0 - 1) * 3 }
        let start = page ?? request.number("offset") ?? request.number("cursor") ?? 0
        let slice = ListSlice(start: start, count: 3).clamped(to: 7)
        guard slice.end < 7 else { return .json(#"{"data": \#(slice.json)}"#) }
        let kept = request.query.split(separator: "&").filter { !$0.hasPrefix("cursor=") }
        let link = "/articles?" + (kept + ["cursor=\(slice.end)"]).joined(separator: "&")
        return .json(
            #"{"data": \#(slice.json), "cursor": "\#(slice.end)", "next": "\#(link)"}"#,
            headers: [("Link", "<\(link)>; rel=next")])
    }

    private static let rules: [Pagination] = [
        .linkHeader, .nextURL(at: .body("next")), .cursor(at: .body("cursor")), .offset(),
        .pageNumber(),
    ]

    private func withSevenArticles(
        _ work: (ObjectManager, LoopbackServer) async throws -> Void
    ) async throws {
        try await withList({ Self.list($0) }) { api, server in
            try api.add(ResponseDescriptor(Article.self, at: "articles", keyPath: "data"))
            try await work(api, server)
        }
    }

    /// Returns the JSON of the position after the first page of a list.
    private func saved(
        _ api: ObjectManager, by rule: Pagination, parameters: RequestParameters = [:]
    ) async throws -> Data {
        var iterator = api.pages(
            of: Article.self, at: "articles", parameters: parameters, by: rule
        ).makeAsyncIterator()
        let page = try #require(try await iterator.next())
        return try JSONEncoder().encode(try #require(page.nextPosition))
    }

    @Test(arguments: rules) func resumesAfterSavedPosition(rule: Pagination) async throws {
        try await withSevenArticles { api, _ in
            let data = try await saved(api, by: rule)
            let position = try JSONDecoder().decode(PagePosition.self, from: data)
            #expect(position.pageCount == 1)
            #expect(position.objectCount == 3)
            #expect(try await ids(api, by: rule, from: position) == [[4, 5, 6], [7]])
        }
    }

    @Test(arguments: rules) func containsNoCredentials(rule: Pagination) async throws {
        try await withSevenArticles { api, server in
            api.configure { $0.client.defaultHeaders[.authorization] = "Bearer secret-1" }
            let parameters = RequestParameters(
                ["api_key": "secret-2", "tag": ["secret-3", "secret-4"]] as Document)
            let data = try await saved(api, by: rule, parameters: parameters)
            #expect(!String(decoding: data, as: UTF8.self).contains("secret"))
            let position = try JSONDecoder().decode(PagePosition.self, from: data)
            #expect(!"\(position) \(String(reflecting: position))".contains("secret"))
            let first = try #require(server.requests.first)
            _ = try await ids(api, parameters: parameters, by: rule, from: position)
            let resumed = server.requests[1]
            #expect(resumed.headers["authorization"] == "Bearer secret-1")
            for pair in first.query.split(separator: "&") where pair.contains("secret") {
                #expect(resumed.query.contains(pair))
            }
        }
    }

    @Test func namesMissingParameterOfFirstRequest() async throws {
        try await withSevenArticles { api, server in
            let data = try await saved(api, by: .linkHeader, parameters: ["api_key": "secret"])
            let position = try JSONDecoder().decode(PagePosition.self, from: data)
            let error = await networkingError {
                try await ids(api, by: .linkHeader, from: position)
            }
            #expect(error?.code == .invalidRequest)
            #expect(error?.causes.first?.contains("\"api_key\"") == true)
            #expect(server.requests.count == 1)
        }
    }

    @Test func rejectsPositionOfOtherList() async throws {
        try await withSevenArticles { api, server in
            let data = try await saved(api, by: .offset())
            let position = try JSONDecoder().decode(PagePosition.self, from: data)
            let rule = await networkingError {
                try await ids(api, by: .pageNumber(), from: position)
            }
            #expect(rule?.code == .invalidRequest)
            #expect(
                rule?.causes == ["the position is one by offset, the pagination is by page number"])
            var pages = api.pages(of: Article.self, at: "other", by: .offset())
            pages.start = position
            let path = await networkingError { for try await _ in pages {} }
            #expect(path?.causes == ["the position is one of a list with another path"])
            #expect(server.requests.count == 1)
        }
    }

    @Test(
        .threat("T25"),
        arguments: [
            #"{"link":{"_0":{"origin":"http://evil.example","path":"/articles"}}}"#,
            #"{"link":{"_0":{"origin":"http://169.254.169.254","path":"/latest"}}}"#,
            #"{"link":{"_0":{"path":"@evil.example/"}}}"#,
            #"{"link":{"_0":{"path":".evil.example/"}}}"#,
        ])
    func checksOriginOfTamperedPosition(target: String) async throws {
        try await withSevenArticles { api, server in
            let text =
                #"{"pageCount":1,"objectCount":3,"rule":"link header","path":"/articles","#
                + #""target":\#(target)}"#
            let position = try JSONDecoder().decode(PagePosition.self, from: Data(text.utf8))
            let error = await networkingError {
                try await ids(api, by: .linkHeader, from: position)
            }
            #expect(error?.code == .crossOrigin || error?.code == .invalidRequest)
            #expect(server.requests.isEmpty)
        }
    }

    @Test(arguments: [-1, 9_007_199_254_740_992, Int.max])
    func rejectsNumberOutOfRange(number: Int) async throws {
        try await withSevenArticles { api, server in
            let text =
                #"{"pageCount":1,"objectCount":3,"rule":"offset","path":"/articles","#
                + #""target":{"number":{"_0":\#(number)}}}"#
            let position = try JSONDecoder().decode(PagePosition.self, from: Data(text.utf8))
            let error = await networkingError { try await ids(api, by: .offset(), from: position) }
            #expect(error?.causes == ["a number in the position is out of range"])
            #expect(server.requests.isEmpty)
        }
    }

    @Test func countsPagesBeforePositionForLimit() async throws {
        try await withSevenArticles { api, _ in
            var rule = Pagination.offset()
            let data = try await saved(api, by: rule)
            let position = try JSONDecoder().decode(PagePosition.self, from: data)
            rule.maximumPageCount = 2
            let error = await networkingError { try await ids(api, by: rule, from: position) }
            #expect(error?.code == .endlessPagination)
        }
    }

    @Test func endsAtTotalOfResumedList() async throws {
        try await withList({ request in
            let start = ((request.number("page") ?? 1) - 1) * 3
            return .json(
                ListSlice(start: start, count: 3).clamped(to: 7).json,
                headers: [("X-Total-Count", "7")])
        }) { api, server in
            var rule = Pagination.pageNumber()
            rule.totalObjects = .headerField("X-Total-Count")
            let data = try await saved(api, by: rule)
            let position = try JSONDecoder().decode(PagePosition.self, from: data)
            #expect(try await ids(api, by: rule, from: position) == [[4, 5, 6], [7]])
            #expect(server.requests.count == 3)
        }
    }
}
