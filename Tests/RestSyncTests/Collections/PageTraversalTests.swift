// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import RestKit
import RestTesting
import Synchronization
import TestSupport
import Testing

/// A list in pages, which a test changes between and during walks.
final class ServedPages: Sendable {
    struct State: Sendable {
        var ids: [Int] = []
        var pageSize = 100
        /// A Boolean value that indicates whether pages have entity tags, which are evaluated.
        var hasTags = true
        /// A Boolean value that indicates whether pages have the number of all objects.
        var hasTotal = false
        /// A Boolean value that indicates whether a response with status 304 has the links.
        var repeatsLinks = true
        /// A response in place of the page with an index.
        var replacement: (@Sendable (Int) -> LoopbackResponse?)?
        /// A Boolean value that indicates whether a replacement is sent only once.
        var replacesOnce = false
        /// A change of the list after the response for the page with an index.
        var change: (@Sendable (inout State, Int) -> Void)?
    }

    let state: Mutex<State>

    init(_ ids: some Sequence<Int>) { state = Mutex(State(ids: Array(ids))) }

    func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }

    func answer(_ request: LoopbackRequest) -> LoopbackResponse {
        state.withLock { state in
            let page = Int(request.query.replacing("page=", with: "")) ?? 0
            if let replacement = state.replacement?(page) {
                if state.replacesOnce { state.replacement = nil }
                return replacement
            }
            let ids = state.ids.dropFirst(page * state.pageSize).prefix(state.pageSize)
            let items = ids.map { #"{"id":\#($0),"name":"\#($0)"}"# }.joined(separator: ",")
            var headers: [(String, String)] = []
            if (page + 1) * state.pageSize < state.ids.count {
                headers.append(("Link", "</humans?page=\(page + 1)>; rel=\"next\""))
                headers.append(("X-Next", "\(page + 1)"))
            }
            let tag = "\"\(items.utf8.reduce(5381) { $0 &* 33 &+ Int($1) })\""
            if state.hasTags { headers.append(("ETag", tag)) }
            if state.hasTotal { headers.append(("X-Total", "\(state.ids.count)")) }
            let isKnown = state.hasTags && request.headers["if-none-match"] == tag
            let response =
                isKnown
                ? LoopbackResponse(
                    status: 304,
                    headers: headers.filter { state.repeatsLinks || $0.0 != "Link" })
                : LoopbackResponse.json("[\(items)]", headers: headers)
            state.change?(&state, page)
            return response
        }
    }
}

extension HumanFixture {
    /// Runs a closure with a list in pages.
    static func run(
        pages ids: some Sequence<Int>, _ body: (HumanFixture, ServedPages) async throws -> Void
    ) async throws {
        let served = ServedPages(ids)
        try await run({ served.answer($0) }) { fixture in
            try fixture.api.add(ResponseDescriptor(HumanMappings.human))
            try await body(fixture, served)
        }
    }

    /// The pages of the humans, whose orphans are deleted by default.
    func pages(
        _ policy: OrphanPolicy = .delete(), by pagination: Pagination = .linkHeader
    ) -> ManagedPages<ManagedPage> {
        var pages = api.pages(of: Human.self, at: "humans", by: pagination, into: store)
        pages.orphans = policy
        return pages
    }

    /// Returns the IDs of all humans in the file.
    func stored() throws -> [Int] {
        try temporary.rows("SELECT railsID FROM Human ORDER BY railsID").compactMap { Int($0) }
    }
}

/// Walks over the pages of a list, and the objects that they delete.
@Suite(.tags(.socket)) struct PageTraversalTests {
    @Test func completeWalkDeletesMissingObjects() async throws {
        try await HumanFixture.run(pages: 1...250) { fixture, served in
            try await fixture.save([999: "local"])
            let first = try await fixture.pages().fetchAll()
            #expect(
                first.pageCount == 3 && first.orphanIDs.isEmpty
                    && first.incompletenessReasons.isEmpty)
            #expect(first.collection?.isComplete == true)
            #expect(try await fixture.numbers(first.collection?.objectIDs ?? []) == Array(1...250))
            served.change { $0.ids = Array(11...260) }
            let second = try await fixture.pages().fetchAll()
            #expect(second.orphanIDs.count == 10 && second.incompletenessReasons.isEmpty)
            let list = try #require(
                try await fixture.api.collection(at: "humans", in: fixture.store, isPaged: true))
            #expect(try await fixture.numbers(list.objectIDs) == Array(11...260))
            #expect(
                list.unconfirmedIDs.isEmpty && list.isComplete && list.incompletenessReasons.isEmpty
            )
            #expect(try fixture.stored() == Array(11...260) + [999])
        }
    }

    @Test func deletionsOfWalksAndEvictionsAreNotLocal() async throws {
        try await HumanFixture.run(pages: 1...20) { fixture, served in
            var commits = fixture.store.commits.makeAsyncIterator()
            _ = try await fixture.pages().fetchAll()
            #expect(await commits.next()?.origin.isResponse == true)
            served.change { $0.ids = Array(2...20) }
            let walk = try await fixture.pages().fetchAll()
            let deletion = try #require(await commits.next())
            #expect(deletion.deletedIDs == walk.orphanIDs && walk.orphanIDs.count == 1)
            #expect(deletion.origin.isResponse)
            _ = try await fixture.store.evictCollections(confirmedBefore: .distantFuture)
            let eviction = try #require(await commits.next())
            #expect(eviction.deletedIDs.count == 19 && eviction.origin == .eviction)
        }
    }

    @Test func policyKeepsMissingObjectsUnconfirmed() async throws {
        try await HumanFixture.run(pages: 1...250) { fixture, served in
            _ = try await fixture.pages(.keep).fetchAll()
            served.change { $0.ids = Array(11...250) }
            let walk = try await fixture.pages(.keep).fetchAll()
            #expect(walk.orphanIDs.isEmpty && walk.incompletenessReasons.isEmpty)
            let list = try #require(walk.collection)
            #expect(try await fixture.numbers(list.objectIDs) == Array(11...250))
            #expect(try await fixture.numbers(list.unconfirmedIDs) == Array(1...10))
            #expect(try fixture.stored() == Array(1...250))
        }
    }

    @Test func keepsObjectsOfOtherCollections() async throws {
        try await HumanFixture.run(pages: 1...100) { fixture, served in
            _ = try await fixture.pages().fetchAll()
            try await fixture.api.getObjects(Human.self, at: "humans?page=0", into: fixture.store)
            served.change { $0.ids = Array(11...100) }
            let walk = try await fixture.pages().fetchAll()
            #expect(walk.orphanIDs.isEmpty && walk.incompletenessReasons.isEmpty)
            #expect(walk.collection?.unconfirmedIDs.isEmpty == true)
            #expect(try fixture.stored() == Array(1...100))
        }
    }

    /// A defect of the second walk, and the doubt that keeps the objects; `nil` for an error.
    private static let defects: [(name: String, doubt: IncompletenessReason?)] = [
        ("empty list", .tooManyOrphans), ("empty object", .unexpectedShape),
        ("error document", .unexpectedShape), ("HTML", nil), ("cut list", .tooManyOrphans),
        ("server error", nil), ("cut body", nil), ("smaller pages", .tooManyOrphans),
        ("repeated page", .repeatedObject), ("changed page", .changedPage),
        ("moved object", .repeatedObject), ("no validators", .missingValidator),
        ("other total", .totalDiffers), ("not modified", nil), ("later start", .laterStart),
        ("invalid element", .missingElement), ("empty page", .missingValidator),
    ]

    @Test(.threat("T54"), arguments: defects.indices)
    func keepsAllObjectsWithoutProof(_ index: Int) async throws {
        let (name, doubt) = Self.defects[index]
        try await HumanFixture.run(pages: 1...1000) { fixture, served in
            served.change { $0.hasTotal = name == "other total" }
            var pagination = Pagination.linkHeader
            if name == "other total" { pagination.totalObjects = .headerField("X-Total") }
            var pages = fixture.api.pages(
                of: Human.self, at: "humans", by: pagination, into: fixture.store)
            pages.orphans = .delete()
            _ = try await pages.fetchAll()
            // One object is gone, so that a proof would delete it.
            if !["empty list", "cut list", "smaller pages"].contains(name) {
                served.change { $0.ids.removeLast() }
            }
            served.change { Self.apply(name, &$0) }
            if name == "later start" {
                // The stored position is that of a later page.
                var first: PagePosition?
                for try await page in pages {
                    if page.index == 1 { break }
                    first = page.nextPosition
                }
                pages.start = first
            }
            do {
                let walk = try await pages.fetchAll()
                #expect(walk.orphanIDs.isEmpty)
                #expect(
                    doubt.map(walk.incompletenessReasons.contains) == true,
                    "\(walk.incompletenessReasons)")
                #expect(walk.collection?.unconfirmedIDs.isEmpty == false)
            } catch {
                #expect(doubt == nil, "\(error)")
                #expect(error is NetworkingError)
            }
            #expect(try fixture.stored() == Array(1...1000))
        }
    }

    /// Applies a defect to the server.
    private static func apply(_ name: String, _ state: inout ServedPages.State) {
        func replace(_ page: Int, _ response: LoopbackResponse) {
            state.replacement = { $0 == page ? response : nil }
        }
        let next = [("Link", "</humans?page=6>; rel=\"next\"")]
        switch name {
        case "empty list": state.ids = []
        case "empty object": replace(9, .json("{}"))
        case "error document": replace(9, .json(#"{"id":1,"name":"error"}"#))
        case "HTML":
            replace(
                0,
                LoopbackResponse(
                    headers: [("Content-Type", "text/html")], body: Array("<p>Log in".utf8)))
        case "cut list": state.ids = Array(1...300)
        case "server error": replace(5, LoopbackResponse(status: 500))
        case "cut body": replace(5, .json(#"[{"id":1,"name":"#, headers: next))
        case "smaller pages":
            state.replacement = { $0 == 0 ? .json(#"[{"id":1,"name":"1"}]"#) : nil }
        case "repeated page":
            replace(
                5,
                .json(#"[{"id":1,"name":"1"}]"#, headers: next + [("ETag", "\"repeated\"")]))
        case "changed page":
            // The object behind the last page that was sent moves before it.
            state.change = { state, page in
                if page == 5, state.ids.count == 999 { state.ids.remove(at: 10) }
            }
        case "moved object":
            state.change = { state, page in
                if page == 3, let last = state.ids.popLast() { state.ids.insert(last, at: 0) }
            }
        case "no validators": state.hasTags = false
        case "other total":
            state.replacement = { page in
                page == 9
                    ? .json(#"[{"id":901,"name":"901"}]"#, headers: [("X-Total", "999")]) : nil
            }
        case "not modified": replace(4, LoopbackResponse(status: 304))
        case "invalid element": replace(5, .json("[null]", headers: next))
        case "empty page": replace(9, .json("[]"))
        default: break
        }
    }

    /// The ends of a list by numbers, each with the page that the server replaces once, and the
    /// incompletenessReasons that keep the objects; none if the end is true.
    private static let ends:
        [(ids: Int, page: Int?, body: String, incompletenessReasons: Set<IncompletenessReason>)] =
            [
                (900, nil, "", []), (1000, 9, "[]", [.changedPage]),
                (1000, 1, "[]", [.tooManyOrphans]),
                // An object without an identity in place of a list.
                (900, 9, "{}", [.unexpectedShape, .missingElement]),
                (900, 9, "missing", []), (1000, 9, "missing", [.changedPage]),
            ]

    @Test(.threat("T54"), arguments: ends.indices)
    func numberedListEndsWhereServerConfirmsIt(_ index: Int) async throws {
        let end = Self.ends[index]
        try await HumanFixture.run(pages: 1...1000) { fixture, served in
            let ends: Pagination.Ends =
                end.body == "missing" ? [.notFound, .emptyPage] : .emptyPage
            let pages = fixture.pages(
                by: .pageNumber(parameter: "page", first: 0, ends: ends))
            #expect(try await pages.fetchAll().pageCount == 10)
            served.change { state in
                state.ids = Array(1...end.ids)
                state.replacesOnce = !end.incompletenessReasons.isEmpty
                if let page = end.page {
                    let response =
                        end.body == "missing"
                        ? LoopbackResponse(status: 404) : LoopbackResponse.json(end.body)
                    state.replacement = { $0 == page ? response : nil }
                }
            }
            let walk = try await pages.fetchAll()
            #expect(Set(walk.incompletenessReasons) == end.incompletenessReasons)
            let isTrue = end.incompletenessReasons.isEmpty
            #expect(walk.orphanIDs.count == (isTrue ? 100 : 0))
            #expect(try fixture.stored() == Array(1...(isTrue ? 900 : 1000)))
        }
    }

    /// A single page before the end is not one state of the list either.
    @Test(.threat("T54")) func endAfterSinglePageIsConfirmed() async throws {
        try await HumanFixture.run(pages: 1...110) { fixture, served in
            let pages = fixture.pages(by: .pageNumber(parameter: "page", first: 0))
            _ = try await pages.fetchAll()
            served.change {
                $0.replacesOnce = true
                $0.replacement = { $0 == 1 ? .json("[]") : nil }
            }
            let walk = try await pages.fetchAll()
            #expect(walk.incompletenessReasons == [.changedPage] && walk.orphanIDs.isEmpty)
            #expect(try fixture.stored() == Array(1...110))
        }
    }

    @Test(arguments: [400, 404, 410, 422])
    func refusedPositionStartsAgain(_ status: Int) async throws {
        try await HumanFixture.run(pages: 1...300) { fixture, served in
            var pages = fixture.pages()
            pages.resumes = true
            for try await _ in pages { break }
            served.change {
                $0.replacesOnce = true
                $0.replacement = { $0 == 1 ? LoopbackResponse(status: status) : nil }
            }
            let walk = try await pages.fetchAll()
            #expect(walk.pageCount == 3 && walk.collection?.isComplete == true)
            #expect(try fixture.stored() == Array(1...300))
            // Other failures keep the position.
            for try await _ in pages { break }
            served.change { $0.replacement = { $0 == 1 ? LoopbackResponse(status: 503) : nil } }
            await #expect(throws: NetworkingError.self) { try await pages.fetchAll() }
            #expect(try await pages.fetchAll().pageCount == 2)
        }
    }

    @Test(arguments: [1, 2, 5, 9])
    func interruptedWalkContinuesAfterReopening(_ pageCount: Int) async throws {
        try await HumanFixture.run(pages: 1...1000) { fixture, served in
            var pages = fixture.pages()
            pages.resumes = true
            var seen = 0
            for try await _ in pages {
                seen += 1
                if seen == pageCount { break }
            }
            #expect(try fixture.stored() == Array(1...(pageCount * 100)))
            let list = try #require(
                try await fixture.api.collection(at: "humans", in: fixture.store, isPaged: true))
            #expect(!list.isComplete && list.objectIDs.count == pageCount * 100)
            // As after the end of the process, only the file knows the position.
            try fixture.store.close()
            let store = try await ManagedObjectStore(
                at: fixture.store.url, model: fixture.store.model)
            var rest = fixture.api.pages(of: Human.self, at: "humans", by: .linkHeader, into: store)
            rest.resumes = true
            let walk = try await rest.fetchAll()
            #expect(walk.pageCount == 10 - pageCount)
            #expect(walk.collection?.isComplete == true)
            let numbers = try await store.read { [ids = walk.collection?.objectIDs ?? []] in
                try $0.objects(Human.self, with: ids).map(\.railsID)
            }
            #expect(numbers == Array(1...1000))
            #expect(try fixture.stored() == Array(1...1000))
            #expect(try fixture.temporary.rows("SELECT count(*) FROM Human") == ["1000"])
            // A complete walk starts again.
            #expect(try await rest.fetchAll().pageCount == 10)
        }
    }

    @Test func continuedWalkDeletesMissingObjects() async throws {
        try await HumanFixture.run(pages: 1...300) { fixture, served in
            _ = try await fixture.pages().fetchAll()
            served.change { $0.ids.removeFirst(20) }
            var pages = fixture.pages()
            pages.resumes = true
            for try await _ in pages { break }
            #expect(try fixture.stored() == Array(1...300))
            let walk = try await pages.fetchAll()
            #expect(walk.pageCount == 2 && walk.orphanIDs.count == 20)
            #expect(try fixture.stored() == Array(21...300))
        }
    }

    @Test func changedMappingStartsAgain() async throws {
        try await HumanFixture.run(pages: 1...300) { fixture, _ in
            var pages = fixture.pages()
            pages.resumes = true
            for try await _ in pages { break }
            fixture.api.configure { $0.mappingVersion = "2" }
            #expect(try await pages.fetchAll().pageCount == 3)
        }
    }

    @Test func laterWalkReplacesEarlierOne() async throws {
        try await HumanFixture.run(pages: 1...300) { fixture, served in
            _ = try await fixture.pages().fetchAll()
            served.change { $0.ids.removeFirst(20) }
            var earlier = fixture.pages().makeAsyncIterator()
            _ = try await earlier.next()
            for try await _ in fixture.pages() { break }
            while try await earlier.next() != nil {}
            #expect(
                earlier.result.incompletenessReasons == [.superseded]
                    && earlier.result.orphanIDs.isEmpty)
            #expect(try fixture.stored() == Array(1...300))
        }
    }

    /// Pages whose objects may be those that an earlier walk has found.
    @Test(arguments: [
        (#"{"humans":[{"id":1},{"name":"x"}],"admins":[]}"#, IncompletenessReason.missingElement),
        (#"{"humans":[{"id":1}]}"#, .unexpectedShape),
        (#"{"humans":[{"id":1}],"admins":[]}"#, nil),
    ])
    func uncertainPageDeletesNothing(body: String, doubt: IncompletenessReason?) async throws {
        let served = Mutex(#"{"humans":[{"id":1},{"id":2}],"admins":[]}"#)
        try await HumanFixture.run({ _ in .json(served.withLock(\.self)) }) { fixture in
            for keyPath in ["humans", "admins"] as [DocumentPath] {
                try fixture.api.add(ResponseDescriptor(HumanMappings.human, keyPath: keyPath))
            }
            _ = try await fixture.pages().fetchAll()
            served.withLock { $0 = body }
            let walk = try await fixture.pages(.delete(maximumShare: 1)).fetchAll()
            #expect(walk.incompletenessReasons == [doubt].compactMap(\.self))
            #expect(try fixture.stored().contains(2) == (doubt != nil))
        }
    }
}
