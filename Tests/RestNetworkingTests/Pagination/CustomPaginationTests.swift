// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import RestDocument
import RestMapping
import RestNetworking
import RestTesting
import TestSupport
import Testing

/// Lists whose next page a rule of the caller finds.
@Suite(.tags(.socket)) struct CustomPaginationTests {
    /// A page of three of the numbers from 1 to 7 that are greater than one in the query or the body.
    private static func answer(_ request: LoopbackRequest) -> LoopbackResponse {
        let body = String(decoding: request.body, as: UTF8.self)
        let inBody = body.firstMatch(of: /"after":"(\d+)"/).flatMap { Int($0.1) }
        let since = request.number("since") ?? inBody ?? 0
        let numbers = Array((since + 1)...9).filter { $0 <= 7 }.prefix(3)
        let last = numbers.last.map(String.init) ?? "null"
        return .json(
            #"{"data": [\#(numbers.map(String.init).joined(separator: ","))], "last": \#(last)}"#,
            headers: [("X-Next", "/list?since=\(last)&size=3")])
    }

    private static let since = Pagination.custom(named: "since", first: ["since": "0"]) { page in
        guard let last = page.response.document?.root["last"]?.int64, page.objectCount == 3 else {
            return nil
        }
        #expect(page.totalObjectCount == Int(last) && page.pageCount * 3 == Int(last))
        return .parameters(["since": String(last)])
    }

    private func walk(
        _ pagination: Pagination, start: PagePosition? = nil,
        _ request: ObjectRequest<[Int]> = ObjectRequest(
            at: "list", parameters: ["q": "a"], keyPath: "data")
    ) async throws -> (values: [[Int]], sent: [String], positions: [PagePosition]) {
        try await withList({ Self.answer($0) }) { api, server in
            try api.setRequestFormat(.json)
            var pages = api.pages(of: request, by: pagination)
            pages.start = start
            var values: [[Int]] = []
            var positions: [PagePosition] = []
            for try await page in pages {
                values.append(page.objects)
                if let position = page.nextPosition { positions.append(position) }
            }
            let sent = server.requests.map { $0.target + String(decoding: $0.body, as: UTF8.self) }
            return (values, sent, positions)
        }
    }

    @Test func ruleNamesParametersOfNextPage() async throws {
        let (values, sent, positions) = try await walk(Self.since)
        #expect(values == [[1, 2, 3], [4, 5, 6], [7]])
        #expect(sent == ["0", "3", "6"].map { "/list?q=a&since=\($0)" })
        #expect(positions.count == 2)
        let stored = try JSONEncoder().encode(positions[1])
        let position = try JSONDecoder().decode(PagePosition.self, from: stored)
        let resumed = try await walk(
            .custom(named: "since") { _ in nil }, start: position)
        #expect(resumed.values == [[7]] && resumed.sent == ["/list?q=a&since=6"])
        let error = await #expect(throws: NetworkingError.self) {
            try await walk(.custom(named: "other") { _ in nil }, start: position)
        }
        #expect(error?.code == .invalidRequest)
    }

    @Test func ruleNamesURLOfNextPage() async throws {
        let name = try #require(HTTPField.Name("X-Next"))
        let links = Pagination.custom(named: "next", headerFields: ["X-Next"], ends: .emptyPage) {
            $0.response.head.headerFields[name].map { .url($0) }
        }
        let (values, sent, _) = try await walk(links)
        #expect(values == [[1, 2, 3], [4, 5, 6], [7], []])
        #expect(Array(sent.dropFirst()) == ["3", "6", "7"].map { "/list?since=\($0)&size=3" })
        let foreign = Pagination.custom(named: "next") { _ in .url("https://other.example/list") }
        let error = await #expect(throws: NetworkingError.self) { try await walk(foreign) }
        #expect(error?.code == .crossOrigin)
    }

    @Test func parametersOfRuleAreInBody() async throws {
        var bodies = Pagination.custom(named: "after") { page in
            guard page.objectCount == 3 else { return nil }
            return .parameters(["variables.after": String(page.totalObjectCount)])
        }
        bodies.placement = .body
        let request = ObjectRequest<[Int]>(
            .post, at: "list", parameters: ["variables": ["q": "a"]], keyPath: "data")
        let (values, sent, _) = try await walk(bodies, request)
        #expect(values == [[1, 2, 3], [4, 5, 6], [7]])
        #expect(sent[0] == #"/list{"variables":{"q":"a"}}"#)
        #expect(sent[2] == #"/list{"variables":{"q":"a","after":"6"}}"#)
    }

    @Test func errorOfRuleFollowsItsPage() async throws {
        let failing = Pagination.custom(named: "failing") { _ in
            throw CocoaError(.fileReadUnknown)
        }
        try await withList({ Self.answer($0) }) { api, server in
            var iterator = api.pages(of: Int.self, at: "list", keyPath: "data", by: failing)
                .makeAsyncIterator()
            let first = try await iterator.next()
            #expect(first?.objects == [1, 2, 3])
            let error = await #expect(throws: NetworkingError.self) {
                _ = try await iterator.next()
            }
            #expect(error?.code == .mappingFailed && error?.stage == .pagination)
            #expect(error?.underlying is CocoaError)
            #expect(server.requests.count == 1)
        }
    }

    @Test func repeatedRequestOfRuleIsError() async throws {
        let endless = Pagination.custom(named: "endless") { _ in .parameters(["since": "3"]) }
        let error = await #expect(throws: NetworkingError.self) { try await walk(endless) }
        #expect(error?.code == .endlessPagination)
    }

    @Test(arguments: ["", "a b"]) func invalidRuleIsError(_ name: String) async throws {
        let invalid = Pagination.custom(
            named: name.isEmpty ? "" : "named", headerFields: name.isEmpty ? [] : [name]
        ) { _ in nil }
        let error = await #expect(throws: NetworkingError.self) { try await walk(invalid) }
        #expect(error?.code == .invalidConfiguration)
    }
}
