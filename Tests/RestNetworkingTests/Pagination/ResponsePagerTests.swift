// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestDocument
import RestMapping
import RestNetworking
import RestTesting
import RestTransport
import TestSupport
import Testing

/// Requests for the next page while the caller works on the current one.
@Suite struct ResponsePagerTests {
    /// A transport of pages with a number each, which can be held back.
    private final class HeldPages: Sendable {
        private let started: AsyncStream<Int>.Continuation
        let starts: AsyncStream<Int>
        private let ended: AsyncStream<Int>.Continuation
        /// The pages whose requests were canceled.
        let cancellations: AsyncStream<Int>
        let heldPages: Set<Int>

        init(holding pages: Set<Int> = []) {
            (starts, started) = AsyncStream.makeStream(of: Int.self)
            (cancellations, ended) = AsyncStream.makeStream(of: Int.self)
            heldPages = pages
        }

        func response(to request: TransportRequest) async throws -> TransportResponse {
            let page = Int(request.url.query?.split(separator: "=").last ?? "") ?? 0
            started.yield(page)
            if heldPages.contains(page) {
                do {
                    try await Task.sleep(for: .seconds(3600))
                } catch {
                    ended.yield(page)
                    throw error
                }
            }
            return .json(
                page > 3 ? "[]" : #"[{"id": \#(page), "title": "t"}]"#, to: request)
        }
    }

    private func pages(_ held: HeldPages) throws -> Pages<Article> {
        try pages(StubTransport { try await held.response(to: $0) })
    }

    private func pages(_ transport: StubTransport) throws -> Pages<Article> {
        let api = ObjectManager(
            client: try HTTPClient(baseURL: "http://base/", transport: transport))
        var pages = api.pages(of: Article.self, at: "articles", by: .pageNumber())
        pages.prefetchesNextPage = true
        return pages
    }

    @Test func requestsNextPageDuringWorkOnCurrentOne() async throws {
        let held = HeldPages()
        var starts = held.starts.makeAsyncIterator()
        let transport = StubTransport { try await held.response(to: $0) }
        var iterator = try pages(transport).makeAsyncIterator()
        #expect(transport.requests.isEmpty)
        let first = try await iterator.next()
        #expect(first?.objects.map(\.id) == [1])
        // No further call of the iterator is needed for the second request.
        let requested = await [starts.next(), starts.next()]
        #expect(requested == [1, 2])
    }

    @Test func requestsAtMostOnePageAhead() async throws {
        let held = HeldPages()
        var count = 0
        let transport = StubTransport { try await held.response(to: $0) }
        for try await page in try pages(transport) {
            count += 1
            #expect(page.objects.map(\.id) == [count])
            #expect(transport.requests.count <= count + 1)
        }
        #expect(count == 3)
        #expect(transport.requests.map(\.url.query) == [1, 2, 3, 4].map { "page=\($0)" })
    }

    @Test func cancelsPrefetchWithItsIterator() async throws {
        let held = HeldPages(holding: [2])
        var starts = held.starts.makeAsyncIterator()
        var cancellations = held.cancellations.makeAsyncIterator()
        for try await page in try pages(held) {
            #expect(page.index == 0)
            // A request that is cancelled before it starts never reaches the transport.
            _ = await starts.next()
            _ = await starts.next()
            break
        }
        let canceled = await cancellations.next()
        #expect(canceled == 2)
    }

    @Test func cancelsPrefetchWithTaskThatAwaitsIt() async throws {
        let held = HeldPages(holding: [2])
        let pages = try pages(held)
        let task = Task {
            var count = 0
            for try await _ in pages { count += 1 }
            return count
        }
        var starts = held.starts.makeAsyncIterator()
        _ = await starts.next()
        _ = await starts.next()
        task.cancel()
        var cancellations = held.cancellations.makeAsyncIterator()
        let canceled = await cancellations.next()
        #expect(canceled == 2)
        await #expect(throws: (any Error).self) { try await task.value }
    }

    @Test func throwsErrorOfPrefetchAtItsPage() async throws {
        let transport = StubTransport { request in
            request.url.query == "page=2"
                ? .json("{}", status: .internalServerError, to: request)
                : .json(#"[{"id": 1, "title": "t"}]"#, to: request)
        }
        var iterator = try pages(transport).makeAsyncIterator()
        let first = try await iterator.next()
        #expect(first?.objects.count == 1)
        let error = await networkingError { try await iterator.next() }
        #expect(error?.status == 500)
        let end = try await iterator.next()
        #expect(end == nil)
        #expect(transport.requests.count == 2)
    }
}
