// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import RestMapping
import RestPersistence
import TestSupport
import Testing

/// Random payloads, first ones and updates, whose effect a naive model predicts.
///
/// Set `RESTKIT_PAYLOAD_CASES` for more cases.
@Suite struct RandomPayloadTests {
    private static let cases = TestEnvironment.number("RESTKIT_PAYLOAD_CASES") ?? 200

    private static let entities = [
        EntityDescription(
            "Person",
            attributes: [
                AttributeDescription("id", .integer, isOptional: true, isIdentity: true),
                AttributeDescription("name", .text, isOptional: true),
            ],
            relationships: [
                .toOne("boss", "Person", reference: ReferenceDescription(by: "id")),
                .toOne("mentor", "Person"),
                .toMany("tags", "Tag", reference: ReferenceDescription(by: "id")),
                .toMany(
                    "route", "Tag", isOrdered: true, reference: ReferenceDescription(by: "id")),
                .toMany("notes", "Note", inverse: "person", isOrdered: true),
            ]),
        EntityDescription(
            "Tag",
            attributes: [AttributeDescription("id", .integer, isIdentity: true)]),
        EntityDescription(
            "Note",
            attributes: [
                AttributeDescription("id", .integer, isIdentity: true),
                AttributeDescription("text", .text, isOptional: true),
            ],
            relationships: [.toOne("person", "Person")]),
    ]

    @Test func storeEqualsNaiveModel() async throws {
        for chunk in 0..<(Self.cases + 49) / 50 {
            let files = try TemporaryStore()
            let store = try await files.open(Self.entities)
            let plans = try ["Person", "Tag"].map { entity in
                try EntityMappingPlan(
                    EntityMapping(
                        ObjectMapping(defaultFor: try #require(store.model.properties(of: entity)))),
                    in: store.model)
            }
            for seed in chunk * 50..<min(chunk * 50 + 50, Self.cases) {
                var generator = SeededGenerator(state: UInt64(seed))
                // Each case has objects of its own in the same store.
                var model = NaiveModel(offset: seed * 100)
                var payloads: [String] = []
                for _ in 0..<4 {
                    let isTags = Int.random(in: 0..<4, using: &generator) == 0
                    let text =
                        isTags ? model.tags(&generator) : model.people(&generator)
                    payloads.append(text)
                    let document = try Document(parsing: text)
                    let plan = plans[isTags ? 1 : 0]
                    let offset = model.offset
                    let found = try await store.perform { context in
                        _ = try context.importObjects(from: document.root, by: plan)
                        try context.save()
                        return try Self.lines(of: context, offset)
                    }
                    let expected = model.lines
                    #expect(found == expected, "seed \(seed): \(payloads)")
                    if found != expected { return }
                }
            }
        }
    }

    /// Returns the content of a context as text, without objects of other cases.
    private static func lines(
        of context: ManagedObjectContext, _ offset: Int
    ) throws -> [String] {
        let range = offset..<offset + 100
        func id(_ object: ManagedObject) throws -> Int? { try object.value("id", as: Int?.self) }
        var lines: [String] = []
        for person in try context.fetch(FetchRequest("Person")) {
            guard let number = try id(person), range.contains(number) else { continue }
            let name = try person.value("name", as: String?.self) ?? "-"
            let boss = try person.related("boss").compactMap(id)
            let mentor = try person.related("mentor").map { try id($0) ?? -1 }
            let tags = try person.related("tags").compactMap(id).sorted()
            let route = try person.related("route").compactMap(id)
            let notes = try person.related("notes").map { note in
                "\(try id(note) ?? -1)\(try note.value("text", as: String?.self) ?? "-")"
            }
            lines.append("\(number) \(name) \(boss) \(mentor) \(tags) \(route) \(notes)")
        }
        return lines.sorted()
    }
}

/// The expected content of a store: what the documents said last, without what does not exist.
private struct NaiveModel {
    struct Person {
        var name: String?
        var boss: Int?
        var mentor: Int?
        var tags: [Int] = []
        var route: [Int] = []
        var notes: [Int] = []
    }

    let offset: Int
    private var persons: [Int: Person] = [:]
    private var knownTags: Set<Int> = []
    private var texts: [Int: String?] = [:]

    init(offset: Int) { self.offset = offset }

    var lines: [String] {
        persons.map { id, person in
            let boss = [person.boss].compactMap(\.self).filter { persons[$0] != nil }
            let mentor = [person.mentor].compactMap(\.self)
            let tags = Set(person.tags).filter(knownTags.contains).sorted()
            let route = person.route.filter(knownTags.contains)
            let notes = person.notes.map { "\($0)\((texts[$0] ?? nil) ?? "-")" }
            return "\(id) \(person.name ?? "-") \(boss) \(mentor) \(tags) \(route) \(notes)"
        }.sorted()
    }

    /// Returns a list of tags, and adds them.
    mutating func tags(_ generator: inout SeededGenerator) -> String {
        let ids = numbers(0..<8, 3, &generator)
        knownTags.formUnion(ids)
        return "[" + ids.map { #"{"id": \#($0)}"# }.joined(separator: ",") + "]"
    }

    /// Returns a list of persons, and adds them.
    mutating func people(_ generator: inout SeededGenerator) -> String {
        var objects: [String] = []
        var freeNotes = numbers(20..<30, 10, &generator)
        for id in numbers(0..<8, 4, &generator) {
            // An object without identity is always new.
            let isAnonymous = Int.random(in: 0..<8, using: &generator) == 0
            var person = isAnonymous ? Person() : persons[id] ?? Person()
            var members = isAnonymous ? [#""id": null"#] : [#""id": \#(id)"#]
            if Bool.random(using: &generator) {
                person.name = Bool.random(using: &generator) ? "n\(objects.count)" : nil
                members.append(#""name": \#(person.name.map { "\"\($0)\"" } ?? "null")"#)
            }
            if Bool.random(using: &generator) {
                person.boss = numbers(0..<10, 1, &generator).first
                members.append(#""boss": \#(person.boss.map(String.init) ?? "null")"#)
            }
            for isRoute in [false, true] where Bool.random(using: &generator) {
                let isNull = Int.random(in: 0..<4, using: &generator) == 0
                let ids = isNull ? [] : numbers(0..<10, 4, &generator)
                if isRoute { person.route = ids } else { person.tags = ids }
                members.append(#""\#(isRoute ? "route" : "tags")": \#(isNull ? "null" : "\(ids)")"#)
            }
            if !isAnonymous { persons[id] = person }
            if Bool.random(using: &generator) {
                let count = min(Int.random(in: 0..<4, using: &generator), freeNotes.count)
                let notes = Array(freeNotes.prefix(count))
                freeNotes.removeFirst(count)
                for owner in persons.keys {
                    persons[owner]?.notes.removeAll { notes.contains($0) }
                }
                var texts: [String] = []
                for note in notes {
                    var text = #"{"id": \#(note)"#
                    if Bool.random(using: &generator) {
                        self.texts[note] = .some("t\(objects.count)")
                        text += #", "text": "t\#(objects.count)""#
                    }
                    texts.append(text + "}")
                }
                members.append(#""notes": [\#(texts.joined(separator: ","))]"#)
                if !isAnonymous { persons[id]?.notes = notes }
            }
            if Int.random(in: 0..<3, using: &generator) == 0 {
                // A person of another range, so that no object occurs twice with other names.
                let mentor = offset + 40 + Int.random(in: 0..<4, using: &generator)
                members.append(#""mentor": {"id": \#(mentor), "name": "m"}"#)
                persons[mentor, default: Person()].name = "m"
                if !isAnonymous { persons[id]?.mentor = mentor }
            }
            objects.append("{" + members.joined(separator: ", ") + "}")
        }
        return "[" + objects.joined(separator: ",") + "]"
    }

    /// Returns different numbers of a range, at most a count of them.
    private func numbers(
        _ range: Range<Int>, _ count: Int, _ generator: inout SeededGenerator
    ) -> [Int] {
        let all = range.map { $0 + offset }.shuffled(using: &generator)
        return Array(all.prefix(Int.random(in: 0...count, using: &generator)))
    }
}
