// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestDocument
import RestMapping
import RestNetworking
import RestTesting
import RestTransport
import TestSupport
import Testing

/// Navigation, cancellation and observation of a paginator.
@Suite(.tags(.parity, .socket)) struct PaginatorNavigationTests {
    // MARK: Navigation

    @Test(.parity("N336", "N337")) func loadsNextAndPreviousPage() async throws {
        try await PaginateServer.run { api, _ in
            let paginator = try api.people()
            try await paginator.loadPage(1)
            try await paginator.loadNextPage()
            #expect(paginator.currentPage == 2)
            #expect(paginator.result?.map(\.name) == ["Asia", "Roy", "Lola"])
            try await paginator.loadPreviousPage()
            #expect(paginator.currentPage == 1)
            #expect(paginator.result?.map(\.name) == ["Blake", "Sarah", "Colin"])
        }
    }

    @Test(
        .parity("N338", "N342"),
        arguments: [(1, true, false), (2, true, true), (3, false, true)])
    func hasNeighborsWithinPageCount(page: Int, hasNext: Bool, hasPrevious: Bool) async throws {
        try await PaginateServer.run(
            mapping: PaginateServer.pageCountMapping,
            { _ in .json(#"{"per_page": 3, "total_pages": 3, "entries": [{"name": "Ann"}]}"#) }
        ) { api, _ in
            let paginator = try api.people()
            try await paginator.loadPage(page)
            #expect(paginator.pageCount == 3)
            #expect(try paginator.hasNextPage == hasNext)
            #expect(try paginator.hasPreviousPage == hasPrevious)
        }
    }

    @Test(.parity("N339", "N341")) func refusesNeighborsBeforeLoading() throws {
        let paginator = try manager(at: "http://restkit.org").people()
        let next = #expect(throws: NetworkingError.self) { try paginator.hasNextPage }
        #expect(next?.code == .pageUnavailable)
        #expect(next?.causes.first?.hasSuffix("needs a loaded page; load a page first") == true)
        let previous = #expect(throws: NetworkingError.self) { try paginator.hasPreviousPage }
        #expect(previous?.code == .pageUnavailable)
    }

    @Test(.parity("N340")) func refusesNextPageWithoutPageCount() async throws {
        try await PaginateServer.run(mapping: PaginateServer.emptyMapping) { api, _ in
            let paginator = try api.people()
            try await paginator.loadPage(1)
            #expect(paginator.isLoaded)
            let error = #expect(throws: NetworkingError.self) { try paginator.hasNextPage }
            #expect(error?.code == .pageUnavailable)
            #expect(error?.causes.first?.contains("number of pages") == true)
            #expect(try !paginator.hasPreviousPage)
        }
    }

    @Test(.parity("N343")) func offsetFollowsPageOfFailedLoad() async throws {
        try await PaginateServer.run { api, server in
            let paginator = try api.people("/paginate?limit=:perPage&offset=:offset")
            let first = await networkingError { try await paginator.loadPage(1) }
            #expect(first?.status == 404)
            #expect(paginator.offset == 0)
            let second = await networkingError { try await paginator.loadNextPage() }
            #expect(second?.status == 404)
            #expect(paginator.offset == 25)
            #expect(server.requests.map(\.query) == ["limit=25&offset=0", "limit=25&offset=25"])
        }
    }

    @Test func offsetOfRequestIgnoresOffsetOfResponse() async throws {
        try await PaginateServer.run({ request in
            .json(
                """
                {"per_page": 10, "total_entries": 100, "offset": \(request.number("offset") ?? 0),
                 "entries": [{"name": "Ann"}]}
                """)
        }) { api, server in
            let paginator = try api.people("/paginate?offset=:offset")
            for page in 1...3 {
                try await paginator.loadPage(page)
                #expect(paginator.offset == [0, 10, 20][page - 1])
            }
            #expect(server.requests.map { $0.number("offset") } == [0, 10, 20])
        }
    }

    @Test func refusesPagesThatAreNotThere() async throws {
        try await PaginateServer.run { api, server in
            let paginator = try api.people()
            let next = await networkingError { try await paginator.loadNextPage() }
            #expect(next?.code == .pageUnavailable)
            let previous = await networkingError { try await paginator.loadPreviousPage() }
            #expect(previous?.code == .pageUnavailable)
            let zero = await networkingError { try await paginator.loadPage(0) }
            #expect(zero?.code == .pageUnavailable)
            try await paginator.loadPage(1)
            let before = await networkingError { try await paginator.loadPreviousPage() }
            #expect(before?.code == .pageUnavailable)
            #expect(server.requests.count == 1)
            #expect(paginator.isLoaded)
            #expect(paginator.currentPage == 1)
        }
    }

    @Test(.parity("N344")) @MainActor func refusesSecondLoadDuringFirst() async throws {
        try await withHeldFirstPage { api, server, gate in
            try await refuseSecondLoad(api, server, gate)
        }
    }

    @MainActor private func refuseSecondLoad(
        _ api: ObjectManager, _ server: LoopbackServer, _ gate: Gate
    ) async throws {
        let paginator = try api.people()
        let first = Task { try await paginator.loadPage(1).map(\.name) }
        while !paginator.isLoading { await Task.yield() }
        let error = await networkingError { try await paginator.loadPage(2) }
        #expect(error?.code == .loadInProgress)
        gate.open()
        #expect(try await first.value == ["Blake", "Sarah", "Colin"])
        #expect(paginator.currentPage == 1)
        #expect(server.requests.count == 1)
    }

    // MARK: Cancellation

    @Test @MainActor func cancelEndsLoadAndAllowsAnother() async throws {
        try await withHeldFirstPage { api, _, _ in try await cancelFirstLoad(api) }
    }

    @MainActor private func cancelFirstLoad(_ api: ObjectManager) async throws {
        let paginator = try api.people()
        var failures = 0
        paginator.onLoad = { if case .failure = $0 { failures += 1 } }
        let first = Task { try await paginator.loadPage(1).count }
        while !paginator.isLoading { await Task.yield() }
        paginator.cancel()
        #expect(!paginator.isLoading)
        #expect(paginator.error is CancellationError)
        #expect(failures == 1)
        try await paginator.loadPage(2)
        await #expect(throws: CancellationError.self) { try await first.value }
        #expect(paginator.result?.first?.name == "Asia")
        #expect(paginator.error == nil)
        #expect(failures == 1)
    }

    @Test @MainActor func cancelingTaskEndsItsLoad() async throws {
        try await withHeldFirstPage { api, _, _ in try await cancelTask(api) }
    }

    @MainActor private func cancelTask(_ api: ObjectManager) async throws {
        let paginator = try api.people()
        let load = Task { try await paginator.loadPage(1).count }
        while !paginator.isLoading { await Task.yield() }
        load.cancel()
        await #expect(throws: CancellationError.self) { try await load.value }
        #expect(paginator.error is CancellationError)
        #expect(!paginator.isLoading)
    }

    /// Runs a server that holds the first page back until the gate or the test ends.
    private func withHeldFirstPage(
        _ work: (ObjectManager, LoopbackServer, Gate) async throws -> Void
    ) async throws {
        let gate = Gate()
        try await PaginateServer.run({ request in
            if request.number("page") == 1 { await gate.pass() }
            return PaginateServer.response(to: request)
        }) { api, server in
            defer { gate.open() }
            try await work(api, server, gate)
        }
    }

    // MARK: Observation

    @Test(.parity("N345")) func observerReceivesMappedState() async throws {
        try await PaginateServer.run { api, _ in
            let paginator = try api.people()
            var sizes: [[Int]] = []
            paginator.onStateChange = { old, new in
                if old.perPage != new.perPage { sizes.append([old.perPage, new.perPage]) }
            }
            try await paginator.loadPage(1)
            paginator.perPage = 10
            #expect(sizes == [[25, 3], [3, 10]])
        }
    }

    @Test(.parity("N346")) func keepsExtraParametersOnEveryPage() async throws {
        try await PaginateServer.run { api, server in
            let paginator = try api.paginator(
                of: Author.self, pathPattern: "/paginate?page=:currentPage",
                parameters: ["param1": "value1"])
            #expect(try paginator.path == "/paginate?page=1&param1=value1")
            try await paginator.loadPage(1)
            try await paginator.loadNextPage()
            #expect(try paginator.path == "/paginate?page=2&param1=value1")
            #expect(
                server.requests.map(\.query) == ["page=1&param1=value1", "page=2&param1=value1"])
        }
    }

    @Test(.parity("N347", "N348")) func lastLoadIsNewForEachLoad() async throws {
        try await PaginateServer.run { api, server in
            let paginator = try api.people()
            try await paginator.loadPage(1)
            let first = try #require(paginator.lastLoad)
            #expect(first.page == 1)
            #expect(first.head?.status == .ok)
            #expect(first.url.text == server.baseURL + "paginate?per_page=25&page=1")
            try await paginator.loadPage(1)
            let second = try #require(paginator.lastLoad)
            #expect(first.number != second.number)
            #expect(second.url.text == server.baseURL + "paginate?per_page=3&page=1")
            #expect(first.url != second.url)
        }
    }

    @Test(.parity("N349"), arguments: [1, 3]) func setsStateBeforeCallback(page: Int) async throws {
        try await PaginateServer.run { api, _ in
            let paginator = try api.people()
            var calls = 0
            paginator.onLoad = { [unowned paginator] outcome in
                calls += 1
                #expect(!paginator.isLoading)
                switch outcome {
                case .success(let objects):
                    #expect(paginator.isLoaded)
                    #expect(paginator.result == objects)
                    #expect(paginator.error == nil)
                    #expect(paginator.perPage == 3)
                case .failure(let error):
                    #expect(!paginator.isLoaded)
                    #expect(paginator.result == nil)
                    #expect(paginator.error as? NetworkingError != nil)
                    #expect((error as? NetworkingError)?.status == 422)
                }
            }
            _ = try? await paginator.loadPage(page)
            #expect(calls == 1)
            #expect(paginator.isLoaded == (page == 1))
        }
    }
}
