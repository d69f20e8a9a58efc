// SPDX-License-Identifier: Apache-2.0

import RestPersistence
import TestSupport
import Testing

/// Partners of which a child has changed the one and its parent the other.
@Suite struct MutualPartnerTests {
    private static let entities = [
        EntityDescription(
            "Person", attributes: [],
            relationships: [.toOne("partner", "Person", inverse: "partner")])
    ]

    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    /// Calls a closure with four objects of a child, in which the first two are partners.
    ///
    /// The parent has the third one and the first one as partners.
    private func withPeople(
        _ body: @Sendable ([ManagedObject]) throws -> Void
    ) async throws {
        let store = try await files.open(Self.entities)
        try await store.perform { context in
            defer { context.rollback() }
            let people = try (0..<4).map { _ in try context.insert(entity: "Person") }
            try context.save()
            let child = context.child()
            let own = try people.map { try child.object(with: $0.objectID) }
            try own[0].setRelated("partner", [own[1]])
            try people[2].setRelated("partner", [people[0]])
            _ = try child.fetch(FetchRequest("Person"))
            try body(own)
        }
    }

    @Test func replacesPartnerOfObjectThatWasEditedBack() async throws {
        let store = try await files.open(Self.entities)
        let ids = try await store.perform { context in
            defer { context.rollback() }
            let people = try (0..<3).map { _ in try context.insert(entity: "Person") }
            try context.save()
            return people.map(\.objectID)
        }
        try await store.perform { context in
            defer { context.rollback() }
            context.mergePolicy = .contextWins
            let people = try context.objects(with: ids)
            try people[1].setRelated("partner", [people[2]])
            try people[1].setRelated("partner", [])
            try people[0].setRelated("partner", [people[2]])
            let other = store.makeContext()
            let others = try other.objects(with: ids)
            try others[0].setRelated("partner", [others[1]])
            try other.save()
            try context.save()
        }
        try await store.perform { context in
            defer { context.rollback() }
            let people = try context.objects(with: ids)
            #expect(try people[0].related("partner") == [people[2]])
            #expect(try people[1].related("partner").isEmpty)
            #expect(try people[2].related("partner") == [people[0]])
        }
    }

    @Test func settingPartnerReleasesFormerOne() async throws {
        try await withPeople { people in
            try people[2].setRelated("partner", [people[0]])
            #expect(try people[0].related("partner") == [people[2]])
            #expect(try people[1].related("partner").isEmpty)
            #expect(try people[2].related("partner") == [people[0]])
        }
    }

    @Test func takingPartnerKeepsOtherPair() async throws {
        try await withPeople { people in
            try people[3].setRelated("partner", [people[2]])
            #expect(try people[0].related("partner") == [people[1]])
            #expect(try people[1].related("partner") == [people[0]])
            #expect(try people[2].related("partner") == [people[3]])
            #expect(try people[3].related("partner") == [people[2]])
        }
    }

    @Test func clearingPartnerKeepsOtherPair() async throws {
        try await withPeople { people in
            try people[2].setRelated("partner", [])
            #expect(try people[0].related("partner") == [people[1]])
            #expect(try people[1].related("partner") == [people[0]])
            #expect(try people[2].related("partner").isEmpty)
        }
    }
}
