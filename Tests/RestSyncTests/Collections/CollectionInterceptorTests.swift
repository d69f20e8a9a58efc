// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import InMemoryLogging
import Logging
import RestKit
import RestTesting
import TestSupport
import Testing

/// The validation of stored collections by managed GET requests.
@Suite(.tags(.socket)) struct CollectionInterceptorTests {
    @Test(.parity("SM36", "SM32", "SM41", "P261")) func confirmedCollectionAnswersWithoutMapping()
        async throws
    {
        try await HumanFixture.run { fixture, served in
            served.change { $0.modified = "Tue, 15 Nov 1994 12:45:26 GMT" }
            let first = try await fixture.load()
            #expect(first.origin == .server && first.fetchedAt == nil)
            #expect(fixture.lastField("if-none-match") == nil)
            // Deleting orphans would delete the third human.
            try await fixture.save([3: "local"])
            let version = try fixture.temporary.rows("SELECT * FROM restkit_collection")
            let second = try await fixture.load()
            #expect(fixture.lastField("if-none-match") == "\"one\"")
            #expect(
                fixture.lastField("if-modified-since") == "Tue, 15 Nov 1994 12:45:26 GMT")
            #expect(fixture.server.requests.count == 2)
            #expect(second.origin == .notModified && second.isNotModified)
            #expect(second.objectIDs == first.objectIDs)
            #expect(try await fixture.numbers(second.objectIDs) == [2, 1])
            #expect(second.report.objectCount == 0 && !second.changes.hasChanges)
            #expect(second.fetchedAt != nil)
            #expect(try fixture.humans() == ["1|a", "2|b", "3|local"])
            #expect(try fixture.temporary.rows("SELECT * FROM restkit_collection") == version)
        }
    }

    @Test(.parity("SM38")) func otherEntityTagConfirmsNothing() async throws {
        try await HumanFixture.run { request in
            // A 304 response with the tag of another response than the one that is stored.
            if request.headers["if-none-match"] != nil {
                return LoopbackResponse(status: 304, headers: [("ETag", "\"other\"")])
            }
            return .json(#"[{"id":1,"name":"a"}]"#, headers: [("ETag", "\"one\"")])
        } _: { fixture in
            try fixture.api.add(ResponseDescriptor(HumanMappings.human))
            try await fixture.load()
            let second = try await fixture.load()
            #expect(second.origin == .server)
            #expect(second.report.objectCount == 1)
            #expect(
                fixture.server.requests.map { $0.headers["if-none-match"] != nil }
                    == [false, true, false])
        }
    }

    @Test(.parity("SM38")) func changedEntityTagIsMapped() async throws {
        try await HumanFixture.run { fixture, served in
            try await fixture.load()
            served.change { $0.tag = "\"two\"" }
            let second = try await fixture.load()
            #expect(second.origin == .server && second.report.objectCount == 2)
            try await fixture.load()
            #expect(fixture.lastField("if-none-match") == "\"two\"")
        }
    }

    /// A method and a status, and whether the response is reused.
    private static let reusable: [(method: String, status: Int, isReused: Bool)] =
        ["GET", "HEAD", "POST", "PUT", "PATCH"].flatMap { method in
            [200, 201, 202, 203, 206, 300, 301, 302, 307, 304, 400, 404, 410, 500].map { status in
                let isStorable = [200, 203, 300, 301, 302, 307].contains(status)
                return (method, status, isStorable && ["GET", "HEAD"].contains(method))
            }
        }

    /// Only GET and HEAD requests reuse responses, and only those with a status of the list.
    ///
    /// A status of 304 or 410 is in the list as well, but has no objects that could be stored.
    @Test(.parity("SM37"), arguments: reusable.indices)
    func reusesOnlyStatusAndMethodOfList(_ index: Int) async throws {
        let (method, status, isReused) = Self.reusable[index]
        try await HumanFixture.run { fixture, served in
            let isRedirect = [301, 302, 307].contains(status)
            served.change { $0.status = isRedirect ? 200 : status }
            let path = isRedirect ? "moved?\(status)" : "humans"
            let isHead = method == "HEAD"
            // A HEAD request reuses the response of a GET request.
            _ = try? await fixture.load(at: path) {
                $0.request.method = isHead ? .get : try HTTPRequest.Method(checking: method)
            }
            let result = try? await fixture.load(at: path) {
                $0.request.method = try HTTPRequest.Method(checking: method)
            }
            #expect((fixture.lastField("if-none-match") != nil) == isReused)
            #expect((result?.origin == .notModified) == isReused)
            if isReused {
                let numbers = try await fixture.numbers(result?.objectIDs ?? [])
                #expect(numbers == [2, 1])
            }
        }
    }

    /// A safe request to the URL of a list says nothing about a change of the list.
    @Test(arguments: [("QUERY", true), ("OPTIONS", true), ("PATCH", false)])
    func onlyUnsafeRequestExpiresList(_ method: String, _ isFresh: Bool) async throws {
        try await HumanFixture.run { _ in
            .json(#"[{"id":3,"name":"c"}]"#, headers: [("Cache-Control", "max-age=60")])
        } _: { fixture in
            try fixture.api.add(ResponseDescriptor(HumanMappings.human))
            fixture.api.configure { $0.client.cache = HTTPCache() }
            try await fixture.load()
            try await fixture.load { $0.request.method = try HTTPRequest.Method(checking: method) }
            #expect((try await fixture.load().origin == .fresh) == isFresh)
        }
    }

    /// A change after which a response with the same status is mapped again.
    private static let conditions: [(name: String, isReused: Bool)] = [
        ("nothing", true), ("body", false), ("entity tag", false), ("no entity tag", false),
        ("mapping", false), ("mapping version", false), ("other store", false),
        ("failed import", false), ("method", false), ("status", false), ("no collection", false),
        ("connection", false), ("date format", false), ("coercions", false), ("default", false),
        ("policy of attribute", false),
    ]

    /// Replaces the mapping by one that converts values in another way, or as before.
    private func convert(_ api: ObjectManager, _ change: String?) throws {
        for descriptor in api.responseDescriptors { api.remove(descriptor) }
        let defaultName = change == "default" ? "nobody" : "unknown"
        let policy: IssuePolicy = change == "policy of attribute" ? .strict : .standard
        var mapping = ObjectMapping(for: Human.self) {
            attribute("id", to: \.railsID)
            attribute("name", to: \.name, default: defaultName)
        }
        mapping.add(AttributeMapping("favorite_cat_id", to: "favoriteCatID", policy: policy))
        if change == "date format" { mapping.conversion.dates.prepend(.milliseconds) }
        if change == "coercions" { mapping.conversion.coercions = .strict }
        try api.add(
            ResponseDescriptor(EntityMapping(mapping, rules: HumanMappings.human.rules)))
    }

    private static let conversions = ["date format", "coercions", "default", "policy of attribute"]

    /// Replaces the mapping by one whose humans have the cats that an attribute names.
    private func connect(_ api: ObjectManager, by attribute: String) throws {
        for descriptor in api.responseDescriptors { api.remove(descriptor) }
        var mapping = HumanMappings.human
        mapping.rules["Human"]?.connections = [Connection("cats", by: [attribute: "railsID"])]
        try api.add(ResponseDescriptor(mapping))
    }

    /// A server that ignores conditions sends the same response again.
    @Test(.parity("SM39", "SM40", "K095"), arguments: conditions.indices)
    func equalResponseIsNotMappedAgain(_ index: Int) async throws {
        let (change, isReused) = Self.conditions[index]
        try await HumanFixture.run { fixture, served in
            served.change { $0.isConditional = false }
            if change == "no entity tag" { served.change { $0.tag = nil } }
            if change == "connection" { try connect(fixture.api, by: "catIDs") }
            if Self.conversions.contains(change) { try convert(fixture.api, nil) }
            _ = try? await fixture.load {
                if change == "failed import" {
                    $0.options.willSave = { _, _ in throw CancellationError() }
                }
                $0.options.storesCollection = change != "no collection"
            }
            var store = fixture.store
            var other: TemporaryStore?
            switch change {
            case "body":
                served.change { $0.humans = #"[{"id":2,"name":"x"},{"id":1,"name":"a"}]"# }
            case "entity tag": served.change { $0.tag = "\"two\"" }
            case "status": served.change { $0.status = 201 }
            case "mapping":
                fixture.api.remove(fixture.api.responseDescriptors[0])
                try fixture.api.add(ResponseDescriptor(HumanMappings.name(from: "name")))
            case "connection": try connect(fixture.api, by: "favoriteCatID")
            case "mapping version": fixture.api.configure { $0.mappingVersion = "2" }
            case _ where Self.conversions.contains(change): try convert(fixture.api, change)
            case "other store":
                other = try await TemporaryStore(HumanFixture.entities)
                store = other?.store ?? store
            default: break
            }
            let result = try await fixture.api.getObjects(
                Human.self, at: "humans", into: store
            ) {
                if change == "method" { $0.request.method = .post }
            }
            #expect((result.origin == .notModified) == isReused)
            #expect((result.report.objectCount == 0) == isReused)
            #expect(result.objectIDs.count == 2)
            _ = other
        }
    }

    @Test(.parity("K096", "SM33", "SM34", "K098"))
    func allFetchRequestsAnswerWithDuplicates() async throws {
        try await HumanFixture.run { fixture, _ in
            let all = FetchRequest(Human.self, where: { _ in .all }, orderBy: [.ascending(\.name)])
            fixture.api.addFetchRequestRule { url in url.relativePath == "other" ? all : nil }
            try await fixture.load()
            // Without a fetch request for the URL, the fetch requests do not answer.
            #expect(try await fixture.numbers(fixture.load().objectIDs) == [2, 1])
            fixture.api.addFetchRequestRule { _ in all }
            fixture.api.addFetchRequestRule { _ in FetchRequest("Unknown") }
            fixture.api.addFetchRequestRule { _ in
                FetchRequest(Human.self, where: { $0.railsID == 1 })
            }
            let log = InMemoryLogHandler()
            fixture.api.configure { $0.logger = Logger(label: "test") { _ in log } }
            // A response that the caller has is not a stored collection.
            let result = try await fixture.load {
                $0.request.headerFields[.ifNoneMatch] = "\"one\""
            }
            #expect(result.origin == .notModified)
            #expect(try await fixture.numbers(result.objectIDs) == [1, 1, 2])
            #expect(log.entries.count == 1)
            #expect("\(log.entries[0].metadata)".contains("unknownEntity"))
        }
    }

    @Test(.parity("K099")) func successfulMappingMarksResponse() async throws {
        try await HumanFixture.run { fixture, served in
            let cache = HTTPCache()
            fixture.api.configure { $0.client.cache = cache }
            let marks = {
                let request = try fixture.api.request(.get, at: "humans")
                return await cache.entry(for: request)?.isMapped
            }
            // The mark of a managed request is the collection, as its response is not cached.
            await #expect(throws: SyncError.self) {
                try await fixture.load {
                    $0.options.willSave = { _, _ in throw CancellationError() }
                }
            }
            #expect(try await fixture.api.collection(at: "humans") == nil)
            try await fixture.load()
            #expect(try await fixture.api.collection(at: "humans")?.objectIDs.count == 2)
            #expect(try await marks() == nil)
            let other = ObjectManager(client: fixture.api.client)
            _ = try? await other.send(ObjectRequest<[Int]>(at: "humans"))
            #expect(try await marks() == false)
            let names = ObjectRequest<[PlainHuman]>(at: "humans")
            #expect(try await other.send(names).value.map(\.name) == ["b", "a"])
            #expect(try await marks() == true)
        }
    }

    @Test func requestBypassesCacheOfClient() async throws {
        try await HumanFixture.run { fixture, served in
            served.change { $0.headers = [("Cache-Control", "max-age=60")] }
            let cache = HTTPCache()
            fixture.api.configure { $0.client.cache = cache }
            try await fixture.load()
            #expect(await cache.entry(for: try fixture.api.request(.get, at: "humans")) == nil)
        }
    }

    @Test(.parity("P258")) func cachedResponseIsMappedWithoutCollection() async throws {
        try await HumanFixture.run { fixture, _ in
            fixture.api.configure { $0.client.cache = HTTPCache() }
            try await fixture.load()
            try await fixture.store.reset()
            let result = try await fixture.load()
            #expect(fixture.lastField("if-none-match") == nil)
            #expect(result.origin == .server && result.report.objectCount == 2)
            #expect(try fixture.humans() == ["1|a", "2|b"])
        }
    }

    @Test func conditionsOfCallerAreSent() async throws {
        try await HumanFixture.run { fixture, _ in
            try await fixture.load()
            let result = try await fixture.load {
                $0.request.headerFields[.ifNoneMatch] = "\"mine\""
            }
            #expect(fixture.lastField("if-none-match") == "\"mine\"")
            #expect(result.origin == .server)
        }
    }

    @Test func deletedMemberIsFetchedAgain() async throws {
        try await HumanFixture.run { fixture, _ in
            let first = try await fixture.load()
            try await fixture.store.perform { context in
                context.delete(try context.object(with: first.objectIDs[0]))
                try context.save()
            }
            let list = try #require(try await fixture.api.collection(at: "humans"))
            #expect(list.objectIDs == [first.objectIDs[1]])
            let second = try await fixture.load()
            #expect(second.origin == .server && second.objectIDs.count == 2)
            #expect(try fixture.humans() == ["1|a", "2|b"])
        }
    }

    @Test func rowDeletedByOtherProgramIsFetchedAgain() async throws {
        try await HumanFixture.run { fixture, _ in
            try await fixture.load()
            try fixture.temporary.execute("DELETE FROM Human WHERE railsID = 1")
            let second = try await fixture.load()
            #expect(second.origin == .server)
            #expect(try fixture.humans() == ["1|a", "2|b"])
        }
    }
}
