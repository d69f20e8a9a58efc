// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import RestMapping
import RestPersistence
import TestSupport
import Testing

/// Ordered lists whose members move, by their own references and by the lists of others, in documents that
/// arrive in any order.
///
/// Set `RESTKIT_PAYLOAD_CASES` for more cases.
@Suite struct MovedMemberTests {
    private static let cases = TestEnvironment.number("RESTKIT_PAYLOAD_CASES") ?? 40

    private static let reference = ReferenceDescription(by: "id")
    private static let entities = [
        EntityDescription(
            "Column", attributes: [AttributeDescription("id", .integer, isIdentity: true)],
            relationships: [
                .toMany(
                    "cards", "Card", inverse: "column", isOrdered: true, reference: reference),
                .toMany(
                    "pins", "Card", inverse: "boards", isOrdered: true, reference: reference),
            ]),
        EntityDescription("Lane", inheriting: "Column", attributes: []),
        EntityDescription(
            "Card", attributes: [AttributeDescription("id", .integer, isIdentity: true)],
            relationships: [
                .toOne("column", "Column", inverse: "cards", reference: reference),
                .toMany("boards", "Column", inverse: "pins", reference: reference),
            ]),
        EntityDescription("Task", inheriting: "Card", attributes: []),
    ]

    private static func lines(of context: ManagedObjectContext) throws -> [String] {
        func ids(_ object: ManagedObject, _ relationship: String) throws -> [Int] {
            try object.related(relationship).map { try $0.value("id", as: Int.self) }
        }
        var lines: [String] = []
        for column in try context.fetch(FetchRequest("Column")) {
            let id = try column.value("id", as: Int.self)
            lines.append("\(id): \(try ids(column, "cards")) \(try ids(column, "pins"))")
        }
        for card in try context.fetch(FetchRequest("Card")) {
            let id = try card.value("id", as: Int.self)
            lines.append("\(id) in \(try ids(card, "column")) \(try ids(card, "boards").sorted())")
        }
        return lines.sorted()
    }

    @Test(arguments: [false, true])
    func placesFollowRuleOfLastDocument(savesAlways: Bool) async throws {
        for seed in 0..<Self.cases {
            let files = try TemporaryStore()
            let store = try await files.open(Self.entities)
            var generator = SeededGenerator(state: UInt64(seed))
            var board = Board()
            var imports = ImportSequence(in: store.model)
            for _ in 0..<10 {
                let (entity, text) = board.document(&generator)
                let saves = savesAlways || Bool.random(using: &generator)
                try imports.add(entity, text, saves: saves, expecting: board.lines)
            }
            let difference = try await imports.difference(in: store, Self.lines)
            #expect(difference == nil, "seed \(seed)")
        }
    }

    /// The row of the card, which another context has inserted meanwhile in a list, loses its place there.
    @Test func unitedRowIsLastOfItsNewList() async throws {
        let files = try TemporaryStore()
        let store = try await files.open(Self.entities)
        try await store.load("Card", #"[{"id": 11}, {"id": 12}]"#)
        try await store.load("Column", #"[{"id": 1, "cards": []}, {"id": 2, "cards": [11, 12]}]"#)
        let plan = try EntityMappingPlan(
            EntityMapping(
                ObjectMapping(defaultFor: try #require(store.model.properties(of: "Card")))),
            in: store.model)
        let document = try Document(parsing: #"{"id": 3, "column": 2}"#)
        let context = store.makeContext()
        _ = try context.importObjects(from: document.root, by: plan)
        try await store.load("Card", #"[{"id": 3}]"#)
        try await store.load("Column", #"{"id": 1, "cards": [3]}"#)
        try await context.save()
        let lines = try await store.read { try Self.lines(of: $0) }
        #expect(lines.contains("1: [] []"))
        #expect(lines.contains("2: [11, 12, 3] []"))
    }
}

/// The rule of lists, as simple as it can be.
private struct Board {
    private struct Place {
        var column: Int
        /// `nil` for a card that is in no list, and the last.
        var position: Int?
    }

    private struct Waiting {
        let card: Int
        let position: Int
    }

    private var columns: Set<Int> = []
    /// The cards, the oldest first.
    private var cards: [Int] = []
    private var places: [Int: Place] = [:]
    private var pins: [Int: [Int: Int?]] = [:]
    private var waitingCards: [Int: [Waiting]] = [:]
    private var waitingPins: [Int: [Waiting]] = [:]
    private var waitingColumn: [Int: Int] = [:]
    private var waitingBoards: [Int: [Int]] = [:]

    var lines: [String] {
        func sorted(_ places: [(card: Int, position: Int?)]) -> [Int] {
            places.sorted {
                ($0.position ?? .max, cards.firstIndex(of: $0.card) ?? 0)
                    < ($1.position ?? .max, cards.firstIndex(of: $1.card) ?? 0)
            }.map(\.card)
        }
        var lines = columns.map { column in
            let own = places.filter { $0.value.column == column }
            let cards = sorted(own.map { ($0.key, $0.value.position) })
            let pinned = sorted((pins[column] ?? [:]).map { ($0.key, $0.value) })
            return "\(column): \(cards) \(pinned)"
        }
        for card in cards {
            let column = places[card].map { [$0.column] } ?? []
            lines.append("\(card) in \(column) \(boards(of: card))")
        }
        return lines.sorted()
    }

    private func boards(of card: Int) -> [Int] {
        pins.filter { $0.value.keys.contains(card) }.keys.sorted()
    }

    /// Returns a document, and takes it.
    mutating func document(
        _ generator: inout SeededGenerator
    ) -> (entity: String, text: String) {
        let isColumn = Bool.random(using: &generator)
        if isColumn {
            let column = Int.random(in: 1...3, using: &generator)
            var members: [String] = [#""id": \#(column)"#]
            let list = Self.list(11...15, &generator)
            let pinned = Self.list(11...15, &generator)
            if let list { members.append(#""cards": \#(list)"#) }
            if let pinned { members.append(#""pins": \#(pinned)"#) }
            take(column: column, list, pinned)
            return (column == 2 ? "Lane" : "Column", "{\(members.joined(separator: ", "))}")
        }
        let card = Int.random(in: 11...15, using: &generator)
        var members: [String] = [#""id": \#(card)"#]
        var column: Int??
        if Int.random(in: 0..<3, using: &generator) > 0 {
            column = .some([nil, 1, 2, 3, 1, 2, 3].randomElement(using: &generator) ?? nil)
            members.append(#""column": \#((column ?? nil).map(String.init) ?? "null")"#)
        }
        let boards = Self.list(1...3, &generator)
        if let boards { members.append(#""boards": \#(boards)"#) }
        take(card: card, column, boards)
        return (card % 2 == 0 ? "Task" : "Card", "{\(members.joined(separator: ", "))}")
    }

    /// Returns some numbers in any order; `nil` for none.
    private static func list(
        _ range: ClosedRange<Int>, _ generator: inout SeededGenerator
    ) -> [Int]? {
        if Int.random(in: 0..<3, using: &generator) == 0 { return nil }
        return Array(
            range.shuffled(using: &generator).prefix(
                Int.random(in: 0...range.count, using: &generator)))
    }

    private mutating func take(column: Int, _ list: [Int]?, _ pinned: [Int]?) {
        let isNew = columns.insert(column).inserted
        if let list {
            for (card, place) in places where place.column == column && !list.contains(card) {
                places[card] = nil
            }
            waitingCards[column] = []
            for (position, card) in list.enumerated() {
                if cards.contains(card) {
                    places[card] = Place(column: column, position: position)
                    waitingColumn[card] = nil
                } else {
                    for other in Array(waitingCards.keys) {
                        waitingCards[other]?.removeAll { $0.card == card }
                    }
                    waitingCards[column]?.append(Waiting(card: card, position: position))
                }
            }
        }
        if let pinned {
            let known = pinned.enumerated().filter { cards.contains($0.element) }
            pins[column] = Dictionary(
                uniqueKeysWithValues: known.map { ($0.element, $0.offset) })
            waitingPins[column] = pinned.enumerated().filter { !cards.contains($0.element) }.map {
                Waiting(card: $0.element, position: $0.offset)
            }
        }
        if !isNew { return }
        for (card, awaited) in waitingColumn where awaited == column {
            if list == nil { places[card] = Place(column: column, position: nil) }
            waitingColumn[card] = nil
        }
        for (card, awaited) in waitingBoards where awaited.contains(column) {
            if pinned == nil { pins[column, default: [:]].updateValue(nil, forKey: card) }
            waitingBoards[card]?.removeAll { $0 == column }
        }
    }

    private mutating func take(card: Int, _ column: Int??, _ boards: [Int]?) {
        let isNew = !cards.contains(card)
        if isNew { cards.append(card) }
        if let column {
            waitingColumn[card] = nil
            if let column, columns.contains(column) {
                if places[card]?.column != column {
                    places[card] = Place(column: column, position: nil)
                }
            } else {
                places[card] = nil
                waitingColumn[card] = column
            }
        }
        if let boards {
            for other in columns {
                if !boards.contains(other) {
                    pins[other]?[card] = nil
                } else if pins[other]?[card] == nil {
                    pins[other, default: [:]].updateValue(nil, forKey: card)
                }
            }
            waitingBoards[card] = boards.filter { !columns.contains($0) }
        }
        if !isNew { return }
        for (owner, waiting) in waitingCards {
            guard let place = waiting.first(where: { $0.card == card }) else { continue }
            if column == nil || places[card]?.column == owner {
                places[card] = Place(column: owner, position: place.position)
            }
            waitingCards[owner]?.removeAll { $0.card == card }
        }
        for (owner, waiting) in waitingPins {
            guard let place = waiting.first(where: { $0.card == card }) else { continue }
            if boards?.contains(owner) != false {
                pins[owner, default: [:]].updateValue(place.position, forKey: card)
            }
            waitingPins[owner]?.removeAll { $0.card == card }
        }
    }
}
