// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestPersistence
import TestSupport
import Testing

/// Steps that name what does not exist, that fail, that prepare rows, and that split an entity.
@Suite struct MigrationStepTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    private static let person = EntityDescription(
        "Person",
        attributes: [
            AttributeDescription("name", .text),
            AttributeDescription("street", .text, isOptional: true),
            AttributeDescription("city", .text, isOptional: true),
        ])
    private static let people = """
        INSERT INTO Person (restkit_key, name, street, city)
        VALUES (1, 'Ada', 'Main', 'Oslo'), (2, 'Bo', 'Main', 'Oslo'), (3, 'Ada', NULL, NULL)
        """

    private func write(_ entities: [EntityDescription], _ sql: String) async throws {
        try await files.open(entities).close()
        try files.execute(sql)
        try files.execute("UPDATE restkit_store SET next_key = 10")
    }

    private func open(
        _ entities: [EntityDescription], _ steps: [MigrationStep]
    ) async throws -> ManagedObjectStore {
        try await ManagedObjectStore(
            at: files.file, model: ManagedObjectModel(entities),
            configuration: StoreConfiguration(migration: .automatic(steps)))
    }

    private func plan(
        _ entities: [EntityDescription], _ steps: [MigrationStep]
    ) async throws -> MigrationPlan {
        try await ManagedObjectStore.migrationPlan(
            forFileAt: files.file, to: ManagedObjectModel(entities), .automatic(steps))
    }

    private func refusal(
        _ entities: [EntityDescription], _ steps: [MigrationStep]
    ) async throws -> PersistenceError? {
        let before = try Data(contentsOf: files.file)
        let error = await #expect(throws: PersistenceError.self) {
            _ = try await open(entities, steps)
        }
        #expect(try Data(contentsOf: files.file) == before)
        return error
    }

    // MARK: Names

    private static var renamed: EntityDescription {
        var person = person
        person.attributes[0] = AttributeDescription("fullName", .text, default: .text(""))
        person.attributes.append(AttributeDescription("label", .text, default: .text("")))
        person.attributes[0].formerNames = ["name"]
        return person
    }

    @Test(arguments: [
        ("labl", "Person"), ("label", "Persn"), ("name", "Person"),
    ]) func refusesValueOfUnknownAttribute(_ attribute: String, _ entity: String) async throws {
        try await write([Self.person], Self.people)
        let error = try await refusal(
            [Self.renamed], [.value(attribute, of: entity, from: ["name"], sql: "name")])
        #expect(error?.code == .migrationRefused)
        #expect(
            error?.details == [
                "the step for \(entity).\(attribute) names no attribute of the model; correct or "
                    + "remove the step"
            ])
    }

    @Test func namesStepsWithoutEffect() async throws {
        try await write([Self.person], Self.people)
        let steps: [MigrationStep] = [
            .value("label", of: "Person", from: ["nme"], sql: "nme"), .discard("Persn.city"),
            .sql("UPDATE Person SET label = 'x'", from: ["Person.rank"]),
            .prepare("DELETE FROM Boat", from: ["Boat"]), .discard("Person.street"),
        ]
        let ignored = [
            "the step for Person.label, as the file has no attribute nme of Person",
            "the permission to discard Persn.city, which neither the file nor the model has",
            "the SQL that is step 3, as the file does not have Person.rank",
            "the preparation that is step 4, as the file does not have Boat",
        ]
        let plan = try await plan([Self.renamed], steps)
        #expect(plan.ignored == ignored)
        #expect(plan.problems == [])
        #expect(plan.description.contains("ignore: the permission to discard Persn.city"))
        var smaller = Self.renamed
        smaller.attributes.remove(at: 2)
        let error = try await refusal([smaller], steps)
        #expect(
            error?.details == ["attribute Person.city is removed and has values (2)"]
                + ignored.map { "ignored: \($0)" })
        // They do not prevent a migration.
        try await open([Self.renamed], steps).close()
    }

    // MARK: Failures

    @Test func namesFailingStepWithMessageOfSQLite() async throws {
        try await write([Self.person], Self.people)
        let examples: [(MigrationStep, String)] = [
            (.sql("DELETE FROM nowhere"), "the SQL that is step 2 failed: no such table: nowhere"),
            (
                .sql("UPDATE Person SET label = 5 +"),
                "the SQL that is step 2 failed: incomplete input"
            ),
            (
                .prepare("UPDATE Person SET nme = 1", from: []),
                "the preparation that is step 2 failed: no such column: nme"
            ),
            (
                .value("label", of: "Person", from: ["name"], sql: "upper(nme)"),
                "the step for Person.label failed: no such column: nme"
            ),
        ]
        for (step, expected) in examples {
            let error = try await refusal([Self.renamed], [.discard("Person.x"), step])
            #expect(error?.code == .migrationFailed)
            #expect(error?.details.first == expected)
            #expect(error?.path == files.file.path(percentEncoded: false))
            #expect(error?.recoverySuggestion?.contains("step") == true)
        }
        var number = Self.renamed
        number.attributes[3] = AttributeDescription("label", .integer, default: .integer(0))
        let mistyped = try await refusal(
            [number], [.value("label", of: "Person", from: ["name"], sql: "name")])
        #expect(mistyped?.code == .migrationFailed)
        #expect(
            mistyped?.details.first?.contains("cannot store TEXT value in INTEGER column") == true)
        #expect(mistyped?.details.first?.contains("label") == true)
    }

    // MARK: Preparations

    private static let identified = EntityDescription(
        "Person",
        attributes: [
            AttributeDescription("name", .text, isIdentity: true),
            AttributeDescription("street", .text, isOptional: true),
            AttributeDescription("city", .text, isOptional: true),
        ])

    @Test func removesDuplicatesBeforeIdentity() async throws {
        try await write([Self.person], Self.people)
        let step = MigrationStep.prepare(
            """
            DELETE FROM Person WHERE EXISTS (SELECT 1 FROM Person p \
            WHERE p.name = Person.name AND p.restkit_key < Person.restkit_key)
            """, from: ["Person.name"])
        let refused = try await refusal([Self.identified], [])
        #expect(
            refused?.details == ["identity Person.name has values that several objects share (1)"])
        let before = try Data(contentsOf: files.file)
        let plan = try await plan([Self.identified], [step])
        #expect(plan.problems == [])
        #expect(plan.statements.first?.hasPrefix("DELETE FROM Person") == true)
        #expect(try Data(contentsOf: files.file) == before)
        #expect(try files.rows("SELECT count(*) FROM Person") == [["3"]])
        try await open([Self.identified], [step]).close()
        #expect(
            try files.rows("SELECT name, street FROM Person ORDER BY restkit_key")
                == [["Ada", "Main"], ["Bo", "Main"]])
    }

    @Test func preparationOfRefusedMigrationIsUndone() async throws {
        try await write([Self.person], Self.people)
        var smaller = Self.identified
        smaller.attributes.removeLast()
        let error = try await refusal(
            [smaller], [.prepare("DELETE FROM Person WHERE restkit_key = 3", from: ["Person"])])
        #expect(error?.details == ["attribute Person.city is removed and has values (2)"])
        #expect(try files.rows("SELECT count(*) FROM Person") == [["3"]])
    }

    // MARK: Splits

    /// Each person gets the address that its columns had, without a model in between.
    @Test func splitsEntity() async throws {
        try await write(
            [Self.person, Self.pet],
            Self.people + "; INSERT INTO Pet (restkit_key, owner) VALUES (5, 2)"
                + "; CREATE INDEX own ON Person (name)")
        let model = [
            EntityDescription(
                "Person", attributes: [AttributeDescription("name", .text)],
                relationships: [.toOne("address", "Address", inverse: "residents")]),
            EntityDescription(
                "Address",
                attributes: [
                    AttributeDescription("street", .text), AttributeDescription("city", .text),
                ], relationships: [.toMany("residents", "Person", inverse: "address")]),
            Self.pet,
        ]
        let step = MigrationStep.sql(
            """
            INSERT INTO Address (restkit_key, street, city)
                SELECT next_key - 1 + row_number() OVER (ORDER BY street, city), street, city
                FROM (SELECT DISTINCT street, city FROM restkit_old_Person WHERE street IS NOT NULL),
                    restkit_store;
            UPDATE restkit_store SET next_key = next_key + (SELECT count(*) FROM Address);
            UPDATE Person SET address = (SELECT a.restkit_key
                FROM Address a JOIN restkit_old_Person o ON o.street = a.street AND o.city = a.city
                WHERE o.restkit_key = Person.restkit_key)
            """, from: ["Person.street", "Person.city"])
        let plan = try await plan(model, [step])
        #expect(plan.problems == [])
        let store = try await open(model, [step])
        #expect(try await store.checkIntegrity() == [])
        try store.close()
        #expect(
            try files.rows(
                "SELECT p.name, a.street, a.restkit_key FROM Person p "
                    + "LEFT JOIN Address a ON a.restkit_key = p.address ORDER BY p.restkit_key")
                == [["Ada", "Main", "10"], ["Bo", "Main", "10"], ["Ada", "-", "-"]])
        #expect(try files.rows("SELECT next_key > 10 FROM restkit_store") == [["1"]])
        #expect(
            try files.rows(
                "SELECT name FROM sqlite_schema WHERE name GLOB '*old*' OR sql GLOB '*restkit_old*'"
            )
                == [])
        #expect(try files.rows("SELECT name FROM sqlite_schema WHERE name = 'own'") == [["own"]])
        #expect(try files.rows("SELECT owner FROM Pet") == [["2"]])
        // A file with the new model is no longer concerned.
        try await open(model, [step]).close()
    }

    private static let pet = EntityDescription(
        "Pet", attributes: [], relationships: [.toOne("owner", "Person")])

    @Test func removedEntityIsReadByStep() async throws {
        try await write([Self.person, Self.pet], Self.people)
        let note = EntityDescription("Note", attributes: [AttributeDescription("text", .text)])
        try await open(
            [note],
            [
                .sql(
                    "INSERT INTO Note (restkit_key, text) SELECT restkit_key, name FROM restkit_old_Person",
                    from: ["Person"])
            ]
        ).close()
        #expect(
            try files.rows("SELECT text FROM Note ORDER BY restkit_key")
                == [["Ada"], ["Bo"], ["Ada"]])
    }
}
