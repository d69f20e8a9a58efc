// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import RestMapping
import RestPersistence
import TestSupport
import Testing

/// Partners that wait for each other, where both sides of the relationship are one property.
///
/// Set `RESTKIT_PAYLOAD_CASES` for more cases.
@Suite struct WaitingPartnerTests {
    private static let cases = TestEnvironment.number("RESTKIT_PAYLOAD_CASES") ?? 40

    private static let entities = [
        EntityDescription(
            "Person", attributes: [AttributeDescription("id", .integer, isIdentity: true)],
            relationships: [
                .toOne(
                    "spouse", "Person", inverse: "spouse", reference: ReferenceDescription(by: "id")
                )
            ]),
        EntityDescription("Employee", inheriting: "Person", attributes: []),
    ]

    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    private static func lines(of context: ManagedObjectContext) throws -> [String] {
        var lines: [String] = []
        for person in try context.fetch(FetchRequest("Person")) {
            let spouse = try person.related("spouse").map { try $0.value("id", as: Int.self) }
            lines.append("\(try person.value("id", as: Int.self)) \(spouse)")
        }
        for reference in try context.pendingReferences(ofEntity: "Person") {
            let owner = try context.object(with: reference.owner)
            lines.append("\(try owner.value("id", as: Int.self)) waits for \(reference.identity)")
        }
        return lines.sorted()
    }

    /// Documents, and the lines afterwards.
    private static let arrivals: [(texts: [String], lines: [String])] = [
        ([#"{"id": 1, "spouse": 2}"#, #"{"id": 2}"#], ["1 [2]", "2 [1]"]),
        ([#"{"id": 1, "spouse": 2}"#, #"{"id": 2, "spouse": 1}"#], ["1 [2]", "2 [1]"]),
        ([#"{"id": 1, "spouse": 2}"#, #"{"id": 2, "spouse": null}"#], ["1 []", "2 []"]),
        (
            [#"{"id": 3}"#, #"{"id": 1, "spouse": 2}"#, #"{"id": 2, "spouse": 3}"#],
            ["1 []", "2 [3]", "3 [2]"]
        ),
        (
            [#"{"id": 1, "spouse": 2}"#, #"{"id": 2, "spouse": 3}"#],
            ["1 []", "2 []", "2 waits for integer(3)"]
        ),
        (
            [#"{"id": 1, "spouse": 2}"#, #"{"id": 2, "spouse": 3}"#, #"{"id": 3}"#],
            ["1 []", "2 [3]", "3 [2]"]
        ),
        (
            [#"{"id": 1, "spouse": 2}"#, #"{"id": 2, "spouse": 3}"#, #"{"id": 3, "spouse": 1}"#],
            ["1 [3]", "2 []", "3 [1]"]
        ),
        // The newer of two references.
        (
            [#"{"id": 1, "spouse": 2}"#, #"{"id": 3, "spouse": 2}"#, #"{"id": 2}"#],
            ["1 []", "2 [3]", "3 [2]"]
        ),
        // A former partner.
        (
            [
                #"[{"id": 1, "spouse": 3}, {"id": 3}]"#, #"{"id": 1, "spouse": 2}"#,
                #"{"id": 2}"#,
            ], ["1 [2]", "2 [1]", "3 []"]
        ),
        // Another partner meanwhile.
        (
            [
                #"{"id": 3}"#, #"{"id": 1, "spouse": 2}"#, #"{"id": 3, "spouse": 1}"#,
                #"{"id": 2}"#,
            ], ["1 [3]", "2 []", "3 [1]"]
        ),
        ([#"[{"id": 2}, {"id": 1, "spouse": 2}]"#], ["1 [2]", "2 [1]"]),
    ]

    @Test(arguments: arrivals.indices, [false, true])
    func bothSidesAgreeWhenPartnerArrives(_ index: Int, savesBetween: Bool) async throws {
        let (texts, expected) = Self.arrivals[index]
        let store = try await files.open(Self.entities)
        var imports = ImportSequence(in: store.model)
        for (number, text) in texts.enumerated() {
            try imports.add(
                "Person", text, saves: savesBetween,
                expecting: number == texts.count - 1 ? expected : nil)
        }
        #expect(try await imports.difference(in: store, Self.lines) == nil)
        #expect(
            try files.rows(
                """
                SELECT count(*) FROM Person a LEFT JOIN Person b ON b.restkit_key = a.spouse
                WHERE a.spouse IS NOT NULL AND b.spouse IS NOT a.restkit_key
                """) == [["0"]])
    }

    /// The partner that a program gives the arriving object is newer than the reference that waits for it.
    @Test func insertedPartnerKeepsItsPartner() async throws {
        let store = try await files.open(Self.entities)
        try await store.load("Person", #"[{"id": 1, "spouse": 2}, {"id": 3}]"#)
        try await store.perform { context in
            let third = try context.fetch(
                FetchRequest("Person", where: .attribute("id", .equal, 3)))
            let second = try context.insert(entity: "Person")
            try second.setValue(2, "id")
            try second.setRelated("spouse", third)
            try context.save()
            #expect(try Self.lines(of: context) == ["1 []", "2 [3]", "3 [2]"])
        }
        #expect(try await store.read { try Self.lines(of: $0) } == ["1 []", "2 [3]", "3 [2]"])
    }

    @Test func partnersFollowNaiveModel() async throws {
        for seed in 0..<Self.cases {
            let files = try TemporaryStore()
            let store = try await files.open(Self.entities)
            var generator = SeededGenerator(state: UInt64(seed))
            var couples = Couples()
            var imports = ImportSequence(in: store.model)
            for _ in 0..<10 {
                let id = Int.random(in: 1...4, using: &generator)
                var text = #"{"id": \#(id)}"#
                switch Int.random(in: 0..<6, using: &generator) {
                case 0: couples.take(id, nil)
                case 1:
                    text = #"{"id": \#(id), "spouse": null}"#
                    couples.take(id, .some(nil))
                default:
                    let other = Int.random(in: 1...3, using: &generator)
                    let partner = other >= id ? other + 1 : other
                    text = #"{"id": \#(id), "spouse": \#(partner)}"#
                    couples.take(id, partner)
                }
                try imports.add(
                    id % 2 == 0 ? "Person" : "Employee", text,
                    saves: Bool.random(using: &generator), expecting: couples.lines)
            }
            let difference = try await imports.difference(in: store, Self.lines)
            #expect(difference == nil, "seed \(seed)")
        }
    }
}

/// The expected partners.
private struct Couples {
    private var known: Set<Int> = []
    private var partners: [Int: Int] = [:]
    private var waiting: [Int: Int] = [:]

    var lines: [String] {
        let people = known.map { "\($0) \(partners[$0].map { [$0] } ?? [])" }
        return (people + waiting.map { "\($0.key) waits for integer(\($0.value))" }).sorted()
    }

    private mutating func separate(_ id: Int) {
        if let partner = partners.removeValue(forKey: id) { partners[partner] = nil }
    }

    private mutating func join(_ id: Int, _ other: Int) {
        for one in [id, other] {
            separate(one)
            waiting[one] = nil
        }
        (partners[id], partners[other]) = (other, id)
    }

    /// Takes a document; without a partner if the key is absent.
    mutating func take(_ id: Int, _ partner: Int??) {
        let isNew = known.insert(id).inserted
        if let partner {
            waiting[id] = nil
            if let partner, known.contains(partner) {
                join(id, partner)
            } else {
                separate(id)
                if let partner {
                    waiting = waiting.filter { $0.value != partner }
                    waiting[id] = partner
                }
            }
        }
        guard isNew, let owner = waiting.first(where: { $0.value == id })?.key else { return }
        waiting[owner] = nil
        if partner == nil { join(owner, id) }
    }
}
