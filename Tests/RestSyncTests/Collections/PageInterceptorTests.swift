// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import RestKit
import RestTesting
import TestSupport
import Testing

/// Walks over pages that the store has, whose validators do not cover the links of the list.
@Suite(.tags(.socket)) struct PageInterceptorTests {
    /// Returns the requests since a number of them, each with a mark if it has a condition.
    private func requests(_ fixture: HumanFixture, after count: Int) -> [String] {
        fixture.server.requests.dropFirst(count).map { request in
            let page = request.query.replacing("page=", with: "")
            let isConditional = request.headers["if-none-match"] != nil
            return (page.isEmpty ? "0" : page) + (isConditional ? "?" : "")
        }
    }

    @Test func unmodifiedPagesAreNotMapped() async throws {
        try await HumanFixture.run(pages: 1...250) { fixture, _ in
            let first = try await fixture.pages(.keep).fetchAll()
            let members = try #require(first.collection?.objectIDs)
            let count = fixture.server.requests.count
            var origins: [ManagedResult.Origin] = []
            var ids: [ManagedObjectID] = []
            for try await page in fixture.pages(.keep) {
                origins.append(page.result.origin)
                ids += page.objectIDs
                #expect(page.report.objectCount == (page.index == 2 ? 50 : 0))
                #expect(!page.changes.hasChanges)
            }
            // The last page can have gained a successor, so that it is requested in full.
            #expect(requests(fixture, after: count) == ["0?", "1?", "2"])
            #expect(origins == [.notModified, .notModified, .server])
            #expect(ids == members)
            let list = try #require(
                try await fixture.api.collection(at: "humans", in: fixture.store, isPaged: true))
            #expect(list.objectIDs == members && list.isComplete && list.unconfirmedIDs.isEmpty)
            #expect(list.incompletenessReasons == [.confirmedPage])
        }
    }

    @Test func pagesAreSentInFullWithoutValidation() async throws {
        try await HumanFixture.run(pages: 1...250) { fixture, _ in
            var pages = fixture.pages(.keep)
            let first = try await pages.fetchAll()
            let members = try #require(first.collection?.objectIDs)
            try await fixture.store.perform { context in
                try context.objects(Human.self, with: [members[0]])[0].name = "edited"
                try context.save()
            }
            let count = fixture.server.requests.count
            pages.validatesStoredPages = false
            var updated: [Int] = []
            for try await page in pages {
                #expect(!page.isNotModified)
                updated.append(page.changes.updated)
            }
            #expect(requests(fixture, after: count) == ["0", "1", "2"])
            #expect(updated == [1, 0, 0])
            let list = try await fixture.api.collection(
                at: "humans", in: fixture.store, isPaged: true)
            #expect(list?.objectIDs == members && list?.incompletenessReasons == [])
        }
    }

    @Test func pagesOfContextAreConfirmed() async throws {
        try await HumanFixture.run(pages: 1...250) { fixture, _ in
            let context = fixture.store.makeContext()
            let pages = fixture.api.pages(
                of: Human.self, at: "humans", by: .linkHeader, in: context)
            for try await _ in pages {}
            let count = fixture.server.requests.count
            var numbers: [Int?] = []
            let unsaved = try Human.insert(into: context, railsID: 999)
            for try await page in pages {
                #expect(page.objects.allSatisfy { $0.managedObjectContext === context })
                #expect(page.page.result.isNotModified == (page.page.index < 2))
                numbers += page.objects.map(\.railsID)
                // Each page saves the unsaved changes of the context, also an unmodified one.
                #expect(unsaved.objectState == .saved)
            }
            #expect(requests(fixture, after: count) == ["0?", "1?", "2"])
            #expect(numbers == Array(1...250))
            let list = try #require(
                try await fixture.api.collection(at: "humans", in: fixture.store, isPaged: true))
            #expect(list.isComplete && list.objectIDs.count == 250)
        }
    }

    @Test func pagesOfCustomRuleAreConfirmed() async throws {
        let name = try #require(HTTPField.Name("X-Next"))
        let rule = Pagination.custom(named: "next", headerFields: ["X-Next"]) { page in
            page.response.head.headerFields[name].map { .parameters(["page": $0]) }
        }
        try await HumanFixture.run(pages: 1...250) { fixture, served in
            #expect(try await fixture.pages(.keep, by: rule).fetchAll().pageCount == 3)
            let count = fixture.server.requests.count
            #expect(try await fixture.pages(.keep, by: rule).fetchAll().pageCount == 3)
            // The rule may read more than the body, so that the last page is requested in full.
            #expect(requests(fixture, after: count) == ["0?", "1?", "2"])
            served.change { $0.ids += 251...320 }
            let walk = try await fixture.pages(.keep, by: rule).fetchAll()
            #expect(requests(fixture, after: count + 3) == ["0?", "1?", "2", "3"])
            #expect(walk.pageCount == 4 && walk.collection?.objectIDs.count == 320)
        }
    }

    /// The old last page is full, so that its entity tag stays while another page follows.
    @Test(arguments: [true, false])
    func lastPageThatGainsSuccessorIsFollowed(_ repeatsLinks: Bool) async throws {
        try await HumanFixture.run(pages: 1...200) { fixture, served in
            served.change { $0.repeatsLinks = repeatsLinks }
            #expect(try await fixture.pages(.keep).fetchAll().pageCount == 2)
            served.change { $0.ids += 201...250 }
            let count = fixture.server.requests.count
            let walk = try await fixture.pages(.keep).fetchAll()
            #expect(requests(fixture, after: count) == ["0?", "1", "2"])
            #expect(walk.pageCount == 3 && walk.collection?.isComplete == true)
            let numbers = try await fixture.numbers(walk.collection?.objectIDs ?? [])
            #expect(numbers == Array(1...250))
        }
    }

    /// A page is unchanged, but the link in its confirmation leads to another one.
    @Test func otherLinkOfUnmodifiedPageIsFollowed() async throws {
        let isChanged = Journal()
        try await HumanFixture.run { request in
            let pages = [
                "": "1", "page=b": "2", "page=c": "3",
            ]
            let next =
                request.query == ""
                ? (isChanged.entries.isEmpty ? "c" : "b")
                : request.query == "page=b" ? "c" : nil
            var headers = [("ETag", "\"\(request.query)\"")]
            if let next { headers.append(("Link", "</humans?page=\(next)>; rel=\"next\"")) }
            if request.headers["if-none-match"] == headers[0].1 {
                return LoopbackResponse(status: 304, headers: headers)
            }
            let id = pages[request.query] ?? "0"
            return .json(#"[{"id":\#(id),"name":"\#(id)"}]"#, headers: headers)
        } _: { fixture in
            try fixture.api.add(ResponseDescriptor(HumanMappings.human))
            #expect(try await fixture.pages(.keep).fetchAll().pageCount == 2)
            isChanged.add("now")
            let walk = try await fixture.pages(.keep).fetchAll()
            #expect(try await fixture.numbers(walk.collection?.objectIDs ?? []) == [1, 2, 3])
        }
    }

    @Test func confirmationOfOtherTagConfirmsNothing() async throws {
        try await HumanFixture.run(pages: 1...200) { fixture, served in
            _ = try await fixture.pages(.keep).fetchAll()
            served.change { state in
                state.ids[0] = 999
                state.replacement = { page in
                    page == 0
                        ? LoopbackResponse(status: 304, headers: [("ETag", "\"other\"")]) : nil
                }
            }
            // The page is requested again in full, to which the server answers the same.
            await #expect(throws: NetworkingError.self) {
                try await fixture.pages(.keep).fetchAll()
            }
            served.change { $0.replacement = nil }
            let walk = try await fixture.pages(.keep).fetchAll()
            #expect(try await fixture.numbers(walk.collection?.objectIDs ?? []).first == 999)
        }
    }

    @Test func pageWithDeletedMemberIsSentAgain() async throws {
        try await HumanFixture.run(pages: 1...200) { fixture, _ in
            let first = try await fixture.pages(.keep).fetchAll()
            let id = try #require(first.collection?.objectIDs.first)
            try await fixture.store.perform { context in
                context.delete(try context.object(with: id))
                try context.save()
            }
            let walk = try await fixture.pages(.keep).fetchAll()
            #expect(walk.collection?.objectIDs.count == 200)
            #expect(try fixture.stored() == Array(1...200))
            // A row that another program deletes is noticed as well.
            try fixture.temporary.execute("DELETE FROM Human WHERE railsID = 7")
            _ = try await fixture.pages(.keep).fetchAll()
            #expect(try fixture.stored() == Array(1...200))
        }
    }

    @Test(arguments: ["mapping version", "field of Vary", "no collection"])
    func otherRequestsAreNotConditional(_ change: String) async throws {
        try await HumanFixture.run({ request in
            let headers = [
                ("ETag", "\"\(request.query)\""), ("Vary", "Accept-Language"),
                ("Link", "</humans?page=1>; rel=\"next\""),
            ].dropLast(request.query.isEmpty ? 0 : 1)
            return .json(#"[{"id":1,"name":"a"}]"#, headers: Array(headers))
        }) { fixture in
            try fixture.api.add(ResponseDescriptor(HumanMappings.human))
            _ = try await fixture.pages(.keep).fetchAll()
            let count = fixture.server.requests.count
            switch change {
            case "mapping version": fixture.api.configure { $0.mappingVersion = "2" }
            case "field of Vary":
                fixture.api.configure { $0.client.defaultHeaders[.acceptLanguage] = "is" }
            default: _ = try await fixture.store.evictCollections(confirmedBefore: .distantFuture)
            }
            _ = try await fixture.pages(.keep).fetchAll()
            #expect(requests(fixture, after: count) == ["0", "1"])
        }
    }

    /// During the walk, the object comes back on a page after the old last one, which keeps its tag.
    @Test(.threat("T54"), arguments: [true, false])
    func keepsObjectThatReturnsAfterLastPage(_ repeatsLinks: Bool) async throws {
        try await HumanFixture.run(pages: 1...201) { fixture, served in
            served.change { $0.repeatsLinks = repeatsLinks }
            _ = try await fixture.pages().fetchAll()
            served.change { state in
                state.ids.removeLast()
                state.change = { state, page in
                    if page == 1, !state.ids.contains(201) { state.ids.append(201) }
                }
            }
            let walk = try await fixture.pages().fetchAll()
            #expect(walk.pageCount == 2 && walk.orphanIDs.isEmpty)
            #expect(walk.incompletenessReasons == [.changedPage])
            #expect(try fixture.stored() == Array(1...201))
            // The next walk finds the object.
            let next = try await fixture.pages().fetchAll()
            #expect(
                next.incompletenessReasons.isEmpty
                    && next.collection?.unconfirmedIDs.isEmpty == true)
        }
    }

    @Test(arguments: [true, false])
    func unchangedPagesProveDeletion(_ repeatsLinks: Bool) async throws {
        try await HumanFixture.run(pages: 1...250) { fixture, served in
            served.change { $0.repeatsLinks = repeatsLinks }
            _ = try await fixture.pages().fetchAll()
            served.change { $0.ids.removeLast(10) }
            let count = fixture.server.requests.count
            let walk = try await fixture.pages().fetchAll()
            #expect(walk.orphanIDs.count == 10 && walk.incompletenessReasons.isEmpty)
            // A confirmation without links does not tell which page follows.
            let proof = repeatsLinks ? ["0?", "1?", "2"] : ["0?", "0", "1?", "1", "2"]
            #expect(requests(fixture, after: count) == ["0", "1", "2"] + proof)
        }
    }

    @Test func continuedConfirmationsProveNothing() async throws {
        try await HumanFixture.run(pages: 1...300) { fixture, served in
            _ = try await fixture.pages(.keep).fetchAll()
            served.change { $0.ids.removeLast() }
            for try await page in fixture.pages(.keep) {
                #expect(page.result.origin == .notModified)
                break
            }
            var pages = fixture.pages()
            pages.resumes = true
            let walk = try await pages.fetchAll()
            #expect(walk.pageCount == 2 && walk.orphanIDs.isEmpty)
            #expect(walk.incompletenessReasons == [.confirmedPage])
            #expect(try fixture.stored() == Array(1...300))
            let complete = try await fixture.pages().fetchAll()
            #expect(complete.orphanIDs.count == 1 && complete.incompletenessReasons.isEmpty)
        }
    }

    @Test func objectOnTwoPagesIsNotConfirmed() async throws {
        try await HumanFixture.run(pages: Array(1...100) + Array(100...199) + [300]) { fixture, _ in
            _ = try await fixture.pages(.keep).fetchAll()
            let count = fixture.server.requests.count
            _ = try await fixture.pages(.keep).fetchAll()
            // The first page has all of its members, the second one lacks the repeated one.
            #expect(requests(fixture, after: count) == ["0?", "1", "2"])
        }
    }
}
