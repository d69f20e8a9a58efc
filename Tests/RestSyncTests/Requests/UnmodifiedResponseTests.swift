// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestTesting
import TestSupport
import Testing

/// Responses that were not modified.
@MainActor @Suite(.tags(.socket)) struct UnmodifiedResponseTests {
    private nonisolated static let tag = "\"2cdd0a2b\""
    private nonisolated static let humans = #"[{"id":1,"name":"a"},{"id":2,"name":"b"}]"#

    /// Answers with an entity tag, and with 304 if the request has it.
    private nonisolated static func answer(_ request: LoopbackRequest) -> LoopbackResponse {
        let headers = [("ETag", tag), ("Cache-Control", "private, max-age=0, must-revalidate")]
        if request.headers["if-none-match"] == tag {
            return LoopbackResponse(status: 304, headers: headers)
        }
        return .json(humans, headers: headers)
    }

    private func addCache(to fixture: HumanFixture) throws {
        fixture.api.configure { $0.client.cache = HTTPCache() }
        try fixture.api.add(ResponseDescriptor(HumanMappings.human))
    }

    @Test(.parity("P257", "P261", "K097", "SM32", "SM33", "SM35", "SM41"))
    func validatedResponseAnswersFromFetchRequests() async throws {
        try await HumanFixture.run(Self.answer) { fixture in
            try addCache(to: fixture)
            fixture.api.addFetchRequestRule { _ in
                FetchRequest(Human.self, where: { _ in .all }, orderBy: [.ascending(\.railsID)])
            }
            let context = fixture.store.mainContext
            let first = try await fixture.api.getObjects(Human.self, at: "etag", in: context)
            #expect(first.map(\.railsID) == [1, 2])
            // Neither mapping nor deleting orphans would keep these.
            first[0].name = "edited"
            let unsaved = try Human.insert(into: context, railsID: 3, name: "new")
            let hook = Journal()
            let second = try await fixture.api.getObjects(at: "etag", in: context) {
                // A response that the caller has is not a stored collection.
                $0.request.headerFields[.ifNoneMatch] = Self.tag
                $0.options.willSave = { _, _ in hook.add("called") }
            }
            #expect(second.isNotModified)
            #expect(second.objectIDs == first.map(\.objectID) + [unsaved.objectID])
            let found = try context.objects(with: second.objectIDs)
            #expect(found.map { $0 === unsaved } == [false, false, true])
            #expect(first[0].name == "edited")
            #expect(unsaved.objectState == .inserted)
            #expect(hook.entries.isEmpty)
            #expect(second.report.objectCount == 0 && !second.changes.hasChanges)
            #expect(fixture.server.requests.count == 2)
            #expect(try fixture.humans() == ["1|a", "2|b"])
        }
    }

    @Test(.parity("P260", "SM40")) func mapsResponseWhoseImportFailedBefore() async throws {
        try await HumanFixture.run(Self.answer) { fixture in
            try addCache(to: fixture)
            fixture.api.addFetchRequestRule { _ in FetchRequest("Human") }
            await #expect(throws: SyncError.self) {
                try await fixture.api.getObjects(Human.self, at: "etag", into: fixture.store) {
                    $0.options.willSave = { _, _ in throw CancellationError() }
                }
            }
            #expect(try fixture.humans().isEmpty)
            let result = try await fixture.api.getObjects(
                Human.self, at: "etag", into: fixture.store)
            #expect(!result.isNotModified)
            #expect(result.objectIDs.count == 2)
        }
    }

    @Test func mapsResponseIntoAnotherStore() async throws {
        try await HumanFixture.run(Self.answer) { fixture in
            try addCache(to: fixture)
            fixture.api.addFetchRequestRule { _ in FetchRequest("Human") }
            let other = try await TemporaryStore(HumanFixture.entities)
            for store in [fixture.store, other.store] {
                let result = try await fixture.api.getObjects(Human.self, at: "etag", into: store)
                #expect(!result.isNotModified)
            }
            #expect(try other.rows("SELECT count(*) FROM Human") == ["2"])
        }
    }

    @Test(.parity("K098", "SM32", "SM33"))
    func literalStatusAnswersFromFetchRequests() async throws {
        try await HumanFixture.run(answering: LoopbackResponse(status: 304)) { fixture in
            try await fixture.save([1: "a"])
            try fixture.api.add(ResponseDescriptor(HumanMappings.human, statusCodes: nil))
            let error = await #expect(throws: NetworkingError.self) {
                try await fixture.api.getObjects(Human.self, at: "etag", into: fixture.store)
            }
            #expect(error?.code == .unexpectedStatus)
            // Two rules find the same object.
            for _ in 0..<2 { fixture.api.addFetchRequestRule { _ in FetchRequest("Human") } }
            let result = try await fixture.api.getObjects(
                Human.self, at: "etag", into: fixture.store)
            #expect(result.isNotModified)
            #expect(result.objectIDs.count == 2)
            #expect(try fixture.humans() == ["1|a"])
        }
    }

    @Test func confirmedListIsStoredCollection() async throws {
        try await HumanFixture.run(Self.answer) { fixture in
            try addCache(to: fixture)
            fixture.api.addFetchRequestRule { _ in
                FetchRequest(
                    Human.self, where: { _ in .all }, orderBy: [.descending(\.railsID)])
            }
            let first = try await fixture.api.getObjects(
                Human.self, at: "etag", into: fixture.store)
            // Another list brings a human that this one does not have.
            try await fixture.save([3: "other"])
            for _ in 0..<2 {
                let second = try await fixture.api.getObjects(
                    Human.self, at: "etag", into: fixture.store)
                #expect(second.isNotModified && second.objectIDs == first.objectIDs)
            }
            #expect(try fixture.humans() == ["1|a", "2|b", "3|other"])
        }
    }
}
