// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestTesting
import Synchronization
import TestSupport
import Testing

@Mapped private final class Member {
    var name: String?
    var friends: [Human] = []
    var friendsSet: Set<Human> = []
    var friendsOrderedSet: DistinctArray<Human> = []
    @MappedKey("best_friend") var bestFriend: Human?
    var byRole: [String: Human] = [:]
    var members: Set<Nested> = []
}

@Mapped private final class Nested: Hashable {
    var name: String?
    var bestFriend: Human?
    var cat: Human?
    var friends: [Nested] = []

    static func == (left: Nested, right: Nested) -> Bool { left === right }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

@Mapped private struct Address {
    var city: String
}

@Mapped private struct Badge {
    let number: Int
    let holder: Human
}

private struct Collar: JSONAttributeValue, Hashable {
    var color: String
}

@Entity private final class CollaredCat: ManagedObject {
    @Identity var id: Int
    var collar: Collar?
}

@Mapped private final class Basket {
    var place: String?
    var cats: [CollaredCat] = []
}

/// The mappings of plain objects that hold humans, found by their IDs.
private enum PlainMappings {
    static let human: ObjectMapping = {
        var mapping = ObjectMapping(for: Human.self, ["id": "railsID", "name": "name"])
        mapping.policy = .lenient
        return mapping
    }()

    static let member = ObjectMapping(for: Member.self) {
        attribute("name", to: \.name)
        relationship("friends", to: \.friends, mapping: human)
        relationship("friends_set", to: \.friendsSet, mapping: human)
        relationship("friends_ordered_set", to: \.friendsOrderedSet, mapping: human)
        relationship("best_friend", to: \.bestFriend, mapping: human)
        relationship("by_role", to: \.byRole, mapping: human)
        relationship("members", to: \.members, mapping: nested)
    }

    static let nested = ObjectMapping(for: Nested.self) {
        attribute("name", to: \.name)
        relationship("best_friend", to: \.bestFriend, mapping: human)
    }

    /// A mapping of users in users, each with a human that its own scalar identifies.
    static let nestedByScalar: ObjectMapping = {
        let cat = ObjectMapping(for: Human.self, ["favorite_cat_id": "favoriteCatID"])
        let friend = ObjectMapping(for: Nested.self) {
            attribute("name", to: \.name)
            relationship("", to: \.cat, mapping: cat)
        }
        return ObjectMapping(for: Nested.self) {
            attribute("name", to: \.name)
            relationship("", to: \.cat, mapping: cat)
            relationship("friends", to: \.friends, mapping: friend)
        }
    }()

    static let badge = ObjectMapping(for: Badge.self) {
        attribute("number", to: \.number)
        relationship("holder", to: \.holder, mapping: human)
    }

    static func rules(
        _ mapping: some MappingConvertible, by identification: [String] = ["railsID"]
    ) -> EntityMapping {
        EntityMapping(
            mapping, rules: ["Human": EntityRules(identification: identification)])
    }
}

/// Plain objects whose properties are managed objects.
@MainActor @Suite(.tags(.socket)) struct PlainObjectsHoldingManagedOnesTests {
    private static let member = #"""
        {"name":"Blake","friends":[{"id":1,"name":"Ann"},{"id":2,"name":"Bo"}],
        "friends_set":[{"id":1},{"id":3,"name":"Cy"}],
        "friends_ordered_set":[{"id":2},{"id":2},{"id":1}],
        "best_friend":{"id":3},"by_role":{"cook":{"id":4,"name":"Di"}},
        "members":[{"name":"m","best_friend":{"id":1}}]}
        """#

    @Test(.parity("P263", "P266", "P267", "P268"))
    func heldObjectsBelongToCallersContext() async throws {
        try await HumanFixture.run(answering: .json(Self.member)) { fixture in
            try fixture.api.add(ResponseDescriptor(PlainMappings.rules(PlainMappings.member)))
            try await fixture.save([1: "stored"])
            let context = fixture.store.mainContext
            let member: Member = try await fixture.api.get("members/1", in: context)
            #expect(member.name == "Blake")
            #expect(member.friends.map(\.railsID) == [1, 2])
            #expect(member.friends.map(\.name) == ["Ann", "Bo"])
            #expect(Set(member.friendsSet.map(\.railsID)) == [1, 3])
            #expect(member.friendsOrderedSet.elements.map(\.railsID) == [2, 1])
            #expect(member.bestFriend?.name == "Cy")
            #expect(member.byRole["cook"]?.name == "Di")
            let nested = try #require(member.members.first)
            #expect(nested.name == "m")
            #expect(nested.bestFriend === member.friends[0])
            let all =
                member.friends + Array(member.friendsSet) + member.friendsOrderedSet.elements
                + [try #require(member.bestFriend), try #require(nested.bestFriend)]
            #expect(all.allSatisfy { $0.managedObjectContext === context })
            #expect(all.allSatisfy { $0.objectState == .saved })
            #expect(try fixture.humans() == ["1|Ann", "2|Bo", "3|Cy", "4|Di"])
        }
    }

    /// A plain object holds managed ones, of which each holds a plain one.
    @Test(.parity("K032")) func plainAndManagedObjectsNestBothWays() async throws {
        let answer = #"{"place":"porch","cats":[{"id":1,"collar":{"color":"red"}},{"id":2}]}"#
        let temporary = try await TemporaryStore([CollaredCat.self])
        try await LoopbackServer.run({ _ in .json(answer) }) { server in
            let api = try manager(at: server.baseURL)
            try api.add(ResponseDescriptor(Basket.self))
            let context = temporary.store.mainContext
            for _ in 0..<2 {
                let basket: Basket = try await api.get("basket", in: context)
                #expect(type(of: basket) == Basket.self && basket.place == "porch")
                #expect(basket.cats.map(\.managedObjectContext).allSatisfy { $0 === context })
                #expect(basket.cats.map(\.collar) == [Collar(color: "red"), nil])
                let rows = try temporary.rows("SELECT id, collar FROM CollaredCat ORDER BY id")
                #expect(rows == [#"1|{"color":"red"}"#, "2|-"])
            }
            let tables = "SELECT name FROM sqlite_schema WHERE name IN ('Basket', 'Collar')"
            #expect(try temporary.rows(tables).isEmpty)
        }
    }

    @Test(.parity("P264", "K101")) func dynamicRootMixesPlainAndManagedObjects() async throws {
        let answer = #"""
            {"items":[{"kind":"member","name":"Blake","best_friend":{"id":1,"name":"Ann"}},
            {"kind":"address","city":"Oslo"},{"kind":"human","id":1,"name":"Ann"}]}
            """#
        try await HumanFixture.run(answering: .json(answer)) { fixture in
            let root = DynamicMapping([
                MappingMatcher(
                    at: "kind",
                    mappings: [
                        "member": PlainMappings.member,
                        "address": ObjectMapping(for: Address.self),
                        "human": PlainMappings.human,
                    ])
            ])
            try fixture.api.add(
                ResponseDescriptor(PlainMappings.rules(root), keyPath: "items"))
            let context = fixture.store.mainContext.child()
            let result: MappingResult = try await fixture.api.send(
                ManagedRequest(at: "mixed"), in: context)
            #expect(result.count == 3)
            let member = try #require(result.objects(of: Member.self).first)
            #expect(member.bestFriend?.managedObjectContext === context)
            #expect(result.objects(of: Address.self).map(\.city) == ["Oslo"])
            #expect(result.objects(of: Human.self).first === member.bestFriend)
            #expect(result.dictionary["items"]?.count == 3)
            #expect(try fixture.humans() == ["1|Ann"])
        }
    }

    @Test(.parity("P269")) func nestedObjectsHoldObjectsIdentifiedByTheirScalars() async throws {
        let answer = #"""
            {"name":"a","favorite_cat_id":5,"friends":[{"name":"b","favorite_cat_id":6}]}
            """#
        try await HumanFixture.run(answering: .json(answer)) { fixture in
            try fixture.api.add(
                ResponseDescriptor(
                    PlainMappings.rules(PlainMappings.nestedByScalar, by: ["favoriteCatID"])))
            let context = fixture.store.mainContext
            let user: Nested = try await fixture.api.get("users/1", in: context)
            #expect(user.cat?.favoriteCatID == 5)
            #expect(user.cat?.managedObjectContext === context)
            #expect(user.friends.count == 1)
            #expect(user.friends.first?.cat?.favoriteCatID == 6)
            #expect(user.friends.first?.cat?.managedObjectContext === context)
        }
    }

    @Test(.parity("P222")) func responseUpdatesPlainTargetInPlace() async throws {
        try await HumanFixture.run(answering: .json(Self.member)) { fixture in
            try fixture.api.add(ResponseDescriptor(PlainMappings.rules(PlainMappings.member)))
            let target: Member = try Member.fixture()
            let context = fixture.store.mainContext
            let request = ManagedRequest(.get, at: "members/1")
            let result = try await fixture.api.send(request, updating: target, in: context)
            #expect(result.count == 1)
            #expect(result.objects(of: Member.self).first === target)
            #expect(target.name == "Blake")
            #expect(target.friends.map(\.name) == ["Ann", "Bo"])
            #expect(target.friends.allSatisfy { $0.managedObjectContext === context })
        }
    }

    @Test(.parity("P179")) func emptyRepresentationCreatesPlainObject() async throws {
        try await HumanFixture.run(answering: .json("{}")) { fixture in
            try fixture.api.add(ResponseDescriptor(PlainMappings.rules(PlainMappings.member)))
            let member: Member = try await fixture.api.get(
                "members/1", in: fixture.store.mainContext)
            #expect(member.name == nil)
            #expect(member.friends.isEmpty)
        }
    }

    @Test(.parity("K102")) func objectsThatWereNotImportedAreLeftOut() async throws {
        // The longest name has 25 characters.
        let long = String(repeating: "x", count: 26)
        let answer = #"""
            {"name":"Blake","friends":[{"id":1},7,{"id":2},{"id":5,"name":"\#(long)"}],
            "friends_ordered_set":[{"id":9},{"id":2}],"best_friend":{"id":5}}
            """#
        try await HumanFixture.run(answering: .json(answer)) { fixture in
            try fixture.api.add(ResponseDescriptor(PlainMappings.rules(PlainMappings.member)))
            let context = fixture.store.mainContext
            let issues = Journal()
            fixture.api.configure {
                $0.onIssues = { reported in
                    for issue in reported.report.issues { issues.add(issue.path.description) }
                }
            }
            let member: Member = try await fixture.api.get("members/1", in: context) {
                $0.options.willSave = { context, _ in
                    // Deleted before the save: not in the result.
                    for human in try context.fetch(Human.self, where: { $0.railsID == 2 }) {
                        context.delete(human)
                    }
                }
            }
            #expect(member.friends.map(\.railsID) == [1])
            #expect(member.friendsOrderedSet.elements.map(\.railsID) == [9])
            #expect(member.bestFriend == nil)
            #expect(issues.entries.sorted() == ["friends[1]", "friends[3]"])
            #expect(try fixture.humans() == ["1|-", "9|-"])
        }
    }

    @Test(.parity("K103")) func objectDeletedBeforeSaveBecomesNil() async throws {
        let answer = #"{"best_friend":{"id":1},"friends":[{"id":1},{"id":3}]}"#
        try await HumanFixture.run(answering: .json(answer)) { fixture in
            try fixture.api.add(ResponseDescriptor(PlainMappings.rules(PlainMappings.member)))
            let member: Member = try await fixture.api.get(
                "members/1", in: fixture.store.mainContext
            ) {
                $0.options.willSave = { context, _ in
                    for human in try context.fetch(Human.self, where: { $0.railsID == 1 }) {
                        context.delete(human)
                    }
                }
            }
            #expect(member.bestFriend == nil)
            #expect(member.friends.map(\.railsID) == [3])
            #expect(try fixture.humans() == ["3|-"])
        }
    }

    @Test(.parity("P239")) func orphansOfPlainObjectsAreDeleted() async throws {
        try await HumanFixture.run(answering: .json(#"{"best_friend":{"id":1}}"#)) { fixture in
            try fixture.api.add(ResponseDescriptor(PlainMappings.rules(PlainMappings.member)))
            try await fixture.save([1: "mapped", 2: "orphan"])
            fixture.api.addFetchRequestRule { _ in FetchRequest("Human") }
            let member: Member = try await fixture.api.get(
                "members/1", in: fixture.store.mainContext)
            #expect(member.bestFriend?.name == "mapped")
            #expect(try fixture.humans() == ["1|mapped"])
        }
    }

    @Test func responseOfPlainObjectsKeepsOtherObjects() async throws {
        try await HumanFixture.run(answering: .json(#"{"user":{"name":"Blake"}}"#)) { fixture in
            try fixture.api.add(
                ResponseDescriptor(PlainMappings.rules(PlainMappings.member), keyPath: "user"))
            try fixture.api.add(ResponseDescriptor(HumanMappings.human, keyPath: "human"))
            try await fixture.save([1: "other"])
            fixture.api.addFetchRequestRule { _ in FetchRequest("Human") }
            let result: MappingResult = try await fixture.api.send(
                ManagedRequest(at: "users/1"), in: fixture.store.mainContext)
            #expect(result.objects(of: Member.self).map(\.name) == ["Blake"])
            #expect(result.count == 1)
            #expect(try fixture.humans() == ["1|other"])
        }
    }

    @Test(.parity("P255"), arguments: [false, true])
    func responseOfPlainObjectsCanDeleteOrphans(absentListsAreEmpty: Bool) async throws {
        try await HumanFixture.run(answering: .json(#"{"user":{"name":"Blake"}}"#)) { fixture in
            try fixture.api.add(
                ResponseDescriptor(PlainMappings.rules(PlainMappings.member), keyPath: "user"))
            try fixture.api.add(ResponseDescriptor(HumanMappings.human, keyPath: "human"))
            try await fixture.save([1: "orphan"])
            fixture.api.addFetchRequestRule { _ in FetchRequest("Human") }
            var request = ManagedRequest(at: "users/1")
            request.options.treatsAbsentListsAsEmpty = absentListsAreEmpty
            let result: MappingResult = try await fixture.api.send(
                request, in: fixture.store.mainContext)
            #expect(result.objects(of: Member.self).map(\.name) == ["Blake"])
            #expect(result.count == 1)
            #expect(try fixture.humans() == (absentListsAreEmpty ? [] : ["1|orphan"]))
        }
    }

    @Test(.parity("P259")) func plainMappingPreventsAnswerFromStore() async throws {
        let answer = LoopbackResponse.json(
            #"{"human":{"id":1,"name":"Ann"},"user":{"name":"Blake"}}"#,
            headers: [("ETag", "\"a\""), ("Cache-Control", "max-age=600")])
        try await HumanFixture.run({ request in
            request.headers["if-none-match"] == nil ? answer : LoopbackResponse(status: 304)
        }) { fixture in
            fixture.api.configure { $0.client.cache = HTTPCache() }
            try fixture.api.add(ResponseDescriptor(HumanMappings.human, keyPath: "human"))
            try fixture.api.add(
                ResponseDescriptor(PlainMappings.rules(PlainMappings.member), keyPath: "user"))
            fixture.api.addFetchRequestRule { _ in FetchRequest("Human") }
            let context = fixture.store.mainContext
            for _ in 0..<2 {
                let result: MappingResult = try await fixture.api.send(
                    ManagedRequest(at: "mixed"), in: context)
                #expect(result.count == 2)
                #expect(result.dictionary["human"]?.count == 1)
                #expect(result.objects(of: Member.self).map(\.name) == ["Blake"])
            }
            // The server has validated the body of the client's cache.
            #expect(fixture.server.requests.count == 2)
        }
    }

    /// A body that is fresh in the client's cache, but older than the store.
    @Test(arguments: [false, true])
    func freshBodyKeepsNewerRows(intoDefaultStore: Bool) async throws {
        let humans = Mutex(#"[{"id":1,"name":"Ann"}]"#)
        try await HumanFixture.run({ request in
            .json(humans.withLock { $0 }, headers: [("Cache-Control", "max-age=600")])
        }) { fixture in
            fixture.api.configure { $0.client.cache = HTTPCache() }
            fixture.api.addFetchRequestRule { _ in FetchRequest("Human") }
            if intoDefaultStore { fixture.api.store = fixture.store }
            @MainActor func load() async throws {
                if intoDefaultStore {
                    let _: [Human] = try await fixture.api.get("humans")
                } else {
                    let _: [Human] = try await fixture.api.get(
                        "humans", in: fixture.store.mainContext)
                }
            }
            try await load()
            try await fixture.save([2: "Blake"])
            humans.withLock { $0 = #"[{"id":1,"name":"Ann"},{"id":2,"name":"Blake"}]"# }
            try await load()
            #expect(try fixture.humans() == ["1|Ann", "2|Blake"])
        }
    }

    @Test func invalidPlainObjectLeavesStoreUnchanged() async throws {
        let answer = #"{"number":"none","holder":{"id":1,"name":"Ann"}}"#
        try await HumanFixture.run(answering: .json(answer)) { fixture in
            try fixture.api.add(ResponseDescriptor(PlainMappings.rules(PlainMappings.badge)))
            let context = fixture.store.mainContext
            let error = await #expect(throws: NetworkingError.self) {
                _ = try await fixture.api.get("badges/1", as: Badge.self, in: context)
            }
            #expect(error?.code == .mappingFailed)
            #expect(error?.path?.description == "number")
            #expect(try fixture.humans().isEmpty)
            #expect(!context.hasChanges)
        }
    }

    @Test func defaultStoreGivesValueContextOfItsOwn() async throws {
        let answer = #"{"number":7,"holder":{"id":1,"name":"Ann"}}"#
        try await HumanFixture.run(answering: .json(answer)) { fixture in
            try fixture.api.add(ResponseDescriptor(PlainMappings.rules(PlainMappings.badge)))
            let error = await #expect(throws: NetworkingError.self) {
                _ = try await fixture.api.get("badges/1", as: Badge.self)
            }
            #expect("\(try #require(error))".contains("store of the object manager"))
            fixture.api.store = fixture.store
            let badge: Badge = try await fixture.api.get("badges/1")
            #expect(badge.number == 7)
            #expect(badge.holder.name == "Ann")
            #expect(badge.holder.managedObjectContext !== fixture.store.mainContext)
            #expect(try fixture.humans() == ["1|Ann"])
            // The value is the caller's: its context can save.
            badge.holder.name = "Anna"
            try await badge.holder.managedObjectContext.save()
            #expect(try fixture.humans() == ["1|Anna"])
        }
    }

    @Test func reportsIssuesOfAllPartsOnce() async throws {
        let answer = #"""
            {"name":{},"friends":[{"id":1,"name":[]},5]}
            """#
        try await HumanFixture.run(answering: .json(answer)) { fixture in
            try fixture.api.add(ResponseDescriptor(PlainMappings.rules(PlainMappings.member)))
            let issues = Journal()
            fixture.api.configure {
                $0.onIssues = { reported in
                    for issue in reported.report.issues { issues.add(issue.path.description) }
                }
            }
            let member: Member = try await fixture.api.get(
                "members/1", in: fixture.store.mainContext)
            #expect(member.friends.map(\.railsID) == [1])
            #expect(issues.entries.sorted() == ["friends[0].name", "friends[1]", "name"])
        }
    }
}

extension Member {
    /// Creates a member without values.
    fileprivate static func fixture() throws -> Member {
        try MappingPlan(Member.self).object(Member.self, from: Document(parsing: "{}").root)
    }
}
