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

/// Lists whose position is in the body of a request.
@Suite(.tags(.socket)) struct PlacementTests {
    /// Returns the ids of seven articles by three, and the received bodies.
    private func walk(
        _ pagination: Pagination, cursor: String = #""c\(end)""#, format: MediaType = .json,
        start: PagePosition? = nil,
        _ request: ObjectRequest<[Article]> = ObjectRequest(
            .post, at: "graphql", parameters: ["query": "{…}", "variables": ["tag": "swift"]],
            keyPath: "data")
    ) async throws -> (ids: [[Int]], bodies: [String], positions: [PagePosition]) {
        let served = Served(cursor: cursor, count: start?.pageCount ?? 0)
        return try await withList({ await served.respond(to: $0) }) { api, server in
            try api.setRequestFormat(format)
            var pages = api.pages(of: request, by: pagination)
            pages.start = start
            var ids: [[Int]] = []
            var positions: [PagePosition] = []
            for try await page in pages {
                ids.append(page.objects.map(\.id))
                if let position = page.nextPosition { positions.append(position) }
            }
            #expect(server.requests.allSatisfy { $0.method == "POST" && $0.target == "/graphql" })
            return (
                ids, server.requests.map { String(decoding: $0.body, as: UTF8.self) }, positions
            )
        }
    }

    /// A server of three pages; the cursor of a page is text with its number.
    private actor Served {
        private let cursor: String
        private var count: Int

        init(cursor: String, count: Int = 0) {
            self.cursor = cursor
            self.count = count
        }

        func respond(to request: LoopbackRequest) -> LoopbackResponse {
            let slice = ListSlice(start: count * 3, count: 3).clamped(to: 7)
            count += 1
            let next =
                slice.end < 7 ? cursor.replacing(#"\(end)"#, with: "\(slice.end)") : "null"
            return .json(
                #"{"data": \#(slice.json), "end": \#(next), "more": \#(slice.end < 7), "total": 7}"#
            )
        }
    }

    private var inBody: Pagination {
        var pagination = Pagination.cursor(
            at: .body("end"), parameter: "variables.after", size: 3,
            sizeParameter: "variables.first")
        pagination.placement = .body
        return pagination
    }

    @Test func mergesCursorIntoBody() async throws {
        var pagination = inBody
        pagination.hasMore = .body("more")
        let walked = try await walk(pagination, cursor: #""c\(end)""#)
        #expect(walked.ids == [[1, 2, 3], [4, 5, 6], [7]])
        #expect(
            walked.bodies == [
                #"{"query":"{…}","variables":{"tag":"swift","first":3}}"#,
                #"{"query":"{…}","variables":{"tag":"swift","after":"c3","first":3}}"#,
                #"{"query":"{…}","variables":{"tag":"swift","after":"c6","first":3}}"#,
            ])
    }

    @Test(arguments: [
        ("\\(end)", "3"), ("[\\(end),\"a\"]", #"[3,"a"]"#), (#"{"i":\(end)}"#, #"{"i":3}"#),
    ])
    func keepsKindOfCursor(cursor: String, sent: String) async throws {
        var pagination = Pagination.cursor(at: .body("end"), parameter: "search_after")
        pagination.placement = .body
        let walked = try await walk(
            pagination, cursor: cursor,
            ObjectRequest(.post, at: "graphql", keyPath: "data"))
        #expect(walked.ids.count == 3)
        #expect(walked.bodies[0].isEmpty || walked.bodies[0] == "{}")
        #expect(walked.bodies[1] == #"{"search_after":\#(sent)}"#)
    }

    @Test func writesNumbersAndOffsetsInRequestFormat() async throws {
        var numbers = Pagination.pageNumber(parameter: "page.number", size: 3)
        numbers.placement = .body
        numbers.totalObjects = .body("total")
        let walked = try await walk(numbers, format: .formURLEncoded)
        #expect(walked.ids == [[1, 2, 3], [4, 5, 6], [7]])
        #expect(
            walked.bodies
                == (1...3).map {
                    "page[number]=\($0)&per_page=3&query=%7B%E2%80%A6%7D&variables[tag]=swift"
                })
        var offsets = Pagination.offset(parameter: "from", size: 3, sizeParameter: "size")
        offsets.placement = .body
        offsets.totalObjects = .body("total")
        let object = ObjectRequest<[Article]>(
            .post, at: "graphql", object: RequestObject(Author(name: "Ann")), keyPath: "data")
        let found = try await walk(offsets, object)
        #expect(found.ids == [[1, 2, 3], [4, 5, 6], [7]])
        #expect(found.bodies == [0, 3, 6].map { #"{"name":"Ann","from":\#($0),"size":3}"# })
    }

    @Test func resumesFromSavedPosition() async throws {
        let positions = try await walk(inBody).positions
        #expect(positions.map(\.pageCount) == [1, 2])
        let saved = try JSONEncoder().encode(positions[1])
        let position = try JSONDecoder().decode(PagePosition.self, from: saved)
        let resumed = try await walk(inBody, start: position)
        #expect(resumed.bodies.first?.contains(#""after":"c6""#) == true)
    }

    @Test(.threat("T25")) func detectsRepeatedCursor() async throws {
        let error = await networkingError { try await walk(inBody, cursor: #""same""#) }
        #expect(error?.code == .endlessPagination)
    }

    @Test func rejectsContainerAsCursorOfQuery() async throws {
        try await withList({ _ in .json(#"{"end": [1], "id": 1, "title": "t"}"#) }) { api, _ in
            let error = await networkingError { try await ids(api, by: .cursor(at: .body("end"))) }
            #expect(error?.code == .mappingFailed)
            #expect(error?.path == "end")
        }
    }

    @Test func requiresRequestWithMembers() async throws {
        let list = ObjectRequest<[Article]>(
            .post, at: "graphql", object: RequestObject([Author(name: "Ann")]), keyPath: "data")
        let get = ObjectRequest<[Article]>(.get, at: "graphql", parameters: ["q": 1])
        var form = ObjectRequest<[Article]>(.post, at: "graphql", parameters: ["q": 1])
        form.form = { try $0.addField("v", named: "n") }
        for request in [list, get, form] {
            let error = await networkingError { try await walk(inBody, request) }
            #expect(error?.code == .invalidRequest)
            #expect(error?.stage == .pagination)
        }
        for name in ["", "a[0]", "a["] {
            var pagination = Pagination.cursor(at: .body("end"), parameter: name)
            pagination.placement = .body
            let error = await networkingError { try await walk(pagination) }
            #expect(error?.code == .invalidConfiguration)
        }
        var links = Pagination.linkHeader
        links.placement = .body
        let error = await networkingError { try await walk(links) }
        #expect(error?.code == .invalidConfiguration)
    }
}
