// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import RestPersistence

/// Delete rules of relationships in each kind of storage, also against rows that others save between the
/// deletion and the transaction.
@MainActor
@Suite struct DeleteRuleTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    /// The storage of the relationship `members` of `Owner`.
    enum Storage: CaseIterable {
        case inverse, requiredInverse, own, link

        fileprivate func entities(_ rule: DeleteRule) -> [EntityDescription] {
            var inverse: [RelationshipDescription] = []
            let members: RelationshipDescription
            switch self {
            case .inverse, .requiredInverse:
                members = .toMany("members", "Member", inverse: "owner", deleteRule: rule)
                inverse = [
                    .toOne("owner", "Owner", inverse: "members", isOptional: self == .inverse)
                ]
            case .own: members = .toOne("members", "Member", deleteRule: rule)
            case .link:
                members = .toMany("members", "Member", inverse: "owners", deleteRule: rule)
                inverse = [.toMany("owners", "Owner", inverse: "members")]
            }
            return [
                EntityDescription("Owner", attributes: [], relationships: [members]),
                EntityDescription(
                    "Member", attributes: [AttributeDescription("note", .text, isOptional: true)],
                    relationships: inverse + [
                        .toMany("parts", "Part", inverse: "member", deleteRule: .cascade)
                    ]),
                EntityDescription(
                    "Part", attributes: [],
                    relationships: [
                        .toOne("member", "Member", inverse: "parts", isOptional: false)
                    ]),
            ]
        }

        /// Returns the statements that relate a member to an owner.
        @MainActor fileprivate func relate(
            _ member: Int64, to owner: Int64, in model: ManagedObjectModel, isNew: Bool
        ) throws -> String {
            let insertion = isNew ? "INSERT INTO Member (restkit_key) VALUES (\(member));" : ""
            switch self {
            case .inverse, .requiredInverse:
                return isNew
                    ? "INSERT INTO Member (restkit_key, owner) VALUES (\(member), \(owner))"
                    : "UPDATE Member SET owner = \(owner) WHERE restkit_key = \(member)"
            case .own:
                return insertion
                    + "UPDATE Owner SET members = \(member) WHERE restkit_key = \(owner)"
            case .link:
                let link = model.links[0]
                let isSource = try model.layout(named: "Owner").index == link.source
                return insertion + "INSERT INTO \(link.quoted) (source, target) VALUES "
                    + (isSource ? "(\(owner), \(member))" : "(\(member), \(owner))")
            }
        }
    }

    private func store(_ storage: Storage, _ rule: DeleteRule) async throws -> ManagedObjectStore {
        try await ManagedObjectStore(
            at: files.file, model: ManagedObjectModel(storage.entities(rule)),
            configuration: StoreConfiguration(busyTimeout: .seconds(600)))
    }

    private func counts() throws -> [[String]] {
        try files.rows(
            "SELECT (SELECT count(*) FROM Owner), (SELECT count(*) FROM Member), "
                + "(SELECT count(*) FROM Part)")
    }

    private func deniedDeletions(_ result: Result<SaveReport, any Error>) -> [ManagedObjectID] {
        guard case .failure(let error as PersistenceError) = result else { return [] }
        #expect(error.code == .invalidObject)
        #expect(error.validationErrors.map(\.code) == [.deletionDenied])
        #expect(error.validationErrors.map(\.property) == ["members"])
        return error.validationErrors.map(\.objectID)
    }

    // MARK: Own changes

    @Test(arguments: Storage.allCases, [false, true])
    func denyHoldsForSavedAndUnsavedDestinations(storage: Storage, isSaved: Bool) async throws {
        let context = try await store(storage, .deny).mainContext
        let owner = try context.insert(entity: "Owner")
        let member = try context.insert(entity: "Member")
        if storage == .requiredInverse {
            try member.setRelated("owner", [context.insert(entity: "Owner")])
        }
        try await context.save()
        try owner.setRelated("members", [member])
        if isSaved { try await context.save() }
        context.delete(owner)
        let error = await #expect(throws: PersistenceError.self) { try await context.save() }
        #expect(error?.validationErrors.map(\.code) == [.deletionDenied])
        #expect(error?.validationErrors.map(\.objectID) == [owner.objectID])
        // The destination is deleted as well.
        context.delete(member)
        try await context.save()
        #expect(try counts() == [[storage == .requiredInverse ? "1" : "0", "0", "0"]])
    }

    // MARK: Changes of others

    @Test(arguments: Storage.allCases)
    func denyHoldsForDestinationsThatOthersHaveSaved(storage: Storage) async throws {
        let context = try await store(storage, .deny).mainContext
        let owner = try context.insert(entity: "Owner")
        try await context.save()
        context.delete(owner)
        let key = owner.objectID.key
        let result = try await files.save(
            context, by: { try await context.save() },
            otherWrite: storage.relate(900_000, to: key, in: context.model, isNew: true)
        ) {}
        #expect(deniedDeletions(result) == [owner.objectID])
        #expect(try counts() == [["1", "1", "0"]])
        #expect(context.hasChanges)
        context.rollback()
        #expect(owner.objectState == .saved)
        #expect(try owner.related("members").map(\.objectID.key) == [900_000])
    }

    @Test(arguments: Storage.allCases)
    func cascadeDeletesDestinationsThatOthersHaveSaved(storage: Storage) async throws {
        let store = try await store(storage, .cascade)
        let context = store.mainContext
        let owner = try context.insert(entity: "Owner")
        try await context.save()
        var commits = store.commits.makeAsyncIterator()
        context.delete(owner)
        let relate = try storage.relate(
            900_000, to: owner.objectID.key, in: context.model, isNew: true)
        let result = try await files.save(
            context, by: { try await context.save() },
            otherWrite: relate
                + "; INSERT INTO Part (restkit_key, member) VALUES (900001, 900000)"
        ) {}
        #expect(try result.get().deleted == 3)
        #expect(try counts() == [["0", "0", "0"]])
        var deleted: Set<Int64> = []
        while deleted.isEmpty, let commit = await commits.next() {
            deleted.formUnion(commit.deletedIDs.map(\.key))
        }
        #expect(deleted == [owner.objectID.key, 900_000, 900_001])
        #expect(try await store.checkIntegrity() == [])
    }

    /// The destination was another object's when the context applied the rule.
    @Test(arguments: Storage.allCases)
    func cascadeDeletesEditedDestination(storage: Storage) async throws {
        let context = try await store(storage, .cascade).mainContext
        let owner = try context.insert(entity: "Owner")
        let member = try context.insert(entity: "Member")
        let part = try context.insert(entity: "Part")
        try part.setRelated("member", [member])
        if storage == .requiredInverse {
            try member.setRelated("owner", [context.insert(entity: "Owner")])
        }
        try await context.save()
        try member.setValue("edited", "note")
        context.delete(owner)
        let result = try await files.save(
            context, by: { try await context.save() },
            otherWrite: storage.relate(
                member.objectID.key, to: owner.objectID.key, in: context.model, isNew: false)
        ) {}
        #expect(try result.get().deleted == 3)
        #expect(try counts() == [[storage == .requiredInverse ? "1" : "0", "0", "0"]])
        #expect(!context.hasChanges)
        #expect(try context.fetch(FetchRequest("Member")).isEmpty)
        _ = try? member.value("note", as: String?.self)
        #expect(member.objectState == .deleted)
    }

    /// A destination that the context has taken away stays.
    @Test(arguments: [DeleteRule.deny, .cascade])
    func movedDestinationStays(rule: DeleteRule) async throws {
        let context = try await store(.inverse, rule).mainContext
        let owner = try context.insert(entity: "Owner")
        let member = try context.insert(entity: "Member")
        try owner.setRelated("members", [member])
        try await context.save()
        let other = try context.insert(entity: "Owner")
        try member.setRelated("owner", [other])
        context.delete(owner)
        try await context.save()
        #expect(try counts() == [["1", "1", "0"]])
        #expect(try other.related("members") == [member])
    }
}
