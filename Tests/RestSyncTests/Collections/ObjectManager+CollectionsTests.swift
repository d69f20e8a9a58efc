// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import RestKit
import RestTesting
import TestSupport
import Testing

/// Stored collections: their identity, their life, and answers without a server.
@Suite(.tags(.socket)) struct StoredCollectionTests {
    @Test func collectionKeepsOrderCompletenessAndTime() async throws {
        try await HumanFixture.run { fixture, served in
            let clock = ManualClock()
            fixture.api.configure { $0.client.clock = clock }
            #expect(try await fixture.api.collection(at: "humans") == nil)
            #expect(try await fixture.store.collections().isEmpty)
            let result = try await fixture.load()
            let list = try #require(try await fixture.api.collection(at: "humans"))
            #expect(list.objectIDs == result.objectIDs && list.unconfirmedIDs.isEmpty)
            #expect(list.isComplete)
            #expect(abs(list.fetchedAt.timeIntervalSince(clock.date)) < 0.001)
            served.change {
                $0.tag = "\"two\""
                $0.humans = #"[{"id":1,"name":"a"},{"id":3,"name":"c"},{"id":1,"name":"a"}]"#
                $0.headers = [("Link", "</humans?page=2>; rel=\"next\"")]
            }
            clock.advance(by: .seconds(60))
            try await fixture.load()
            let next = try #require(try await fixture.api.collection(at: "humans"))
            #expect(try await fixture.numbers(next.objectIDs) == [1, 3])
            #expect(!next.isComplete)
            #expect(abs(next.fetchedAt.timeIntervalSince(list.fetchedAt) - 60) < 0.001)
            // The row that is no longer a member stays.
            #expect(try fixture.humans() == ["1|a", "2|b", "3|c"])
        }
    }

    @Test func collectionsAreDistinguishedByChosenParameters() async throws {
        try await HumanFixture.run { fixture, _ in
            try await fixture.load(at: "humans?b=2&a=1&token=secret")
            try await fixture.load(at: "humans?a=1&token=secret&b=2")
            #expect(fixture.lastField("if-none-match") != nil)
            try await fixture.load(at: "humans?a=2")
            #expect(fixture.lastField("if-none-match") == nil)
            let chosen: (inout ManagedRequest) -> Void = { $0.options.collectionParameters = ["a"] }
            try await fixture.load(at: "humans?a=3&time=1", configure: chosen)
            try await fixture.load(at: "humans?a=3&time=2", configure: chosen)
            #expect(fixture.lastField("if-none-match") != nil)
            let requests = try await fixture.store.collections().map(\.request)
            let base = fixture.server.baseURL
            #expect(
                requests.map { $0.url.dropFirst(base.count) }
                    == ["humans?a=1&b=2&token=secret", "humans?a=2", "humans?a=3"])
            for request in requests {
                #expect("\(request)" == "GET \(base)humans?…")
                #expect(!String(reflecting: request).contains("secret"))
            }
        }
    }

    @Test func selectingFieldsAndUsersSeparateCollections() async throws {
        try await HumanFixture.run { fixture, served in
            served.change { $0.headers = [("Vary", "Accept-Language")] }
            let load: (String, String) async throws -> Void = { language, user in
                try await fixture.load {
                    $0.request.headerFields[.acceptLanguage] = language
                    $0.request.headerFields[.authorization] = user
                }
            }
            try await load("is", "first")
            try await load("is", "first")
            #expect(fixture.lastField("if-none-match") != nil)
            try await load("no", "first")
            #expect(fixture.lastField("if-none-match") == nil)
            try await load("no", "second")
            #expect(fixture.lastField("if-none-match") == nil)
            #expect(try await fixture.store.collections().count == 2)
            let text = try fixture.temporary.rows("SELECT * FROM restkit_collection").joined()
            #expect(!text.contains("first") && !text.contains("second"))
        }
    }

    @Test func unsavedObjectsHaveNoCollection() async throws {
        try await HumanFixture.run { fixture, _ in
            let context = fixture.store.makeContext()
            let unsaved = try await fixture.api.getObjects(at: "humans", in: context) {
                $0.options.savesToPersistentStore = false
            }
            #expect(unsaved.objectIDs.count == 2)
            #expect(try await fixture.api.collection(at: "humans") == nil)
            try await context.save()
            let list = try await fixture.api.collection(at: "humans")
            #expect(list?.objectIDs == unsaved.objectIDs)
        }
    }

    @Test(.parity("SM46", "S067")) func freshCollectionAnswersWithoutRequest() async throws {
        try await HumanFixture.run { fixture, served in
            let clock = ManualClock()
            fixture.api.configure { $0.client.clock = clock }
            fixture.api.configure { $0.client.cache = HTTPCache() }
            served.change { $0.headers = [("Cache-Control", "max-age=60")] }
            let first = try await fixture.load()
            clock.advance(by: .seconds(30))
            let fresh = try await fixture.load()
            #expect(fresh.origin == .fresh && fresh.isNotModified)
            #expect(fresh.objectIDs == first.objectIDs)
            #expect(fixture.server.requests.count == 1)
            clock.advance(by: .seconds(31))
            #expect(try await fixture.load().origin == .notModified)
            #expect(fixture.server.requests.count == 2)
            // The confirmation is fresh again.
            clock.advance(by: .seconds(59))
            #expect(try await fixture.load().origin == .fresh)
            #expect(try await fixture.load { $0.request.cachePolicy = .revalidate }.isNotModified)
            #expect(fixture.server.requests.count == 3)
            let ignoring = try await fixture.load { $0.request.cachePolicy = .ignore }
            #expect(ignoring.origin == .server)
            #expect(fixture.lastField("if-none-match") == nil)
            // A request that changes the resource ends the freshness.
            try await fixture.load { $0.request.method = .post }
            let count = fixture.server.requests.count
            try await fixture.load()
            #expect(fixture.server.requests.count == count + 1)
        }
    }

    @Test(.parity("S067")) func collectionAnswersOffline() async throws {
        var kept: HumanFixture?
        var known: [ManagedObjectID] = []
        try await HumanFixture.run { fixture, _ in
            known = try await fixture.load().objectIDs
            let stored = try await fixture.load { $0.request.cachePolicy = .cacheFirst }
            #expect(stored.origin == .offline && stored.objectIDs == known)
            #expect(fixture.server.requests.count == 1)
            kept = fixture
        }
        let fixture = try #require(kept)
        // The server has stopped.
        let error = await #expect(throws: NetworkingError.self) { try await fixture.load() }
        #expect(error?.code == .transportFailed)
        let offline = try await fixture.load { $0.options.answersOffline = true }
        #expect(offline.origin == .offline && !offline.isNotModified)
        #expect(offline.objectIDs == known && offline.fetchedAt != nil)
        let stored = try await fixture.load { $0.request.cachePolicy = .cacheOnly }
        #expect(stored.origin == .offline && stored.objectIDs == known)
        for path in ["unknown", "humans?page=2"] {
            await #expect(throws: NetworkingError.self) {
                try await fixture.load(at: path) { $0.options.answersOffline = true }
            }
            let missing = await #expect(throws: NetworkingError.self) {
                try await fixture.load(at: path) { $0.request.cachePolicy = .cacheOnly }
            }
            #expect(missing?.status == 504)
        }
    }

    @Test func operationValidatesCollection() async throws {
        try await HumanFixture.run { fixture, _ in
            for origin in [ManagedResult.Origin.server, .notModified] {
                let operation = try fixture.api.operation(
                    for: ManagedRequest(at: "humans"))
                try fixture.api.enqueue(operation)
                let result = try await operation.value
                #expect(result.origin == origin && result.objectIDs.count == 2)
            }
        }
    }

    @Test func forgetsPrincipalWithItsObjects() async throws {
        try await HumanFixture.run { fixture, served in
            fixture.api.configure { $0.client.principal = Principal("first") }
            try await fixture.load()
            fixture.api.configure { $0.client.principal = Principal("second") }
            served.change { $0.humans = #"[{"id":2,"name":"b"},{"id":3,"name":"c"}]"# }
            try await fixture.load()
            #expect(try await fixture.store.collections().count == 2)
            #expect(try await fixture.store.removeCollections(of: Principal("first")) == 1)
            #expect(try fixture.humans() == ["2|b", "3|c"])
            #expect(try await fixture.store.collections().count == 1)
            #expect(try await fixture.store.removeCollections(of: Principal("third")) == 0)
            let list = try await fixture.api.collection(at: "humans")
            #expect(try await fixture.numbers(list?.objectIDs ?? []) == [2, 3])
        }
    }

    /// Requests of an unmodified list write its time once an hour, and no row.
    @Test func confirmationRenewsTimeOfCollection() async throws {
        try await HumanFixture.run { fixture, _ in
            let clock = ManualClock()
            fixture.api.configure { $0.client.clock = clock }
            try await fixture.load()
            let first = try #require(try await fixture.api.collection(at: "humans"))
            let text = try fixture.temporary.rows("SELECT * FROM restkit_collection")
            clock.advance(by: .seconds(3_000))
            let early = try await fixture.load()
            #expect(early.origin == .notModified && early.fetchedAt == first.fetchedAt)
            #expect(try #require(early.confirmedAt).timeIntervalSince(clock.date) == 0)
            #expect(try fixture.temporary.rows("SELECT * FROM restkit_collection") == text)
            // A day of confirmations later, the list is older than the limit, but confirmed.
            clock.advance(by: .seconds(86_400))
            #expect(try await fixture.load().origin == .notModified)
            let list = try #require(try await fixture.api.collection(at: "humans"))
            #expect(list.fetchedAt == first.fetchedAt)
            #expect(abs(list.confirmedAt.timeIntervalSince(clock.date)) < 0.001)
            let limit = clock.date.addingTimeInterval(-3_600)
            #expect(list.fetchedAt < limit)
            #expect(try await fixture.store.evictCollections(confirmedBefore: limit) == 0)
            #expect(try fixture.humans() == ["1|a", "2|b"])
            // A live list that starts then requests nothing.
            clock.advance(by: .seconds(1))
            let count = fixture.server.requests.count
            for await state in try fixture.api.live(
                Human.self, at: "humans", in: fixture.store, maximumAge: .seconds(60))
            {
                #expect(!state.phase.isLoading && state.confirmedAt == list.confirmedAt)
                break
            }
            #expect(fixture.server.requests.count == count)
        }
    }

    @Test func evictsOldCollectionsWithTheirObjects() async throws {
        try await HumanFixture.run { fixture, served in
            let clock = ManualClock()
            fixture.api.configure { $0.client.clock = clock }
            try await fixture.save([9: "local"])
            try await fixture.load(at: "humans?a")
            clock.advance(by: .seconds(60))
            served.change { $0.humans = #"[{"id":2,"name":"b"},{"id":3,"name":"c"}]"# }
            try await fixture.load(at: "humans?b")
            let limit = clock.date.addingTimeInterval(-30)
            #expect(try await fixture.store.evictCollections(confirmedBefore: limit) == 1)
            #expect(try fixture.humans() == ["2|b", "3|c", "9|local"])
            #expect(try await fixture.store.evictCollections(keeping: .max) == 0)
            #expect(try await fixture.store.evictCollections(keeping: 0) == 2)
            #expect(try fixture.humans() == ["9|local"])
            #expect(try await fixture.store.collections().isEmpty)
        }
    }

    @Test func unchangedCollectionSurvivesReopening() async throws {
        try await HumanFixture.run { fixture, _ in
            try await fixture.load()
            try fixture.store.close()
            fixture.api.store = try await ManagedObjectStore(
                at: fixture.store.url, model: fixture.store.model)
            let result = try await fixture.api.getObjects(Human.self, at: "humans")
            #expect(result.origin == .notModified && result.objectIDs.count == 2)
        }
    }
}

/// The URL that fetch requests see.
@Suite(.tags(.socket)) struct ResponseURLTests {
    /// A base URL of a second descriptor, and the relative text that the rule sees.
    @Test(
        .parity("K086"),
        arguments: [(false, "new/list?page=2"), (true, "/api/new/list?page=2")])
    func responseURLIsRelativeToOnlyBase(_ hasOtherBase: Bool, _ text: String) async throws {
        let seen = Journal()
        try await HumanFixture.run { request in
            request.path == "/api/old"
                ? .redirect(302, to: "/api/new/list?page=2")
                : .json(#"{"a":[{"id":1,"name":"a"}],"b":[{"id":2,"name":"b"}]}"#)
        } _: { fixture in
            let base = try HTTPURL(parsing: fixture.server.baseURL + "api/")
            var first = ResponseDescriptor(HumanMappings.human, keyPath: "a")
            first.baseURL = base
            var second = ResponseDescriptor(HumanMappings.human, keyPath: "b")
            second.baseURL = hasOtherBase ? try HTTPURL(parsing: fixture.server.baseURL) : base
            try fixture.api.add(first)
            try fixture.api.add(second)
            fixture.api.addFetchRequestRule { url in
                seen.add(url.relativeString)
                seen.add(url.baseURL?.text ?? "none")
                seen.add(url.url.text)
                return nil
            }
            try await fixture.api.getObjects(at: "api/old", into: fixture.store)
            #expect(
                seen.entries == [
                    text, hasOtherBase ? "none" : base.text,
                    fixture.server.baseURL + "api/new/list?page=2",
                ])
        }
    }
}
