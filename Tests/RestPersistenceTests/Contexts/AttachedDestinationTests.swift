// SPDX-License-Identifier: Apache-2.0

import RestPersistence
import TestSupport
import Testing

/// Destinations that a parent attaches to an object which a child has deleted.
@Suite struct AttachedDestinationTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    private static func entities(_ rule: DeleteRule) -> [EntityDescription] {
        [
            EntityDescription(
                "Owner", attributes: [],
                relationships: [
                    .toMany("members", "Member", inverse: "owner", deleteRule: rule),
                    .toOne("badge", "Badge", deleteRule: rule),
                    .toMany("tags", "Tag", inverse: "owners", deleteRule: rule),
                ]),
            EntityDescription(
                "Member", attributes: [],
                relationships: [
                    .toOne("owner", "Owner", inverse: "members"),
                    .toMany("parts", "Part", inverse: "member", deleteRule: .cascade),
                ]),
            EntityDescription(
                "Part", attributes: [],
                relationships: [.toOne("member", "Member", inverse: "parts", isOptional: false)]),
            EntityDescription("Badge", attributes: [], relationships: []),
            EntityDescription(
                "Tag", attributes: [],
                relationships: [.toMany("owners", "Owner", inverse: "tags")]),
        ]
    }

    private func counts() throws -> [[String]] {
        try files.rows(
            ["Owner", "Member", "Part", "Badge", "Tag"].map { "SELECT count(*) FROM \($0)" }
                .joined(separator: " UNION ALL "))
    }

    /// Deletes an owner in a child while the parent attaches objects to it; the saved ones have been saved
    /// before.
    private func deleteOwner(
        _ rule: DeleteRule, isSaved: Bool, in context: ManagedObjectContext
    ) throws -> ManagedObjectContext {
        let owner = try context.insert(entity: "Owner")
        let member = try context.insert(entity: "Member")
        try context.insert(entity: "Part").setRelated("member", [member])
        let badge = try context.insert(entity: "Badge")
        let tag = try context.insert(entity: "Tag")
        if isSaved { try context.save() }
        let child = context.child()
        child.delete(try child.object(with: owner.objectID))
        try owner.setRelated("members", [member])
        try owner.setRelated("badge", [badge])
        try owner.setRelated("tags", [tag])
        return child
    }

    @Test(arguments: [false, true]) func cascadeReachesAttachedObjects(isSaved: Bool) async throws {
        let store = try await files.open(Self.entities(.cascade))
        let context = store.makeContext()
        let child = try deleteOwner(.cascade, isSaved: isSaved, in: context)
        let attached = try ["Member", "Part", "Badge", "Tag"].flatMap {
            try child.fetch(FetchRequest($0))
        }
        #expect(attached.map(\.objectState) == [.saved, .saved, .saved, .saved])
        try await child.save()
        #expect(attached.map(\.objectState) == [.deleted, .deleted, .deleted, .deleted])
        for name in ["Owner", "Member", "Part", "Badge", "Tag"] {
            #expect(try context.count(FetchRequest(name)) == 0)
            #expect(try child.count(FetchRequest(name)) == 0)
        }
        try await context.save()
        #expect(try counts().joined().allSatisfy { $0 == "0" })
    }

    @Test(arguments: [false, true]) func nullifyingKeepsAttachedObjects(isSaved: Bool) async throws
    {
        let store = try await files.open(Self.entities(.nullify))
        let context = store.makeContext()
        let child = try deleteOwner(.nullify, isSaved: isSaved, in: context)
        try await child.save()
        try await context.save()
        #expect(try counts().map { $0[0] } == ["0", "1", "1", "1", "1"])
    }
}
