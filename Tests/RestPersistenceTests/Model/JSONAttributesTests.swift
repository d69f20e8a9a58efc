// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import RestMapping
import RestPersistence
import TestSupport
import Testing

private enum Badge: String, AttributeValue {
    case gold
    case silver
}

private struct Address: JSONAttributeValue, Hashable {
    var street: String
    var city: String?
}

/// A value whose parts have no order.
private struct Preferences: JSONAttributeValue, Hashable {
    enum Kind: String, Codable { case mail, push, call }

    struct Rule: Codable, Hashable {
        var hours: Set<Int>
        var names: [String: Int]
    }

    var kinds: Set<Kind>
    var limits: [Kind: Set<Int>]
    var counts: [Int: [String: Int]]
    var rules: Set<Rule>

    /// Creates equal values, whose storages have different capacities and therefore other orders.
    init(capacity: Int) {
        kinds = Set(minimumCapacity: capacity)
        kinds.formUnion([.mail, .push, .call])
        limits = Dictionary(minimumCapacity: capacity)
        var hours = Set<Int>(minimumCapacity: capacity)
        hours.formUnion(0..<40)
        for kind in kinds { limits[kind] = hours }
        counts = Dictionary(minimumCapacity: capacity)
        var names = [String: Int](minimumCapacity: capacity)
        for number in 0..<40 {
            names["\(number)"] = number
            counts[number] = ["a": 1, "b": 2]
        }
        rules = Set(minimumCapacity: capacity)
        for hour in 0..<20 { rules.insert(Rule(hours: hours.union([100 + hour]), names: names)) }
    }
}

/// An entity with attributes of every kind that is stored as JSON, and of large and short types.
private final class Member: ManagedObject {
    var id: UInt64 {
        get { managedValue(0) }
        set { setManagedValue(0, newValue) }
    }
    var tags: [String] {
        get { managedValue(1) }
        set { setManagedValue(1, newValue) }
    }
    var badges: Set<Badge> {
        get { managedValue(2) }
        set { setManagedValue(2, newValue) }
    }
    var scores: [String: [Double?]] {
        get { managedValue(3) }
        set { setManagedValue(3, newValue) }
    }
    var address: Address? {
        get { managedValue(4) }
        set { setManagedValue(4, newValue) }
    }
    var former: [Address] {
        get { managedValue(5) }
        set { setManagedValue(5, newValue) }
    }
    var birthday: CalendarDate? {
        get { managedValue(6) }
        set { setManagedValue(6, newValue) }
    }
}

extension Member: ManagedEntity {
    static let entity = EntityDescription(
        Member.self,
        [
            .property("id", \Member.id, isIdentity: true),
            .property("tags", \Member.tags, default: []),
            .property("badges", \Member.badges, default: []),
            .property("scores", \Member.scores, default: [:]),
            .property("address", \Member.address),
            .property("former", \Member.former, default: []),
            .property("birthday", \Member.birthday),
        ])
}

@Suite struct JSONAttributesTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    private static let ann = """
        {"id": 18446744073709551615, "tags": ["b", "a\\u0000\\"", "é"],
         "badges": ["silver", "gold", "silver"], "scores": {"y": [1.5, null], "x": []},
         "address": {"street": "Main", "city": null}, "former": [{"street": "Old", "city": "Oslo"}],
         "birthday": "1982-11-27"}
        """

    private func open() async throws -> ManagedObjectStore {
        try await ManagedObjectStore(at: files.file, entities: Member.self)
    }

    private func load(
        _ text: String, into store: ManagedObjectStore
    ) async throws -> (result: ImportResult, saved: SaveReport) {
        let plan = try EntityMappingPlan(EntityMapping(Member.self), in: store.model)
        let document = try Document(parsing: text)
        return try await store.perform { context in
            let result = try context.importObjects(from: document.root, by: plan)
            return (result, try context.save())
        }
    }

    @Test func equalValuesHaveEqualTexts() throws {
        let (first, second) = (Preferences(capacity: 1), Preferences(capacity: 5_000))
        #expect(first == second)
        #expect(first.storedValue == second.storedValue)
        #expect(Preferences(storedValue: first.storedValue) == first)
    }

    @Test func storesPlainJSONText() async throws {
        let store = try await open()
        let (result, saved) = try await load(Self.ann, into: store)
        #expect(result.report.issues.isEmpty)
        #expect(saved.inserted == 1)
        #expect(
            try files.rows("SELECT id, tags, badges, scores, address, former, birthday FROM Member")
                == [
                    [
                        "18446744073709551615", #"["b","a\u0000\"","é"]"#, #"["gold","silver"]"#,
                        #"{"x":[],"y":[1.5,null]}"#, #"{"street":"Main"}"#,
                        #"[{"city":"Oslo","street":"Old"}]"#, "1982-11-27",
                    ]
                ])
        #expect(
            try files.rows(
                "SELECT j.value FROM Member, json_each(Member.badges) j ORDER BY j.key")
                == [["gold"], ["silver"]])
    }

    @Test func readsValuesOfTheirTypes() async throws {
        let store = try await open()
        let id = try await load(Self.ann, into: store).result.objectIDs[0]
        try await store.perform { context in
            let member = try context.object(Member.self, with: id)
            #expect(member.id == .max)
            #expect(member.tags == ["b", "a\0\"", "é"])
            #expect(member.badges == [.gold, .silver])
            #expect(member.scores == ["x": [], "y": [1.5, nil]])
            #expect(member.address == Address(street: "Main"))
            #expect(member.former == [Address(street: "Old", city: "Oslo")])
            #expect(member.birthday == CalendarDate(year: 1982, month: 11, day: 27))
        }
    }

    @Test func writesNoRowForEqualValues() async throws {
        let store = try await open()
        _ = try await load(Self.ann, into: store)
        let reordered = Self.ann.replacing(
            #"["silver", "gold", "silver"]"#, with: #"["gold", "silver"]"#
        ).replacing(#"{"y": [1.5, null], "x": []}"#, with: #"{"x": [], "y": [15e-1, null]}"#)
        #expect(reordered != Self.ann)
        #expect(try await load(reordered, into: store).saved == SaveReport(unchanged: 1))
        let changed = Self.ann.replacing(#""b", "#, with: "")
        #expect(try await load(changed, into: store).saved == SaveReport(updated: 1))
    }

    @Test func changesThroughPropertiesAreSaved() async throws {
        let store = try await open()
        let id = try await load(Self.ann, into: store).result.objectIDs[0]
        try await store.perform { context in
            let member = try context.object(Member.self, with: id)
            member.tags.append("c")
            member.badges.remove(.gold)
            member.scores["x"] = nil
            member.address?.city = "Bergen"
            member.birthday = nil
            try context.save()
        }
        #expect(
            try files.rows("SELECT tags, badges, scores, address, birthday FROM Member") == [
                [
                    #"["b","a\u0000\"","é","c"]"#, #"["silver"]"#, #"{"y":[1.5,null]}"#,
                    #"{"city":"Bergen","street":"Main"}"#, "-",
                ]
            ])
    }

    @Test func newObjectsHaveDefaults() async throws {
        let store = try await open()
        try await store.perform { context in
            let member = try context.insert(Member.self)
            member.id = 1
            #expect(member.tags == [] && member.badges == [] && member.scores == [:])
            #expect(member.address == nil && member.former == [])
            try context.save()
        }
        #expect(
            try files.rows("SELECT tags, scores, address FROM Member") == [["[]", "{}", "-"]])
    }

    @Test func predicatesCompareWholeValues() async throws {
        let store = try await open()
        _ = try await load(Self.ann, into: store)
        try await store.perform { context in
            func count(_ predicate: (FetchSubject<Member>) -> FetchPredicate) throws -> Int {
                try context.fetch(Member.self, where: predicate).count
            }
            #expect(try count { $0.badges == [.silver, .gold] } == 1)
            #expect(try count { $0.badges == [.gold] } == 0)
            #expect(try count { $0.id == UInt64.max } == 1)
            #expect(try count { $0.id > 9_999_999_999_999_999_999 } == 1)
            let day = try #require(CalendarDate(year: 1982, month: 11, day: 28))
            #expect(try count { $0.birthday < day } == 1)
            #expect(try count { $0.birthday >= day } == 0)
        }
    }

    @Test func requestsContainTheValues() async throws {
        let store = try await open()
        let id = try await load(Self.ann, into: store).result.objectIDs[0]
        let plan = try RequestPlan(Member.self)
        let document = try await store.perform { context in
            try plan.document(of: try context.object(Member.self, with: id))
        }
        let expected = try Document(
            parsing: Self.ann.replacing(#", "city": null"#, with: "")
                .replacing(#"["silver", "gold", "silver"]"#, with: #"["gold", "silver"]"#))
        #expect(document == expected)
    }

    @Test(
        arguments: [
            (#""tags": [1.5, {}]"#, "tags[1]"), (#""badges": ["bronze"]"#, "badges[0]"),
            (#""scores": {"x": ["y"]}"#, "scores.x[0]"), (#""birthday": "1982-02-30""#, "birthday"),
            (#""address": {"city": "Oslo"}"#, "address"),
        ])
    func reportsValuesOfOtherTypes(_ member: String, _ path: String) async throws {
        let store = try await open()
        let (result, _) = try await load(#"{"id": 1, \#(member)}"#, into: store)
        #expect(result.report.issues.map(\.path.description) == [path])
    }

    @Test func entitiesWithoutClassKeepAnyJSON() async throws {
        let store = try await files.open([
            EntityDescription(
                "Event",
                attributes: [
                    AttributeDescription("id", .integer, isIdentity: true),
                    AttributeDescription("payload", .json, isOptional: true),
                    AttributeDescription("day", .day, isOptional: true),
                ])
        ])
        let table = try #require(store.model.properties(of: "Event"))
        let plan = try EntityMappingPlan(
            EntityMapping(ObjectMapping(defaultFor: table)), in: store.model)
        let text =
            #"[{"id":1,"day":"2024-02-29","payload":{"b":[1.0,true],"a":1e400}},{"id":2,"payload":null}]"#
        let request = try RequestPlan(RequestMapping(defaultFor: table))
        let document = try Document(parsing: text)
        let texts = try await store.perform { context in
            let result = try context.importObjects(from: document.root, by: plan)
            try context.save()
            return try result.objectIDs.map { id in
                String(decoding: try request.bytes(of: context.object(with: id)), as: UTF8.self)
            }
        }
        #expect(
            try files.rows("SELECT payload, day FROM Event ORDER BY id") == [
                [#"{"a":1e400,"b":[1.0,true]}"#, "2024-02-29"], ["-", "-"],
            ])
        #expect(
            texts == [
                #"{"id":1,"payload":{"a":1e400,"b":[1.0,true]},"day":"2024-02-29"}"#,
                #"{"id":2,"payload":null,"day":null}"#,
            ])
    }
}
