// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestDocument
import RestMapping
import RestNetworking
import RestTesting
import RestTransport
import TestSupport
import Testing

/// The promises of `RKPaginator`, against a server with the responses of its tests.
@Suite(.tags(.parity, .socket)) struct PaginatorTests {
    // MARK: Creating

    @Test(
        .parity("N314", "N315"),
        arguments: ["http://restkit.org", "http://restkit.org?param1=value1"])
    func keepsPatternAsWritten(pattern: String) throws {
        let api = try manager(at: "http://restkit.org")
        #expect(try api.people(pattern).pathPattern.text == pattern)
    }

    @Test(.parity("N316", "N317")) func countsAreUnknownBeforeFirstLoad() throws {
        let paginator = try manager(at: "http://restkit.org").people()
        #expect(paginator.pageCount == nil)
        #expect(paginator.objectCount == nil)
        #expect(paginator.currentPage == nil)
        #expect(!paginator.isLoaded)
        #expect(paginator.result == nil)
        #expect(paginator.error == nil)
        #expect(paginator.lastLoad == nil)
    }

    @Test(.parity("S051")) func rejectsPaginationMappingOfOtherType() throws {
        let api = try manager(at: "http://restkit.org")
        api.configure { $0.paginationMapping = ObjectMapping(for: Author.self) }
        let error = #expect(throws: NetworkingError.self) { try api.people() }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.causes.first?.contains("for Author; it must be for PaginationState") == true)
    }

    @Test(arguments: ["/a?p=:currentPage:perPage", "/a\\"])
    func rejectsMalformedPattern(pattern: String) throws {
        let api = try manager(at: "http://restkit.org")
        #expect(code { try api.people(pattern) } == .invalidConfiguration)
    }

    @Test func namesUnknownParameterOfPattern() throws {
        let paginator = try manager(at: "http://restkit.org").people("/a?p=:page")
        #expect(code { try paginator.path } == .invalidRequest)
    }

    // MARK: URL

    @Test(.parity("N320", "N321")) func urlHasPageAndDefaultSize() throws {
        let paginator = try manager(at: "http://restkit.org").people()
        #expect(try paginator.path == "/paginate?per_page=25&page=1")
        #expect(try paginator.url.query == "per_page=25&page=1")
    }

    @Test(.parity("N322")) func urlHasOffsetZeroBeforeFirstLoad() throws {
        let paginator = try manager(at: "http://restkit.org")
            .people("/paginate?limit=:perPage&offset=:offset")
        #expect(try paginator.url.query == "limit=25&offset=0")
    }

    // MARK: Loading

    @Test(.parity("N323", "N325", "N326", "N327", "N328", "N329", "N330"))
    func loadsFirstPage() async throws {
        try await PaginateServer.run { api, server in
            let paginator = try api.people()
            try await paginator.loadPage(1)
            #expect(server.requests.map(\.target) == ["/paginate?per_page=25&page=1"])
            #expect(paginator.isLoaded)
            #expect(paginator.perPage == 3)
            #expect(paginator.objectCount == 6)
            #expect(paginator.currentPage == 1)
            #expect(paginator.result?.map(\.name) == ["Blake", "Sarah", "Colin"])
            #expect(paginator.pageCount == 2)
            #expect(paginator.error == nil)
        }
    }

    @Test(.parity("N324")) func loadsPageWithoutMappedKey() async throws {
        try await PaginateServer.run(mapping: PaginateServer.pageCountMapping) { api, _ in
            let paginator = try api.people()
            try await paginator.loadPage(1)
            #expect(paginator.isLoaded)
            #expect(paginator.perPage == 3)
            #expect(paginator.pageCount == 3)
            #expect(paginator.objectCount == nil)
        }
    }

    @Test(.parity("N331")) func callsBackWithObjects() async throws {
        try await PaginateServer.run { api, _ in
            let paginator = try api.people()
            var received: [String] = []
            paginator.onLoad = { outcome in
                received += (try? outcome.get().map(\.name)) ?? []
            }
            let objects = try await paginator.loadPage(1)
            #expect(received == ["Blake", "Sarah", "Colin"])
            #expect(objects.map(\.name) == received)
        }
    }

    @Test(.parity("N332")) @MainActor func callsBackCallerThatDoesNotWait() async throws {
        try await PaginateServer.run { api, _ in try await loadWithoutWaiting(api) }
    }

    @MainActor private func loadWithoutWaiting(_ api: ObjectManager) async throws {
        let (names, called) = AsyncStream.makeStream(of: [String].self)
        let paginator = try api.people()
        paginator.onLoad = { called.yield((try? $0.get().map(\.name)) ?? []) }
        let load = Task { _ = try await paginator.loadPage(1) }
        #expect(!paginator.isLoaded)
        var iterator = names.makeAsyncIterator()
        let received = await iterator.next()
        #expect(received == ["Blake", "Sarah", "Colin"])
        #expect(paginator.isLoaded)
        try await load.value
    }

    @Test(.parity("N333")) func failsForPageThatDoesNotExist() async throws {
        try await PaginateServer.run { api, _ in
            let paginator = try api.people()
            var failure: (any Error)?
            paginator.onLoad = { outcome in
                if case .failure(let error) = outcome { failure = error }
            }
            let error = await networkingError { try await paginator.loadPage(999) }
            #expect(error?.status == 404)
            #expect((failure as? NetworkingError)?.status == 404)
        }
    }

    @Test(.parity("N334")) func failedLoadSetsErrorAndResetsResult() async throws {
        try await PaginateServer.run { api, _ in
            let paginator = try api.people()
            try await paginator.loadPage(1)
            let error = await networkingError { try await paginator.loadPage(3) }
            #expect(error?.status == 422)
            #expect((paginator.error as? NetworkingError)?.status == 422)
            #expect(!paginator.isLoaded)
            #expect(paginator.result == nil)
            #expect(paginator.currentPage == 3)
            // A finished load does not prevent another one, whatever its outcome was.
            try await paginator.loadPage(1)
            #expect(paginator.isLoaded)
            #expect(paginator.error == nil)
        }
    }

    @Test(.parity("N335")) func loadsEmptyListAtPathWithTrailingSlash() async throws {
        try await PaginateServer.run { api, server in
            let paginator = try api.people("/paginate/?per_page=:perPage&page=:currentPage")
            var received: [Author]?
            paginator.onLoad = { received = try? $0.get() }
            try await paginator.loadPage(1)
            #expect(server.requests.map(\.target) == ["/paginate/?per_page=25&page=1"])
            #expect(received == [])
            #expect(paginator.result == [])
            #expect(paginator.pageCount == 0)
            #expect(paginator.objectCount == 0)
        }
    }

    @Test func mapsStateIndependentlyOfObjects() async throws {
        try await PaginateServer.run({ _ in
            .json(#"{"total_entries": 6, "per_page": 2, "entries": [{"id": 1}]}"#)
        }) { api, _ in
            let paginator = try api.people()
            let error = await networkingError { try await paginator.loadPage(1) }
            #expect(error?.code == .mappingFailed)
            #expect(paginator.objectCount == 6)
            #expect(paginator.pageCount == 3)
            #expect(!paginator.isLoaded)
        }
    }

    @Test(arguments: [
        #""total_entries": "x", "per_page": {}"#, #""total_entries": -6, "per_page": -1"#,
        #""total_entries": null, "current_page": -1"#,
    ])
    func keepsStateForUnusableValues(values: String) async throws {
        try await PaginateServer.run({ _ in
            .json(#"{\#(values), "entries": [{"name": "Ann"}]}"#)
        }) { api, _ in
            let paginator = try api.people()
            try await paginator.loadPage(1)
            #expect(paginator.perPage == 25)
            #expect(paginator.objectCount == nil)
            #expect(paginator.currentPage == 1)
        }
    }

    @Test func keepsPageCountIfSizeIsZero() async throws {
        try await PaginateServer.run({ _ in
            .json(#"{"total_entries": 6, "per_page": 0, "entries": []}"#)
        }) { api, _ in
            let paginator = try api.people()
            try await paginator.loadPage(1)
            #expect(paginator.objectCount == 6)
            #expect(paginator.pageCount == nil)
        }
    }

    @Test func survivesNumbersAtLimitOfIntegers() async throws {
        try await PaginateServer.run({ _ in
            .json(
                """
                {"total_entries": \(Int.max), "per_page": \(Int.max), "current_page": \(Int.max),
                 "entries": [{"name": "Ann"}]}
                """)
        }) { api, server in
            let paginator = try api.people()
            try await paginator.loadPage(1)
            #expect(paginator.pageCount == 1)
            let error = await networkingError { try await paginator.loadNextPage() }
            #expect(error?.code == .pageUnavailable)
            #expect(paginator.offset == .max)
            #expect(server.requests.count == 1)
        }
    }

    // MARK: Objects of several types

    @Test func loadsObjectsOfAllDescriptors() async throws {
        try await PaginateServer.run { api, _ in
            let paginator = try api.paginator(pathPattern: "/paginate?page=:currentPage")
            let objects = try await paginator.loadPage(2)
            #expect(objects.compactMap { ($0 as? Author)?.name } == ["Asia", "Roy", "Lola"])
            #expect(paginator.objectCount == 6)
        }
    }

    // MARK: Sequence

    @Test func iteratesPagesToPageCount() async throws {
        try await PaginateServer.run { api, server in
            let paginator = try api.people()
            var names: [[String]] = []
            for try await page in paginator {
                names.append(page.objects.map(\.name))
                #expect(page.totalObjects == 6)
                #expect(paginator.currentPage == names.count)
            }
            #expect(names == [["Blake", "Sarah", "Colin"], ["Asia", "Roy", "Lola"]])
            #expect(server.requests.count == 2)
        }
    }

    @Test(arguments: [0, 2]) func iteratesToEmptyPageWithoutPageCount(count: Int) async throws {
        try await PaginateServer.run(
            mapping: PaginateServer.emptyMapping,
            { request in
                let isEmpty = (request.number("page") ?? 1) > count
                return .json(#"{"entries": \#(isEmpty ? "[]" : #"[{"name": "Ann"}]"#)}"#)
            }
        ) { api, server in
            var pages = 0
            for try await _ in try api.people() { pages += 1 }
            #expect(pages == max(count, 1))
            #expect(server.requests.count == count + 1)
        }
    }

    @Test(.threat("T25")) func limitsIterationOfServerThatRepeatsPage() async throws {
        try await PaginateServer.run({ _ in
            .json(
                #"{"current_page": 1, "total_entries": 1000, "entries": [{"name": "Ann"}]}"#)
        }) { api, server in
            let paginator = try api.people()
            paginator.maximumPageCount = 5
            let error = await networkingError { for try await _ in paginator {} }
            #expect(error?.code == .endlessPagination)
            #expect(server.requests.map { $0.number("page") } == [1, 2, 3, 4, 5])
        }
    }
}
