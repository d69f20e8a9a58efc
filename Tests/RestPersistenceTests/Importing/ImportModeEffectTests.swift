// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import RestPersistence
import TestSupport
import Testing

/// The effect of import modes on one-to-one relationships, ordered lists, references that wait, and connections.
@Suite struct ImportModeEffectTests {
    private static let id = AttributeDescription("id", .integer, isIdentity: true)
    private static let name = AttributeDescription("name", .text, isOptional: true)
    private static let entities = [
        EntityDescription(
            "Person",
            attributes: [
                id, name, AttributeDescription("officeID", .integer, isOptional: true),
            ],
            relationships: [
                .toOne("team", "Team", inverse: "members"),
                .toOne("spouse", "Person", inverse: "spouse"),
                .toOne("desk", "Desk", inverse: "user"),
                .toOne("car", "Car", inverse: "driver"),
                .toOne("office", "Office"),
                .toOne("mentor", "Person", reference: ReferenceDescription(by: "id")),
            ]),
        EntityDescription(
            "Team", attributes: [id, name],
            relationships: [
                .toMany("members", "Person", inverse: "team", isOrdered: true),
                .toMany("tags", "Office", isOrdered: true),
            ]),
        EntityDescription(
            "Desk", attributes: [id], relationships: [.toOne("user", "Person", inverse: "desk")]),
        EntityDescription(
            "Car", attributes: [id], relationships: [.toOne("driver", "Person", inverse: "car")]),
        EntityDescription("Office", attributes: [id]),
    ]

    private static let former = [
        (
            "Team",
            """
            [{"id": 1, "name": "old", "members": [{"id": 1}, {"id": 2}, {"id": 3}],
              "tags": [{"id": 5}, {"id": 6}]}, {"id": 2}]
            """
        ),
        (
            "Person",
            """
            [{"id": 1, "name": "old", "officeID": 5, "spouse": {"id": 2}, "desk": {"id": 1},
              "car": {"id": 1}}, {"id": 3, "mentor": 77}]
            """
        ),
        ("Desk", #"{"id": 2}"#), ("Car", #"{"id": 2}"#), ("Office", #"{"id": 7}"#),
    ]

    private static let formerLines = [
        "Car 1 driver [1]", "Car 2", "Desk 1 user [1]", "Desk 2", "Office 5", "Office 6",
        "Office 7",
        "Person 1 old team [1] spouse [2] desk [1] car [1] office [5]",
        "Person 2 team [1] spouse [1]", "Person 3 team [1]", "Person 3 waits for 77",
        "Team 1 old members [1, 2, 3] tags [5, 6]", "Team 2",
    ]

    private static func lines(of context: ManagedObjectContext) throws -> [String] {
        var lines: [String] = []
        for entity in entities {
            for object in try context.fetch(FetchRequest(entity.name)) {
                var line = "\(entity.name) \(try object.value("id", as: Int.self))"
                if entity.attributes.contains(where: { $0.name == "name" }),
                    let name = try object.value("name", as: String?.self)
                {
                    line += " \(name)"
                }
                for relationship in entity.relationships {
                    let ids = try object.related(relationship.name).map {
                        try $0.value("id", as: Int.self)
                    }
                    if !ids.isEmpty { line += " \(relationship.name) \(ids)" }
                }
                lines.append(line)
            }
        }
        for reference in try context.pendingReferences(ofEntity: "Person") {
            guard case .integer(let identity) = reference.identity else { continue }
            let owner = try context.object(with: reference.owner).value("id", as: Int.self)
            lines.append("Person \(owner) waits for \(identity)")
        }
        return lines.sorted()
    }

    private static func plan(
        _ entity: String, _ mode: ImportMode, in model: ManagedObjectModel
    ) throws -> EntityMappingPlan {
        var mapping = EntityMapping(
            ObjectMapping(defaultFor: try #require(model.properties(of: entity))),
            rules: [
                "Person": EntityRules(connections: [Connection("office", by: ["officeID": "id"])])
            ])
        mapping.mode = mode
        return try EntityMappingPlan(mapping, in: model)
    }

    /// A document, the lines that it removes, and those that it adds.
    struct Effect: Sendable {
        let mode: ImportMode
        let entity: String
        let text: String
        var removed: [String] = []
        var added: [String] = []
    }

    static let effects = insertions + updates + deletions

    private static let insertions = [
        // Existing objects keep everything, and nothing new takes their partners.
        Effect(
            mode: .insertOnly, entity: "Person",
            text: """
                {"id": 1, "name": "new", "officeID": 6, "spouse": {"id": 9}, "desk": {"id": 8},
                 "car": null, "team": {"id": 2}, "mentor": 78}
                """,
            added: ["Desk 8", "Person 9"]),
        // The new object and an existing one would have to refer to each other.
        Effect(
            mode: .insertOnly, entity: "Person", text: #"{"id": 9, "spouse": {"id": 3}}"#,
            added: ["Person 9"]),
        Effect(
            mode: .insertOnly, entity: "Person", text: #"{"id": 9, "spouse": {"id": 10}}"#,
            added: ["Person 10 spouse [9]", "Person 9 spouse [10]"]),
        // Of two objects that claim a new partner, which has the column, the last.
        Effect(
            mode: .insertOnly, entity: "Person",
            text: #"[{"id": 9, "desk": {"id": 8}}, {"id": 3, "desk": {"id": 8}}]"#,
            removed: ["Person 3 team [1]"],
            added: ["Desk 8 user [3]", "Person 3 team [1] desk [8]", "Person 9"]),
        // Partners that others have.
        Effect(
            mode: .insertOnly, entity: "Person",
            text: #"{"id": 9, "desk": {"id": 1}, "car": {"id": 1}}"#, added: ["Person 9"]),
        Effect(
            mode: .insertOnly, entity: "Desk", text: #"{"id": 9, "user": {"id": 1}}"#,
            added: ["Desk 9"]),
        Effect(
            mode: .insertOnly, entity: "Car", text: #"{"id": 9, "driver": {"id": 1}}"#,
            added: ["Car 9"]),
        // New members of an existing list, and existing members in a new one.
        Effect(
            mode: .insertOnly, entity: "Team",
            text: """
                {"id": 1, "name": "new", "members": [{"id": 3}, {"id": 9}, {"id": 1}],
                 "tags": [{"id": 7}, {"id": 8}, {"id": 5}]}
                """,
            removed: ["Team 1 old members [1, 2, 3] tags [5, 6]"],
            added: [
                "Office 8", "Person 9 team [1]", "Team 1 old members [1, 2, 9, 3] tags [5, 6, 8]",
            ]),
        Effect(
            mode: .insertOnly, entity: "Team",
            text: #"{"id": 9, "members": [{"id": 1}, {"id": 9}], "tags": [{"id": 6}, {"id": 5}]}"#,
            added: ["Person 9 team [9]", "Team 9 members [9] tags [6, 5]"]),
        Effect(
            mode: .insertOnly, entity: "Person", text: #"{"id": 9, "team": {"id": 1}}"#,
            removed: ["Team 1 old members [1, 2, 3] tags [5, 6]"],
            added: ["Person 9 team [1]", "Team 1 old members [1, 2, 3, 9] tags [5, 6]"]),
        // References that wait: of a new object, and of an existing one since before.
        Effect(
            mode: .insertOnly, entity: "Person", text: #"{"id": 9, "mentor": 78}"#,
            added: ["Person 9", "Person 9 waits for 78"]),
        Effect(
            mode: .insertOnly, entity: "Person", text: #"{"id": 77, "officeID": 7}"#,
            removed: ["Person 3 team [1]", "Person 3 waits for 77"],
            added: ["Person 3 team [1] mentor [77]", "Person 77 office [7]"]),
        Effect(
            mode: .insertOnly, entity: "Person", text: #"{"id": 3, "mentor": null}"#),
    ]

    private static let updates = [
        Effect(
            mode: .updateOnly, entity: "Person", text: #"{"id": 1, "spouse": {"id": 9}}"#,
            removed: [
                "Person 1 old team [1] spouse [2] desk [1] car [1] office [5]",
                "Person 2 team [1] spouse [1]",
            ],
            added: ["Person 1 old team [1] desk [1] car [1] office [5]", "Person 2 team [1]"]),
        Effect(
            mode: .updateOnly, entity: "Person",
            text: #"{"id": 1, "spouse": {"id": 3}, "desk": {"id": 2}, "car": {"id": 8}}"#,
            removed: [
                "Car 1 driver [1]", "Desk 1 user [1]", "Desk 2",
                "Person 1 old team [1] spouse [2] desk [1] car [1] office [5]",
                "Person 2 team [1] spouse [1]", "Person 3 team [1]",
            ],
            added: [
                "Car 1", "Desk 1", "Desk 2 user [1]",
                "Person 1 old team [1] spouse [3] desk [2] office [5]", "Person 2 team [1]",
                "Person 3 team [1] spouse [1]",
            ]),
        Effect(
            mode: .updateOnly, entity: "Team",
            text: """
                {"id": 1, "members": [{"id": 3}, {"id": 9}, {"id": 1}],
                 "tags": [{"id": 6}, {"id": 8}, {"id": 7}]}
                """,
            removed: [
                "Person 2 team [1] spouse [1]", "Team 1 old members [1, 2, 3] tags [5, 6]",
            ],
            added: ["Person 2 spouse [1]", "Team 1 old members [3, 1] tags [6, 7]"]),
        Effect(
            mode: .updateOnly, entity: "Person",
            text: #"[{"id": 1, "mentor": 78, "officeID": 6}, {"id": 77}]"#,
            removed: ["Person 1 old team [1] spouse [2] desk [1] car [1] office [5]"],
            added: [
                "Person 1 old team [1] spouse [2] desk [1] car [1] office [6]",
                "Person 1 waits for 78",
            ]),
        Effect(
            mode: .updateOnly, entity: "Person", text: #"{"id": 3, "mentor": {"id": 78}}"#,
            removed: ["Person 3 waits for 77"]),
    ]

    private static let deletions = [
        Effect(
            mode: .deleteOnly, entity: "Person",
            text: #"[{"id": 1, "team": {"id": 2}}, {"id": 3}, {"id": 77}]"#,
            removed: [
                "Car 1 driver [1]", "Desk 1 user [1]",
                "Person 1 old team [1] spouse [2] desk [1] car [1] office [5]",
                "Person 2 team [1] spouse [1]", "Person 3 team [1]", "Person 3 waits for 77",
                "Team 1 old members [1, 2, 3] tags [5, 6]",
            ],
            added: [
                "Car 1", "Desk 1", "Person 2 team [1]", "Team 1 old members [2] tags [5, 6]",
            ])
    ]

    @Test(arguments: effects.indices, [false, true])
    func modeLimitsRelationships(_ index: Int, savesBetween: Bool) async throws {
        let effect = Self.effects[index]
        let files = try TemporaryStore()
        let store = try await files.open(Self.entities)
        for (entity, text) in Self.former {
            let plan = try Self.plan(entity, .insertAndUpdate, in: store.model)
            let document = try Document(parsing: text)
            _ = try await store.importObjects(from: document.root, by: plan)
        }
        #expect(try await store.read { try Self.lines(of: $0) } == Self.formerLines)
        let plan = try Self.plan(effect.entity, effect.mode, in: store.model)
        let document = try Document(parsing: effect.text)
        let expected =
            (Self.formerLines.filter { !effect.removed.contains($0) } + effect.added).sorted()
        try await store.perform { context in
            for _ in 0..<2 {
                _ = try context.importObjects(from: document.root, by: plan)
                if savesBetween { try context.save() }
            }
            try context.save()
            let found = try Self.lines(of: context)
            #expect(found == expected)
        }
        #expect(try await store.read { try Self.lines(of: $0) } == expected)
    }
}
