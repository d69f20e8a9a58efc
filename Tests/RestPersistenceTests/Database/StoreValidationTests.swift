// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestPersistence
import TestSupport
import Testing

@Suite struct StoreValidationTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    private func error(
        opening entities: [EntityDescription]? = nil
    ) async throws -> PersistenceError? {
        let before = try Data(contentsOf: files.file)
        let error = await #expect(throws: PersistenceError.self) {
            if let entities {
                _ = try await ManagedObjectStore(
                    at: files.file, model: ManagedObjectModel(entities),
                    configuration: StoreConfiguration(migration: .refused))
            } else {
                _ = try await files.open()
            }
        }
        #expect(try Data(contentsOf: files.file) == before)
        return error
    }

    // MARK: Model

    @Test func namesDifferencesToOtherModel() async throws {
        try await files.open([
            EntityDescription(
                "Airport",
                attributes: [
                    AttributeDescription("code", .text, isIdentity: true),
                    AttributeDescription("opened", .text), AttributeDescription("size", .integer),
                ],
                relationships: [.toMany("gates", "Gate", inverse: "airport")]),
            EntityDescription(
                "Gate", attributes: [], relationships: [.toOne("airport", "Airport")]),
            EntityDescription("Strip", attributes: [AttributeDescription("length", .integer)]),
        ]).close()
        let error = try await error(opening: [
            EntityDescription(
                "Airport",
                attributes: [
                    AttributeDescription("code", .text),
                    AttributeDescription("opened", .date, isOptional: true),
                    AttributeDescription("name", .text),
                ],
                relationships: [.toMany("gates", "Gate")]),
            EntityDescription("Gate", attributes: []),
            EntityDescription("Hangar", attributes: [AttributeDescription("area", .double)]),
        ])
        #expect(error?.code == .modelMismatch)
        #expect(
            error?.details == [
                "attribute Airport.code is text, identity in the file and text in the model",
                "attribute Airport.name is not in the file",
                "attribute Airport.opened is text in the file and optional date in the model",
                "attribute Airport.size is not in the model",
                "entity Hangar is not in the file",
                "entity Strip is not in the model",
                "relationship Airport.gates is to-many Gate, inverse airport, stored in Gate.airport "
                    + "in the file and to-many Gate, stored in Airport_gates in the model",
                "relationship Gate.airport is not in the model",
            ])
        #expect(error?.localizedDescription.contains("Airport.opened") == true)
    }

    @Test func acceptsOtherOrderOfDeclarations() async throws {
        func entities(_ isReversed: Bool) -> [EntityDescription] {
            let attributes = [
                AttributeDescription("code", .text, isIdentity: true),
                AttributeDescription("name", .text, isOptional: true),
            ]
            let entities = [
                EntityDescription(
                    "Airport", attributes: isReversed ? attributes.reversed() : attributes,
                    relationships: [.toOne("city", "City")]),
                EntityDescription("City", attributes: [AttributeDescription("size", .integer)]),
            ]
            return isReversed ? entities.reversed() : entities
        }
        let first = try await files.open(entities(false))
        let id = try await first.perform { context in
            let airport = try context.insert(entity: "Airport")
            try airport.setValue("OSL", "code")
            try airport.setValue("Oslo" as String?, "name")
            try context.save()
            return airport.objectID
        }
        try first.close()
        let second = try await files.open(entities(true))
        let values = try await second.perform { context in
            let airport = try context.object(with: id)
            return [
                try airport.value("code", as: String.self),
                try airport.value("name", as: String?.self),
            ]
        }
        #expect(values == ["OSL", "Oslo"])
    }

    @Test func storesModelAsReadableJSON() async throws {
        try await files.open().close()
        let rows = try files.rows(
            """
            SELECT format, json_extract(e.value, '$.name'), json_extract(r.value, '$.name'),
              json_extract(r.value, '$.storage')
            FROM restkit_store, json_each(model, '$.entities') e,
              json_each(e.value, '$.relationships') r ORDER BY 2, 3
            """)
        #expect(
            rows == [
                ["2", "Airline", "partners", "Airline_partners"],
                ["2", "Airline", "terminals", "Airline_terminals"],
                ["2", "Airport", "city", "Airport.city"],
                ["2", "Airport", "terminals", "Terminal.airport"],
                ["2", "City", "mayor", "City.mayor"],
                ["2", "Mayor", "city", "City.mayor"],
                ["2", "Terminal", "airlines", "Airline_terminals"],
                ["2", "Terminal", "airport", "Terminal.airport"],
            ])
    }

    @Test func rejectsUnreadableModel() async throws {
        try await files.open().close()
        try files.execute("UPDATE restkit_store SET model = '{'")
        #expect(try await error()?.code == .corrupt)
    }

    // MARK: Format and application

    @Test(arguments: [1, 3, 900])
    func rejectsOtherFormat(_ format: Int) async throws {
        try await files.open().close()
        try files.execute(
            """
            ALTER TABLE restkit_store RENAME COLUMN identity TO other;
            UPDATE restkit_store SET format = \(format)
            """)
        let error = try await error()
        #expect(error?.code == .unsupportedFormat)
        #expect(
            error?.details == [
                "the file has format \(format), this version of the library reads format 2"
            ])
    }

    @Test(arguments: [
        ("CREATE TABLE other (a)", "0x0"), ("PRAGMA application_id = 5", "0x5"),
    ])
    func rejectsFileOfAnotherApplication(_ sql: String, _ id: String) async throws {
        try files.execute("CREATE TABLE temporary (a)")
        try files.execute(sql)
        let error = try await error()
        #expect(error?.code == .wrongApplicationID)
        #expect(
            error?.details == ["its application_id is \(id), that of a store is 0x52734b74"])
    }

    @Test func rejectsFileThatIsNotDatabase() async throws {
        try Data(String(repeating: "not a database ", count: 1000).utf8).write(to: files.file)
        #expect(try await error()?.code == .notADatabase)
    }

    // MARK: Tables

    @Test(
        .threat("T68"),
        arguments: [
            (
                """
                CREATE TRIGGER copy AFTER INSERT ON Airline BEGIN
                INSERT INTO City (restkit_key, name) VALUES (new.restkit_key, new.code); END
                """,
                "trigger copy is not in the model"
            ),
            ("CREATE VIEW names AS SELECT name FROM City", "view names is not in the model"),
            ("DROP TABLE Mayor", "table Mayor is not in the file"),
            (
                "ALTER TABLE City ADD COLUMN motto TEXT",
                "column City.motto is not in the model"
            ),
            (
                "ALTER TABLE City RENAME COLUMN population TO size",
                "column City.population is not in the file"
            ),
            (
                "DROP INDEX restkit_identity_Airline",
                "index restkit_identity_Airline is not in the file"
            ),
            (
                "CREATE UNIQUE INDEX once ON City (population)", "index once is not in the model"
            ),
        ])
    func rejectsAlteredTables(_ sql: String, _ difference: String) async throws {
        try await files.open().close()
        try files.execute(sql)
        let error = try await error()
        #expect(error?.code == .unexpectedSchema)
        #expect(error?.details.contains(difference) == true)
    }

    @Test func allowsAdditionalTablesAndIndexes() async throws {
        try await files.open().close()
        try files.execute("CREATE TABLE notes (a); CREATE INDEX sizes ON City (population)")
        let store = try await files.open()
        try await store.insertAirline("SK")
    }
}
