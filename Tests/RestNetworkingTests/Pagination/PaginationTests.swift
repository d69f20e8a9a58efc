// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import RestNetworking
import RestTesting
import TestSupport
import Testing

/// The rules of lists, each against a server that divides seven articles by it.
@Suite(.tags(.socket)) struct PaginationTests {
    private static let seven = [[1, 2, 3], [4, 5, 6], [7]]

    // MARK: Next URL in the body

    @Test(arguments: ["null", #""""#, "false", "absent"])
    func followsNextURLInBody(end: String) async throws {
        try await withList({ request in
            let slice = ListSlice(start: request.number("from") ?? 0, count: 3).clamped(to: 7)
            let next = slice.end < 7 ? #""?from=\#(slice.end)&k=1""# : end
            let links = next == "absent" ? "{}" : #"{"next": \#(next)}"#
            return .json(#"{"links": \#(links), "data": \#(slice.json)}"#)
        }) { api, server in
            try api.add(ResponseDescriptor(Article.self, at: "articles", keyPath: "data"))
            #expect(try await ids(api, by: .nextURL(at: .body("links.next"))) == Self.seven)
            #expect(
                server.requests.map(\.target)
                    == ["/articles", "/articles?from=3&k=1", "/articles?from=6&k=1"])
        }
    }

    @Test func followsNextLinkOfOData() async throws {
        try await withList({ request in
            let slice = ListSlice(start: request.number("from") ?? 0, count: 3).clamped(to: 7)
            let next = slice.end < 7 ? #""@odata.nextLink": "?from=\#(slice.end)", "# : ""
            return .json(#"{\#(next)"value": \#(slice.json)}"#)
        }) { api, _ in
            try api.add(ResponseDescriptor(Article.self, at: "articles", keyPath: "value"))
            let received = try await ids(api, by: .nextURL(at: .body("@odata.nextLink")))
            #expect(received == Self.seven)
        }
    }

    @Test func followsNextURLInHeaderField() async throws {
        try await withList({ request in
            let slice = ListSlice(start: request.number("from") ?? 0, count: 3).clamped(to: 7)
            let next = slice.end < 7 ? "/articles?from=\(slice.end)" : ""
            return .json(slice.json, headers: [("X-Next", next)])
        }) { api, _ in
            let received = try await ids(api, by: .nextURL(at: .headerField("x-next")))
            #expect(received == Self.seven)
        }
    }

    @Test(
        .threat("T25", "T22"),
        arguments: [
            "http://evil.example/", "//evil.example/x", "http://169.254.169.254/latest/meta-data",
            "http://[::1]/", "https://127.0.0.1/", "http://u:p@127.0.0.1/", "file:///etc/passwd",
        ])
    func rejectsNextURLOfAnotherOrigin(url: String) async throws {
        try await withList({ _ in
            .json(#"{"next": "\#(url)", "id": 1, "title": "t"}"#)
        }) { api, server in
            let error = await networkingError {
                try await ids(api, by: .nextURL(at: .body("next")))
            }
            #expect(error?.code == .crossOrigin)
            #expect(server.requests.count == 1)
        }
    }

    // MARK: Cursor

    @Test(arguments: [#""c 3/é""#, "12"])
    func sendsCursorOfBodyWithNextRequest(cursor: String) async throws {
        try await withList({ request in
            let isFirst = request.parameter("after") == nil
            return .json(
                #"{"meta": {"next": \#(isFirst ? cursor : "null")}, "id": 1, "title": "t"}"#)
        }) { api, server in
            let pagination = Pagination.cursor(
                at: .body("meta.next"), parameter: "after", size: 50)
            let received = try await ids(api, parameters: ["q": "x"], by: pagination)
            #expect(received.count == 2)
            let sent = cursor == "12" ? "12" : "c%203%2F%C3%A9"
            #expect(
                server.requests.map(\.query) == ["q=x&limit=50", "q=x&after=\(sent)&limit=50"])
        }
    }

    @Test func sendsCursorOfHeaderField() async throws {
        try await withList({ request in
            let slice = ListSlice(start: request.number("cursor") ?? 0, count: 3).clamped(to: 7)
            return .json(
                slice.json, headers: slice.end < 7 ? [("X-Next-Cursor", "\(slice.end)")] : [])
        }) { api, _ in
            let received = try await ids(api, by: .cursor(at: .headerField("X-Next-Cursor")))
            #expect(received == Self.seven)
        }
    }

    @Test func continuesAfterLastObjectWhileMoreFollow() async throws {
        try await withList({ request in
            let start = request.number("starting_after") ?? 0
            let slice = ListSlice(start: start, count: 3).clamped(to: 7)
            return .json(#"{"has_more": \#(slice.end < 7), "data": \#(slice.json)}"#)
        }) { api, server in
            try api.add(ResponseDescriptor(Article.self, at: "articles", keyPath: "data"))
            var pagination = Pagination.cursor(
                at: .lastObject("id"), parameter: "starting_after")
            pagination.hasMore = .body("has_more")
            #expect(try await ids(api, by: pagination) == Self.seven)
            #expect(server.requests.count == 3)
        }
    }

    @Test(arguments: ["0", #""false""#, "null", #""""#, "[]"])
    func endsWithoutMore(value: String) async throws {
        try await withList({ _ in
            .json(#"{"more": \#(value), "id": 1, "title": "t", "next": "c"}"#)
        }) { api, server in
            var pagination = Pagination.cursor(at: .body("next"))
            pagination.hasMore = .body("more")
            let received = try await ids(api, by: pagination)
            #expect(received == [[1]])
            #expect(server.requests.count == 1)
        }
    }

    @Test(arguments: ["[1]", "{}", "true"])
    func namesPathOfUnusableCursor(value: String) async throws {
        try await withList({ _ in
            .json(#"{"meta": {"next": \#(value)}, "id": 1, "title": "t"}"#)
        }) { api, _ in
            var iterator = api.pages(
                of: Article.self, at: "articles", by: .cursor(at: .body("meta.next"))
            ).makeAsyncIterator()
            let page = try await iterator.next()
            #expect(page?.objects.map(\.id) == [1])
            #expect(page?.nextPosition == nil)
            let error = await networkingError { try await iterator.next() }
            #expect(error?.code == .mappingFailed)
            #expect(error?.stage == .pagination)
            #expect(error?.path == "meta.next")
        }
    }

    // MARK: Offset and page number

    @Test func countsOffsetByReceivedObjects() async throws {
        try await withList({ request in
            // The server sends at most three objects, whatever the limit is.
            .json(ListSlice(start: request.number("offset") ?? 0, count: 3).clamped(to: 7).json)
        }) { api, server in
            let received = try await ids(api, by: .offset(size: 100))
            #expect(received == Self.seven)
            #expect(
                server.requests.map(\.query)
                    == [0, 3, 6, 7].map { "offset=\($0)&limit=100" })
        }
    }

    @Test(arguments: [true, false])
    func endsAtTotalOfHeaderOrBody(isInHeader: Bool) async throws {
        try await withList({ request in
            let slice = ListSlice(start: request.number("skip") ?? 0, count: 3).clamped(to: 7)
            return isInHeader
                ? .json(slice.json, headers: [("X-Total-Count", "7")])
                : .json(#"{"meta": {"total": "7"}, "data": \#(slice.json)}"#)
        }) { api, server in
            if !isInHeader {
                try api.add(ResponseDescriptor(Article.self, at: "articles", keyPath: "data"))
            }
            var pagination = Pagination.offset(parameter: "skip", size: 3)
            pagination.totalObjects =
                isInHeader ? .headerField("X-Total-Count") : .body("meta.total")
            var totals: [Int?] = []
            for try await page in api.pages(of: Article.self, at: "articles", by: pagination) {
                totals.append(page.totalObjects)
                #expect(page.index == totals.count - 1)
            }
            #expect(totals == [7, 7, 7])
            #expect(server.requests.count == 3)
        }
    }

    @Test func endsAtTotalOfPages() async throws {
        try await withList({ request in
            let slice = ListSlice(start: (request.number("page") ?? 0) * 3, count: 3).clamped(to: 7)
            return .json(#"{"pages": 3, "data": \#(slice.json)}"#)
        }) { api, server in
            try api.add(ResponseDescriptor(Article.self, at: "articles", keyPath: "data"))
            var pagination = Pagination.pageNumber(first: 0)
            pagination.totalPages = .body("pages")
            var pages: [Int?] = []
            for try await page in api.pages(of: Article.self, at: "articles", by: pagination) {
                pages.append(page.totalPages)
            }
            #expect(pages == [3, 3, 3])
            #expect(server.requests.map(\.query) == ["page=0", "page=1", "page=2"])
        }
    }

    @Test(arguments: ["x", "-1", "1.5", ""])
    func ignoresTotalThatIsNoCount(total: String) async throws {
        try await withList({ request in
            let slice = ListSlice(start: request.number("offset") ?? 0, count: 3).clamped(to: 7)
            return .json(slice.json, headers: [("X-Total-Count", total)])
        }) { api, _ in
            var pagination = Pagination.offset()
            pagination.totalObjects = .headerField("X-Total-Count")
            let received = try await ids(api, by: pagination)
            #expect(received == Self.seven)
        }
    }

    // MARK: Ends

    @Test(arguments: [Pagination.Ends.notFound, .emptyPage])
    func endsAtNotFoundIfConfigured(ends: Pagination.Ends) async throws {
        try await withList({ request in
            let page = request.number("page") ?? 1
            return page > 2
                ? .json(#"{"error": "none"}"#, status: 404)
                : .json(ListSlice(start: page * 2, count: 2).json)
        }) { api, server in
            let walk = { try await ids(api, by: .pageNumber(ends: ends)) }
            if ends == .notFound {
                let received = try await walk()
                #expect(received.count == 2)
            } else {
                let error = await networkingError { try await walk() }
                #expect(error?.status == 404)
            }
            #expect(server.requests.count == 3)
        }
    }

    @Test func throwsIfFirstPageIsNotFound() async throws {
        try await withList({ _ in .json("{}", status: 404) }) { api, _ in
            let error = await networkingError {
                try await ids(api, by: .pageNumber(ends: [.notFound, .emptyPage]))
            }
            #expect(error?.status == 404)
        }
    }

    @Test func followsCursorOfEmptyPage() async throws {
        try await withList({ request in
            let cursor = request.number("cursor") ?? 0
            let slice = cursor == 1 ? "[]" : ListSlice(start: cursor, count: 1).json
            return .json(
                slice, headers: cursor < 2 ? [("Next", "\(cursor + 1)")] : [])
        }) { api, _ in
            var pagination = Pagination.cursor(at: .headerField("Next"))
            let all = try await ids(api, by: pagination)
            #expect(all == [[1], [], [3]])
            pagination.ends = .emptyPage
            let received = try await ids(api, by: pagination)
            #expect(received == [[1], []])
        }
    }

    // MARK: Repetition

    @Test(.threat("T25"), arguments: [1, 2, 5])
    func throwsWhenCursorsRepeat(length: Int) async throws {
        try await withList({ request in
            let cursor = request.number("cursor") ?? 0
            return .json(
                #"{"next": "\#(cursor % length + 1)", "id": \#(cursor), "title": "t"}"#)
        }) { api, server in
            let error = await networkingError {
                try await ids(api, by: .cursor(at: .body("next")))
            }
            #expect(error?.code == .endlessPagination)
            #expect(server.requests.count == length + 1)
        }
    }

    @Test(.threat("T25")) func limitsPagesOfDecreasingCursor() async throws {
        try await withList({ request in
            let cursor = request.number("cursor") ?? 0
            return .json(#"{"next": \#(cursor - 1), "id": 1, "title": "t"}"#)
        }) { api, server in
            var pagination = Pagination.cursor(at: .body("next"))
            pagination.maximumPageCount = 20
            let error = await networkingError { try await ids(api, by: pagination) }
            #expect(error?.code == .endlessPagination)
            #expect(error?.causes == ["more than 20 pages"])
            #expect(server.requests.count == 20)
        }
    }

    // MARK: Configuration

    @Test(arguments: [
        (Pagination.pageNumber(size: 0), "the size of a page is less than 1 or too large"),
        (.offset(size: .max), "the size of a page is less than 1 or too large"),
        (.offset(parameter: ""), "the parameter for the number has no name"),
        (.cursor(at: .body("a"), parameter: ""), "the parameter for the cursor has no name"),
        (.cursor(at: .headerField("a b")), "\"a b\" is not the name of a header field"),
        (.nextURL(at: .headerField("")), "\"\" is not the name of a header field"),
        (.pageNumber(ends: .shortPage), "a short page is recognized by its size; pass one"),
        (.pageNumber(first: -1), "the first number is not from 0 to 9007199254740991"),
    ])
    func rejectsInvalidPagination(pagination: Pagination, cause: String) async throws {
        try await withList({ _ in .json("[]") }) { api, server in
            let error = await networkingError { try await ids(api, by: pagination) }
            #expect(error?.code == .invalidConfiguration)
            #expect(error?.causes == [cause])
            #expect(server.requests.isEmpty)
        }
    }

    @Test func replacesParametersOfSameNameInPath() async throws {
        try await withList({ _ in .json("[]") }) { api, server in
            let pages = api.pages(
                of: Article.self, at: "articles?page%5Bnumber%5D=9&sort=a%2Bb&page%5Bsize%5D=1",
                by: .pageNumber(
                    parameter: "page[number]", size: 20, sizeParameter: "page[size]"))
            for try await _ in pages {}
            #expect(
                server.requests.map(\.query)
                    == ["sort=a%2Bb&page%5Bnumber%5D=1&page%5Bsize%5D=20"])
        }
    }
}
