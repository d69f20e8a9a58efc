// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import RestMapping
import RestPersistence
import TestSupport
import Testing

@Suite struct ImportingTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    /// Imports a document as airports and saves.
    private func load(
        _ text: String, into store: ManagedObjectStore, policy: IssuePolicy = .standard
    ) async throws -> (result: ImportResult, saved: SaveReport) {
        let plan = try EntityMappingPlan(
            EntityMapping(Airport.self, policy: policy), in: store.model)
        let document = try Document(parsing: text)
        return try await store.perform { context in
            let result = try context.importObjects(from: document.root, by: plan)
            return (result, try context.save())
        }
    }

    private static let oslo = """
        [{"code": "OSL", "name": "Gardermoen", "opened_at": "1998-10-08T00:00:00Z",
          "city": {"name": "Oslo", "population": 709037, "mayor": {"name": "Anne"}},
          "terminals": [{"number": 1, "airlines": [{"code": "SK", "alliance": "star"}]},
                        {"number": 2, "airlines": [{"code": "SK"}, {"code": "DY"}]}]},
         {"code": "BGO", "name": "Flesland", "city": {"name": "Bergen"}, "terminals": []}]
        """

    @Test(.parity("P202")) func mapsADocumentIntoConnectedRows() async throws {
        let store = try await files.open()
        let (result, saved) = try await load(Self.oslo, into: store)
        #expect(result.objectIDs.map(\.entityName) == ["Airport", "Airport"])
        #expect(result.insertedCount == 9)
        #expect(result.foundCount == 0)
        #expect(saved.inserted == 9)
        #expect(result.report.issues.isEmpty)
        let rows = try files.rows(
            """
            SELECT Airport.code, openedAt, City.name, population, Mayor.name, number, Airline.code,
                alliance
            FROM Airport JOIN City ON Airport.city = City.restkit_key
            LEFT JOIN Mayor ON City.mayor = Mayor.restkit_key
            LEFT JOIN Terminal ON Terminal.airport = Airport.restkit_key
            LEFT JOIN Airline_terminals ON Airline_terminals.target = Terminal.restkit_key
            LEFT JOIN Airline ON Airline_terminals.source = Airline.restkit_key
            ORDER BY Airport.code, number, Airline.code
            """)
        let opened = "1998-10-08T00:00:00.000000Z"
        #expect(
            rows == [
                ["BGO", "-", "Bergen", "-", "-", "-", "-", "-"],
                ["OSL", opened, "Oslo", "709037", "Anne", "1", "SK", "star"],
                ["OSL", opened, "Oslo", "709037", "Anne", "2", "DY", "-"],
                ["OSL", opened, "Oslo", "709037", "Anne", "2", "SK", "star"],
            ])
    }

    @Test(.parity("P184", "P136")) func findsSavedObjectsByTheirIdentity() async throws {
        let store = try await files.open()
        let first = try await load(Self.oslo, into: store)
        let second = try await load(
            #"[{"code": "OSL", "name": "Oslo Airport"}]"#, into: store)
        #expect(second.result.objectIDs == [first.result.objectIDs[0]])
        #expect(second.result.foundCount == 1)
        #expect(second.saved == SaveReport(updated: 1))
        // Keys the document does not have stay.
        #expect(
            try files.rows("SELECT code, name, openedAt IS NULL FROM Airport ORDER BY code") == [
                ["BGO", "Flesland", "1"], ["OSL", "Oslo Airport", "0"],
            ])
        #expect(try files.rows("SELECT count(*) FROM Terminal WHERE airport NOT NULL") == [["2"]])
    }

    @Test func writesNoRowForAnUnchangedDocument() async throws {
        let store = try await files.open()
        _ = try await load(Self.oslo, into: store)
        let observer = try files.observer()
        let before = try observer.dataVersion()
        let (result, saved) = try await load(Self.oslo, into: store)
        let after = try observer.dataVersion()
        #expect(result.foundCount == 9)
        #expect(result.insertedCount == 0)
        #expect(saved == SaveReport(unchanged: 9))
        // The file has not been committed to: another connection sees the version it saw.
        #expect(before == after)
    }

    @Test(.threat("T53")) func tellsIdentitiesApartByTheirBytes() async throws {
        let store = try await files.open()
        let names = ["\u{E9}", "e\u{301}", "E", "e", "a", "a ", " a", "a\\u0000", "a\\u0000b", ""]
        let text =
            "[" + names.map { #"{"code": "\#($0)", "name": "x"}"# }.joined(separator: ",") + "]"
        let first = try await load(text, into: store)
        #expect(Set(first.result.objectIDs).count == names.count)
        let second = try await load(text, into: store)
        #expect(second.result.objectIDs == first.result.objectIDs)
        #expect(second.saved == SaveReport(unchanged: names.count))
        #expect(
            try files.rows("SELECT count(*), count(DISTINCT hex(code)) FROM Airport")
                == [["\(names.count)", "\(names.count)"]])
        // Each is found by a predicate, and nothing else with it.
        let ids = first.result.objectIDs
        let texts = ["\u{E9}", "e\u{301}", "E", "e", "a", "a ", " a", "a\0", "a\0b", ""]
        try await store.perform { context in
            for (id, code) in zip(ids, texts) {
                let found = try context.fetch(Airport.self, where: { $0.code == code })
                #expect(found.map(\.objectID) == [id])
                let among = try context.fetch(
                    Airport.self,
                    where: { $0.code.isIn([code] + (0..<600).map { "none \($0)" }) })
                #expect(among.map(\.objectID) == [id])
            }
        }
    }

    @Test(.threat("T55")) func makesOneRowOfAnIdentityThatRepeats() async throws {
        let store = try await files.open()
        let element = #"{"code": "OSL", "name": "n", "city": {"name": "Oslo"}}"#
        let text = "[" + Array(repeating: element, count: 10_000).joined(separator: ",") + "]"
        let (result, saved) = try await load(text, into: store)
        #expect(result.objectIDs.count == 10_000)
        #expect(Set(result.objectIDs).count == 1)
        #expect(saved.inserted == 2)
        for length in [1, 2, 1000] { try await loadCycle(of: length, into: store) }
    }

    /// Airlines that are each other's partners, in a ring.
    private func loadCycle(of length: Int, into store: ManagedObjectStore) async throws {
        let plan = try EntityMappingPlan(EntityMapping(Airline.self), in: store.model)
        let text =
            "["
            + (0..<length).map { index in
                let next = (index + 1) % length
                return
                    #"{"code": "\#(length)-\#(index)", "partners": [{"code": "\#(length)-\#(next)"}]}"#
            }.joined(separator: ",") + "]"
        let document = try Document(parsing: text)
        let saved = try await store.perform { context in
            _ = try context.importObjects(from: document.root, by: plan)
            return try context.save()
        }
        #expect(saved.inserted == length)
        let pairs = try files.rows(
            """
            SELECT count(*) FROM Airline_partners JOIN Airline ON source = restkit_key
            WHERE code LIKE '\(length)-%'
            """)
        #expect(pairs == [["\(length == 1 ? 1 : length == 2 ? 2 : length * 2)"]])
    }

    @Test func insertsObjectsWithoutIdentityAndSaysSo() async throws {
        let entity = EntityDescription(
            "Note",
            attributes: [
                AttributeDescription("id", .integer, isOptional: true, isIdentity: true),
                AttributeDescription("text", .text),
            ])
        let store = try await files.open([entity])
        let table = try #require(store.model.properties(of: "Note"))
        let plan = try EntityMappingPlan(
            EntityMapping(ObjectMapping(defaultFor: table)), in: store.model)
        let document = try Document(
            parsing: #"[{"id": null, "text": "a"}, {"text": "b"}, {"id": 1, "text": "c"}]"#)
        for round in 1...2 {
            let result = try await store.perform { context in
                let result = try context.importObjects(from: document.root, by: plan)
                try context.save()
                return result
            }
            #expect(Set(result.objectIDs).count == 3)
            #expect(result.insertedCount == (round == 1 ? 3 : 2))
            #expect(result.report.issues.map(\.code) == [.missingIdentity, .missingIdentity])
            #expect(result.report.issues.map(\.path.description) == ["[0]", "[1]"])
        }
        #expect(
            try files.rows("SELECT text, count(*) FROM Note GROUP BY 1 ORDER BY 1")
                == [["a", "2"], ["b", "2"], ["c", "1"]])
    }

    @Test(
        .threat("T52"),
        arguments: [
            ("1", true, 0), (#""1""#, true, 0), ("1.0", true, 0), (#"" 1 ""#, true, 0),
            ("1.5", false, 1), (#""one""#, false, 1), ("9007199254740993", false, 0),
            ("null", false, 1), (#""""#, false, 1), ("[1]", false, 1), ("true", true, 0),
            ("9223372036854775808", false, 1), ("1e400", false, 1),
        ])
    func convertsAnIdentityBeforeLookingForIt(
        _ value: String, isTheOne: Bool, issueCount: Int
    ) async throws {
        let store = try await files.open([
            EntityDescription(
                "Note",
                attributes: [
                    AttributeDescription("id", .integer, isOptional: true, isIdentity: true)
                ])
        ])
        let table = try #require(store.model.properties(of: "Note"))
        let plan = try EntityMappingPlan(
            EntityMapping(ObjectMapping(defaultFor: table)), in: store.model)
        let one = try await store.perform { context in
            let one = try context.insert(entity: "Note")
            try one.setValue(1, "id")
            try context.save()
            return one.objectID
        }
        let document = try Document(parsing: #"[{"id": \#(value)}]"#)
        let result = try await store.perform { context in
            let result = try context.importObjects(from: document.root, by: plan)
            try context.save()
            return result
        }
        #expect((result.objectIDs == [one]) == isTheOne)
        // What cannot be an identity is an issue, and so is the lack of one that follows from it.
        #expect(
            result.report.issues.contains { $0.code != .missingIdentity }
                == (issueCount == 1 && value != "null"))
        #expect(result.report.issues.contains { $0.code == .missingIdentity } == (issueCount == 1))
        let big = try files.rows("SELECT id FROM Note WHERE id > 1")
        #expect(big == (value == "9007199254740993" ? [[value]] : []))
    }

    @Test(.threat("T51")) func assignsDeclaredPropertiesOnly() async throws {
        let store = try await files.open()
        let hostile = """
            [{"code": "OSL", "name": "n", "restkit_key": 77, "description": "x", "hash": 1,
              "objectID": 5, "__proto__": {"name": "y"}, "restkit_x": 1, "CODE": "no",
              "values": [], "city_key": 9, "context": null, "passengers": 3}]
            """
        let (result, _) = try await load(hostile, into: store)
        #expect(result.report.issues.isEmpty)
        #expect(
            try files.rows("SELECT * FROM Airport")
                == [["\(result.objectIDs[0].key)", "OSL", "n", "-", "3", "-"]])
        #expect(result.objectIDs[0].key != 77)
    }

    @Test func makesToManyRelationshipsWhatTheDocumentSays() async throws {
        let store = try await files.open()
        _ = try await load(Self.oslo, into: store)
        _ = try await load(
            """
            [{"code": "OSL", "name": "n", "terminals": [{"number": 2, "airlines": []}]},
             {"code": "BGO", "name": "f", "terminals": [{"number": 1}, {"number": 3}]}]
            """, into: store)
        #expect(
            try files.rows(
                """
                SELECT number, code FROM Terminal LEFT JOIN Airport
                ON airport = Airport.restkit_key ORDER BY 1
                """) == [["1", "BGO"], ["2", "OSL"], ["3", "BGO"]])
        #expect(
            try files.rows(
                """
                SELECT number, code FROM Airline_terminals
                JOIN Terminal ON target = Terminal.restkit_key
                JOIN Airline ON source = Airline.restkit_key
                """) == [["1", "SK"]])
        _ = try await load(
            #"[{"code": "OSL", "name": "n", "terminals": [], "city": null}]"#, into: store)
        #expect(
            try files.rows("SELECT number FROM Terminal WHERE airport IS NULL") == [["2"]])
        #expect(try files.rows("SELECT code FROM Airport WHERE city IS NULL") == [["OSL"]])
    }

    @Test func movesAOneToOneRelationship() async throws {
        let store = try await files.open()
        _ = try await load(Self.oslo, into: store)
        _ = try await load(
            #"[{"code": "BGO", "name": "f", "city": {"name": "Bergen", "mayor": {"name": "Anne"}}}]"#,
            into: store)
        #expect(
            try files.rows("SELECT name FROM City WHERE mayor NOT NULL") == [["Bergen"]])
    }

    @Test(.parity("P200", "P208")) func findsUnsavedObjectsToo() async throws {
        let store = try await files.open()
        let plan = try EntityMappingPlan(EntityMapping(Airport.self), in: store.model)
        let document = try Document(parsing: Self.oslo)
        try await store.perform { context in
            let own = try context.insert(Airport.self)
            own.code = "OSL"
            own.name = "mine"
            let result = try context.importObjects(from: document.root, by: plan)
            #expect(result.objectIDs[0] == own.objectID)
            #expect(own.name == "Gardermoen")
            #expect(own.terminals.count == 2)
            let again = try context.importObjects(from: document.root, by: plan)
            #expect(again.objectIDs == result.objectIDs)
            #expect(again.insertedCount == 0)
            try context.save()
        }
        #expect(try files.rows("SELECT count(*) FROM Airport") == [["2"]])
    }

    @Test(.threat("T56")) func leavesContextAndFileAloneWhenADocumentFails() async throws {
        let store = try await files.open()
        _ = try await load(Self.oslo, into: store)
        let before = try files.rows("SELECT * FROM Airport")
        let plan = try EntityMappingPlan(EntityMapping(Airport.self), in: store.model)
        let document = try Document(
            parsing: #"[{"code": "OSL", "name": "changed"}, {"code": "TRD"}]"#)
        try await store.perform { context in
            let oslo = try #require(
                try context.fetch(Airport.self, where: { $0.code == "OSL" }).first)
            oslo.passengers = 5
            let error = #expect(throws: PersistenceError.self) {
                try context.importObjects(from: document.root, by: plan)
            }
            #expect(error?.code == .invalidObject)
            #expect(error?.details == ["missingValue at [1]: Airport.name"])
            #expect(oslo.name == "Gardermoen")
            #expect(oslo.passengers == 5)
            context.rollback()
            #expect(!context.hasChanges)
        }
        #expect(try files.rows("SELECT * FROM Airport") == before)
    }

    @Test func leavesOutInvalidObjectsIfThePolicySaysSo() async throws {
        let store = try await files.open()
        let (result, _) = try await load(
            """
            [{"code": "OSL", "name": "n"}, {"code": "TRD"}, 5, {"code": "BGO", "name": "b",
              "terminals": [{"number": "many"}, {"number": 4}, "x"]}]
            """, into: store, policy: .lenient)
        #expect(result.objectIDs.count == 2)
        #expect(try files.rows("SELECT code FROM Airport ORDER BY 1") == [["BGO"], ["OSL"]])
        #expect(try files.rows("SELECT number FROM Terminal") == [["4"]])
        let places = result.report.issues.map(\.path.description).sorted()
        #expect(
            places == [
                "[1]", "[2]", "[3].terminals[0]", "[3].terminals[0].number", "[3].terminals[2]",
            ])
    }

    @Test func refusesValuesThatTheSwiftTypeDoesNotHave() async throws {
        let store = try await files.open()
        let plan = try EntityMappingPlan(EntityMapping(Airline.self), in: store.model)
        let document = try Document(parsing: #"[{"code": "SK", "alliance": "moon"}]"#)
        try await store.perform { context in
            let result = try context.importObjects(from: document.root, by: plan)
            #expect(result.report.issues.map(\.code) == [.malformedValue])
            let airline = try context.object(Airline.self, with: result.objectIDs[0])
            #expect(airline.alliance == nil)
        }
    }

    @Test func identifiesByOtherAttributesIfTheMappingSaysSo() async throws {
        let store = try await files.open()
        _ = try await load(Self.oslo, into: store)
        let mapping = EntityMapping(
            ObjectMapping(for: Airport.self), identification: ["Airport": ["name", "code"]])
        let plan = try EntityMappingPlan(mapping, in: store.model)
        let document = try Document(
            parsing: #"[{"code": "OSL", "name": "Gardermoen", "passengers": 9}]"#)
        let result = try await store.perform { context in
            let result = try context.importObjects(from: document.root, by: plan)
            try context.save()
            return result
        }
        #expect(result.foundCount == 1)
        let wrong = EntityMapping(
            ObjectMapping(for: Airport.self), identification: ["Airport": ["nme"], "X": []])
        let error = #expect(throws: PersistenceError.self) {
            try EntityMappingPlan(wrong, in: store.model)
        }
        #expect(error?.details == ["Airport.nme is no attribute", "X is not in the model"])
    }

    @Test(.threat("T57")) func loadsOverlappingDocumentsAtOnceWithoutDuplicates() async throws {
        let store = try await files.open()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for round in 0..<10 {
                        let codes = (0..<50).map { ($0 * 7 + task + round) % 60 }
                        let text =
                            "["
                            + codes.map { #"{"code": "A\#($0)", "name": "n\#(task)"}"# }
                            .joined(separator: ",") + "]"
                        _ = try await load(text, into: store)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(
            try files.rows("SELECT count(*), count(DISTINCT code) FROM Airport") == [["60", "60"]])
    }
}
