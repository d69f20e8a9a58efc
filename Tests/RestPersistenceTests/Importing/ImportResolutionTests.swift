// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import RestMapping
import RestPersistence
import TestSupport
import Testing

@Suite struct ImportResolutionTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    @Test(.threat("T53")) func comparesIdentitiesByTheirBytes() async throws {
        let store = try await files.open()
        let names = ["\u{E9}", "e\u{301}", "E", "e", "a", "a ", " a", "a\\u0000", "a\\u0000b", ""]
        let text =
            "[" + names.map { #"{"code": "\#($0)", "name": "x"}"# }.joined(separator: ",") + "]"
        let first = try await files.load(text, into: store)
        #expect(Set(first.result.objectIDs).count == names.count)
        let second = try await files.load(text, into: store)
        #expect(second.result.objectIDs == first.result.objectIDs)
        #expect(second.saved == SaveReport(unchanged: names.count))
        #expect(
            try files.rows("SELECT count(*), count(DISTINCT hex(code)) FROM Airport")
                == [["\(names.count)", "\(names.count)"]])
        // A predicate finds exactly one of them.
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

    @Test func insertsObjectsWithoutIdentityAndReportsThem() async throws {
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
            #expect(result.total.inserted == (round == 1 ? 3 : 2))
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
            ("\"" + String(repeating: "1", count: 1 << 20) + "\"", false, 1),
        ])
    func convertsIdentityBeforeLookup(
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
        // A value that cannot be converted is an issue, and the missing identity is another one.
        #expect(
            result.report.issues.contains { $0.code != .missingIdentity }
                == (issueCount == 1 && value != "null"))
        #expect(result.report.issues.contains { $0.code == .missingIdentity } == (issueCount == 1))
        let big = try files.rows("SELECT id FROM Note WHERE id > 1")
        #expect(big == (value == "9007199254740993" ? [[value]] : []))
    }

    @Test(.parity("P039")) func identifiesByAttributesOfMapping() async throws {
        let store = try await files.open()
        _ = try await files.load(AirportDocuments.oslo, into: store)
        let mapping = EntityMapping(
            ObjectMapping(for: Airport.self),
            rules: ["Airport": EntityRules(identification: ["name", "code"])])
        let plan = try EntityMappingPlan(mapping, in: store.model)
        let document = try Document(
            parsing: #"[{"code": "OSL", "name": "Gardermoen", "passengers": 9}]"#)
        let result = try await store.perform { context in
            let result = try context.importObjects(from: document.root, by: plan)
            try context.save()
            return result
        }
        #expect(result.total.found == 1)
        let wrong = EntityMapping(
            ObjectMapping(for: Airport.self),
            rules: [
                "Airport": EntityRules(identification: ["nme"]),
                "X": EntityRules(),
            ])
        let error = #expect(throws: PersistenceError.self) {
            try EntityMappingPlan(wrong, in: store.model)
        }
        #expect(error?.details == ["Airport.nme is not an attribute", "X is not in the model"])
    }

    @Test(.threat("T55")) func mergesRepeatedIdentities() async throws {
        let store = try await files.open()
        let element = #"{"code": "OSL", "name": "n", "city": {"name": "Oslo"}}"#
        let text = "[" + Array(repeating: element, count: 10_000).joined(separator: ",") + "]"
        let (result, saved) = try await files.load(text, into: store)
        #expect(result.objectIDs.count == 10_000)
        #expect(Set(result.objectIDs).count == 1)
        #expect(saved.inserted == 2)
        // Each object of the document is mapped once.
        #expect(result.report.objectCount == 20_000)
        for length in [1, 2, 1000] { try await loadCycle(of: length, into: store) }
    }

    /// Imports airlines whose partnerships form a cycle.
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
        let (result, saved) = try await store.perform { context in
            (try context.importObjects(from: document.root, by: plan), try context.save())
        }
        #expect(saved.inserted == length)
        #expect(result.report.objectCount == 2 * length)
        let pairs = try files.rows(
            """
            SELECT count(*) FROM Airline_partners JOIN Airline ON source = restkit_key
            WHERE code LIKE '\(length)-%'
            """)
        #expect(pairs == [["\(length == 1 ? 1 : length == 2 ? 2 : length * 2)"]])
    }

    /// Relationships by reference double the work at each level: without a limit, 40 levels would
    /// take 2⁴⁰ steps.
    @Test(.threat("T55"), arguments: ["@root", "next", "@parent.next"])
    func exponentialNestingByReferenceEndsImport(_ reference: String) async throws {
        let store = try await files.open([
            EntityDescription(
                "Branch", attributes: [AttributeDescription("id", .integer, isIdentity: true)],
                relationships: [.toOne("first", "Branch"), .toOne("second", "Branch")])
        ])
        var mapping = ObjectMapping(table: try #require(store.model.properties(of: "Branch")))
        mapping.add("id", from: "id")
        mapping.add(RelationshipMapping("next", to: "first"))
        mapping.add(RelationshipMapping(try SourcePath(parsing: reference), to: "second"))
        let compiled = try MappingCompiler(defaults: [mapping]).compile(mapping)
        let plan = try EntityMappingPlan(
            EntityMapping(mapping), compiled: compiled, in: store.model)
        let depth = 40
        let text =
            (1..<depth).map { #"{"id":\#($0),"next":"# }.joined() + #"{"id":0}"#
            + String(repeating: "}", count: depth - 1)
        let document = try Document(parsing: text)
        try await store.perform { context in
            let error = #expect(throws: MappingError.self) {
                try context.importObjects(from: document.root, by: plan)
            }
            let code = error?.issue?.code
            #expect(code == .passesExceeded || code == .depthExceeded)
            #expect(!context.hasChanges)
        }
        #expect(try files.rows("SELECT count(*) FROM Branch") == [["0"]])
    }
}
