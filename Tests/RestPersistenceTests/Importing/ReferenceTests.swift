// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import RestPersistence
import TestSupport
import Testing

/// Relationships whose representations are the identities of their destinations.
@Suite struct ReferenceTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    private static func entities(
        _ missing: MissingDestination = .pending, form: ReferenceDescription.Form = .value,
        by attribute: String = "code"
    ) -> [EntityDescription] {
        let reference = ReferenceDescription(by: attribute, missing: missing, form: form)
        return [
            EntityDescription(
                "Airport",
                attributes: [
                    AttributeDescription("code", .text, isIdentity: true),
                    AttributeDescription("name", .text, isOptional: true),
                    AttributeDescription("number", .integer, isOptional: true),
                ],
                relationships: [.toOne("hub", "Carrier", inverse: "home")]),
            EntityDescription(
                "Carrier",
                attributes: [
                    AttributeDescription("id", .integer, isIdentity: true),
                    AttributeDescription("name", .text, isOptional: true),
                ],
                relationships: [
                    .toOne("base", "Airport", sourceKey: "base_code", reference: reference),
                    .toOne("home", "Airport", reference: reference),
                    .toMany("served", "Airport", reference: reference),
                    .toMany("route", "Airport", isOrdered: true, reference: reference),
                    .toMany(
                        "fleet", "Aircraft", inverse: "carrier", isOrdered: true,
                        reference: ReferenceDescription(by: "tail", missing: missing)),
                ]),
            EntityDescription(
                "Aircraft",
                attributes: [
                    AttributeDescription("tail", .text, isIdentity: true),
                    AttributeDescription("name", .text, isOptional: true),
                ],
                relationships: [.toOne("carrier", "Carrier")]),
        ]
    }

    /// Imports a document and saves it.
    @discardableResult
    private func load(
        _ entity: String, _ text: String, into store: ManagedObjectStore, isSaved: Bool = true,
        rules: [String: EntityRules] = [:]
    ) async throws -> ImportResult {
        let mapping = ObjectMapping(
            defaultFor: try #require(store.model.properties(of: entity)))
        let plan = try EntityMappingPlan(EntityMapping(mapping, rules: rules), in: store.model)
        let document = try Document(parsing: text)
        return try await store.perform { context in
            let result = try context.importObjects(from: document.root, by: plan)
            try context.save()
            return result
        }
    }

    /// Returns the identities of the destinations of the only carrier.
    private func codes(_ relationship: String, in store: ManagedObjectStore) async throws
        -> [String]
    {
        try await store.read { context in
            let carrier = try #require(try context.fetch(FetchRequest("Carrier")).first)
            return try carrier.related(relationship).map {
                try $0.value(
                    $0.objectID.entityName == "Aircraft" ? "tail" : "code", as: String.self)
            }
        }
    }

    private func pending(in store: ManagedObjectStore) async throws -> [String] {
        try await store.read { context in
            try context.pendingReferences(ofEntity: "Carrier").map {
                "\($0.relationship) \($0.identity) \($0.position.map(String.init) ?? "-")"
            }
        }
    }

    private static let airports = #"[{"code": "OSL"}, {"code": "BGO"}, {"code": "TRD"}]"#
    private static let carrier = """
        {"id": 1, "base_code": "OSL", "home": "BGO", "served": ["OSL", "TRD"],
         "route": ["TRD", "OSL", "BGO"], "fleet": ["LN-B", "LN-A"]}
        """
    private static let aircraft = #"[{"tail": "LN-A"}, {"tail": "LN-B"}]"#

    // MARK: Connecting

    @Test(arguments: [
        ["Airport", "Aircraft", "Carrier"], ["Carrier", "Airport", "Aircraft"],
        ["Aircraft", "Carrier", "Airport"],
    ])
    func connectsIdentitiesInAnyOrder(order: [String]) async throws {
        let store = try await files.open(Self.entities())
        let texts = [
            "Airport": Self.airports, "Carrier": Self.carrier, "Aircraft": Self.aircraft,
        ]
        for entity in order { try await load(entity, try #require(texts[entity]), into: store) }
        #expect(try await codes("base", in: store) == ["OSL"])
        #expect(try await codes("home", in: store) == ["BGO"])
        #expect(try await codes("served", in: store).sorted() == ["OSL", "TRD"])
        #expect(try await codes("route", in: store) == ["TRD", "OSL", "BGO"])
        #expect(try await codes("fleet", in: store) == ["LN-B", "LN-A"])
        #expect(try await pending(in: store).isEmpty)
        #expect(try files.rows("SELECT count(*) FROM Airport") == [["3"]])
    }

    @Test(arguments: [
        ("\"https://host/airports/7/\"", "OSL"), ("\"/airports/7?page=2\"", "OSL"),
        ("\"7\"", "OSL"),
    ])
    func findsIdentityInURL(value: String, code: String) async throws {
        let store = try await files.open(
            Self.entities(form: .lastPathComponent, by: "number"))
        try await load("Airport", #"[{"code": "OSL", "number": 7}]"#, into: store)
        try await load("Carrier", #"{"id": 1, "base_code": \#(value)}"#, into: store)
        #expect(try await codes("base", in: store) == [code])
    }

    /// The components of a URL are separated before they are decoded.
    @Test(arguments: [
        ("/airports/S%C3%A3o%20Paulo?page=2", "S\u{E3}o Paulo"), ("https://host/a%2Fb/", "a/b"),
        ("100%", "100%"),
    ])
    func decodesIdentityInURL(value: String, code: String) async throws {
        var entities = Self.entities(form: .lastPathComponent)
        entities[0].attributes[0] = AttributeDescription(
            "code", .text, isIdentity: true, form: .lastPathComponent)
        let store = try await files.open(entities)
        for _ in 0..<2 { try await load("Airport", #"{"code": "\#(value)"}"#, into: store) }
        #expect(try files.rows("SELECT code FROM Airport") == [[code]])
        try await load("Carrier", #"{"id": 1, "base_code": "\#(value)"}"#, into: store)
        #expect(try await codes("base", in: store) == [code])
    }

    @Test func connectsByAttributeWithoutIndex() async throws {
        let store = try await files.open(Self.entities(by: "name"))
        try await load("Carrier", #"{"id": 1, "served": ["Flesland"]}"#, into: store)
        try await load(
            "Airport", #"[{"code": "BGO", "name": "Flesland"}, {"code": "OSL"}]"#, into: store)
        #expect(try await codes("served", in: store) == ["BGO"])
    }

    /// A mapping whose attribute takes the whole value, and a rule.
    @Test(
        arguments: [
            (MissingDestination?.none, ["OSL", "XXX"], [String]()),
            (.skipped, ["OSL"], []),
            (.pending, ["OSL"], ["served text(\"XXX\") -"]),
            (.placeholder, ["OSL", "XXX"], []),
        ] as [(MissingDestination?, [String], [String])])
    func appliesRuleToMapping(
        missing: MissingDestination?, expected: [String], pending: [String]
    ) async throws {
        var entities = Self.entities()
        entities[1].relationships = entities[1].relationships.map {
            var relationship = $0
            relationship.reference = nil
            return relationship
        }
        let store = try await files.open(entities)
        try await load("Airport", #"[{"code": "OSL"}]"#, into: store)
        var airport = try store.mapping("Airport")
        airport.add("code", from: .whole)
        var carrier = try store.mapping("Carrier")
        carrier.add("id", from: "id")
        carrier.add(RelationshipMapping("airport_codes", to: "served", mapping: airport))
        let plan = try EntityMappingPlan(
            EntityMapping(
                carrier,
                rules: [
                    "Carrier": EntityRules(
                        missingDestinations: missing.map { ["served": $0] } ?? [:])
                ]), in: store.model)
        let document = try Document(parsing: #"{"id": 1, "airport_codes": ["OSL", "XXX"]}"#)
        try await store.perform { context in
            _ = try context.importObjects(from: document.root, by: plan)
            try context.save()
        }
        #expect(try await codes("served", in: store).sorted() == expected)
        #expect(try await self.pending(in: store) == pending)
    }

    // MARK: Missing destinations

    @Test(
        arguments: [
            (MissingDestination.skipped, ["OSL"], 0), (.pending, ["OSL"], 4),
            (.placeholder, ["TRD", "OSL"], 0),
        ] as [(MissingDestination, [String], Int)])
    func treatsMissingDestinations(
        missing: MissingDestination, route: [String], count: Int
    ) async throws {
        let store = try await files.open(Self.entities(missing))
        try await load("Airport", #"[{"code": "OSL"}]"#, into: store)
        let text = """
            {"id": 1, "base_code": "BGO", "served": ["TRD"], "route": ["TRD", "OSL"],
             "fleet": ["LN-A"]}
            """
        try await load("Carrier", text, into: store)
        #expect(try await codes("route", in: store) == route)
        #expect(try await pending(in: store).count == count)
        #expect(try await codes("base", in: store) == (missing == .placeholder ? ["BGO"] : []))
        // The objects that arrive are connected if their references have been kept or inserted.
        try await load("Airport", Self.airports, into: store)
        #expect(try await codes("base", in: store) == (missing == .skipped ? [] : ["BGO"]))
        #expect(
            try await codes("route", in: store) == (missing == .skipped ? ["OSL"] : ["TRD", "OSL"]))
        #expect(try files.rows("SELECT count(*) FROM Airport") == [["3"]])
    }

    @Test func listsPendingReferences() async throws {
        let store = try await files.open(Self.entities())
        try await load("Carrier", Self.carrier, into: store)
        #expect(
            try await pending(in: store) == [
                "base text(\"OSL\") -", "fleet text(\"LN-B\") 0", "fleet text(\"LN-A\") 1",
                "home text(\"BGO\") -", "route text(\"TRD\") 0", "route text(\"OSL\") 1",
                "route text(\"BGO\") 2", "served text(\"OSL\") -", "served text(\"TRD\") -",
            ])
        let reference = try await store.read {
            try #require(try $0.pendingReferences(ofEntity: "Carrier").first)
        }
        #expect(reference.owner.entityName == "Carrier")
        #expect(reference.destination == "Airport")
        #expect(reference.attribute == "code")
        // They are in the file, and still there when it is opened again.
        try store.close()
        let reopened = try await files.open(Self.entities())
        #expect(try await pending(in: reopened).count == 9)
    }

    // MARK: Report

    /// References to an airport that exists, and to others, of which one occurs twice.
    private static let carriers = """
        [{"id": 1, "base_code": "XXX", "served": ["OSL", "YYY", "YYY", "ZZZ"]},
         {"id": 2, "base_code": "OSL", "route": ["XXX", "OSL"], "home": "XXX"}]
        """
    private static let missingPaths = [
        "[0].base_code", "[0].served[1]", "[0].served[3]", "[1].home", "[1].route[0]",
    ]

    @Test func reportHasPathsOfPendingReferences() async throws {
        let store = try await files.open(Self.entities())
        try await load("Airport", Self.airports, into: store)
        var result = try await load("Carrier", Self.carriers, into: store)
        #expect(result.report.pendingPaths.map(\.description).sorted() == Self.missingPaths)
        #expect(result.counts["Carrier"]?.pending == Self.missingPaths.count)
        #expect(result.report.issueCount == 0)
        // Those that an import connects are not among them.
        try await load("Airport", #"[{"code": "XXX"}]"#, into: store)
        result = try await load("Carrier", Self.carriers, into: store)
        #expect(
            result.report.pendingPaths.map(\.description) == ["[0].served[1]", "[0].served[3]"])
    }

    @Test func pendingPathsAreLimitedAndInOrder() async throws {
        let store = try await files.open(Self.entities())
        let codes = (0..<1200).map { "\"A\($0)\"" }.joined(separator: ", ")
        let result = try await load(
            "Carrier", #"[{"id": 1, "served": [\#(codes)]}]"#, into: store)
        #expect(result.counts["Carrier"]?.pending == 1200)
        #expect(
            result.report.pendingPaths.map(\.description)
                == (0..<result.report.issueLimit).map { "[0].served[\($0)]" })
        var report = result.report
        report.add(result.report)
        #expect(report.pendingPaths == result.report.pendingPaths)
    }

    @Test func reportHasIssuesOfSkippedReferences() async throws {
        let store = try await files.open(Self.entities(.skipped))
        try await load("Airport", Self.airports, into: store)
        let result = try await load("Carrier", Self.carriers, into: store)
        #expect(result.report.issues.map(\.path.description).sorted() == Self.missingPaths)
        #expect(Set(result.report.issues.map(\.code)) == [.missingDestination])
        #expect(
            Set(result.report.issues.map(\.description)).contains(
                "missingDestination at [0].base_code: Carrier.base expected "
                    + "the identity of an object of Airport, found string"))
        #expect(result.report.pendingPaths.isEmpty)
        #expect(result.counts["Carrier"]?.pending == 0)
        // A placeholder is neither.
        let other = try await ManagedObjectStore(
            temporaryFor: ManagedObjectModel(Self.entities(.placeholder)))
        let report = try await load("Carrier", Self.carriers, into: other).report
        #expect(report.issueCount == 0 && report.pendingPaths.isEmpty)
    }

    /// A destination that the program inserts, and one that gets its identity by an edit.
    @Test func connectsObjectsThatAreNotImported() async throws {
        let store = try await files.open(Self.entities())
        try await load("Carrier", #"{"id": 1, "served": ["OSL", "BGO"]}"#, into: store)
        try await store.perform { context in
            let airport = try context.insert(entity: "Airport")
            try airport.setValue("OSL", "code")
            let other = try context.insert(entity: "Airport")
            try other.setValue("XXX", "code")
            try context.save()
        }
        #expect(try await codes("served", in: store) == ["OSL"])
        try await store.perform { context in
            let other = try context.fetch(FetchRequest("Airport")).first {
                try $0.value("code", as: String.self) == "XXX"
            }
            try other?.setValue("BGO", "code")
            try context.save()
        }
        #expect(try await codes("served", in: store) == ["OSL", "BGO"])
        #expect(try await pending(in: store).isEmpty)
    }

    @Test func connectsWithinOneUnsavedContext() async throws {
        let store = try await files.open(Self.entities())
        let model = store.model
        let plans = try ["Carrier", "Airport", "Aircraft"].map { entity in
            try EntityMappingPlan(
                EntityMapping(
                    ObjectMapping(defaultFor: try #require(model.properties(of: entity)))),
                in: model)
        }
        let documents = try [Self.carrier, Self.airports, Self.aircraft].map {
            try Document(parsing: $0)
        }
        let route = try await store.perform { context in
            for (plan, document) in zip(plans, documents) {
                _ = try context.importObjects(from: document.root, by: plan)
            }
            let carrier = try #require(try context.fetch(FetchRequest("Carrier")).first)
            #expect(try context.pendingReferences(ofEntity: "Carrier").isEmpty)
            #expect(try carrier.related("home").count == 1)
            #expect(try carrier.related("fleet").count == 2)
            let route = try carrier.related("route").map { try $0.value("code", as: String.self) }
            try context.save()
            return route
        }
        #expect(route == ["TRD", "OSL", "BGO"])
        #expect(try await codes("route", in: store) == route)
        #expect(try await codes("fleet", in: store) == ["LN-B", "LN-A"])
        #expect(try await pending(in: store).isEmpty)
    }

    /// A child passes them to its parent with its changes, and discarding the changes discards them.
    @Test func travelWithChangesOfContext() async throws {
        let store = try await files.open(Self.entities())
        let plan = try EntityMappingPlan(
            EntityMapping(
                ObjectMapping(defaultFor: try #require(store.model.properties(of: "Carrier")))),
            in: store.model)
        let document = try Document(parsing: #"{"id": 1, "base_code": "OSL"}"#)
        try await store.perform { context in
            defer { context.rollback() }
            let child = context.child()
            _ = try child.importObjects(from: document.root, by: plan)
            #expect(try child.pendingReferences(ofEntity: "Carrier").count == 1)
            #expect(try context.pendingReferences(ofEntity: "Carrier").isEmpty)
            try child.save()
            #expect(try context.pendingReferences(ofEntity: "Carrier").count == 1)
        }
        #expect(try await pending(in: store).isEmpty)
        try await store.perform { context in
            defer { context.rollback() }
            let child = context.child()
            _ = try child.importObjects(from: document.root, by: plan)
            try child.saveToStore()
        }
        #expect(try await pending(in: store).count == 1)
    }

    @Test func reportsValueThatIsNoIdentityOnce() async throws {
        let store = try await files.open(
            Self.entities(form: .lastPathComponent, by: "number"))
        let text = #"{"id": 1, "base_code": "https://host/airports/x", "served": ["8", "x"]}"#
        let result = try await load("Carrier", text, into: store)
        #expect(
            result.report.issues.map(\.path.description).sorted() == ["base_code", "served[1]"])
        #expect(try await pending(in: store) == ["served integer(8) -"])
    }

    /// Migration gives them the new names, and removes those of removed relationships.
    @Test func continueInMigratedModel() async throws {
        let old = try await files.open(Self.entities())
        try await load("Carrier", Self.carrier, into: old)
        try old.close()
        let reference = ReferenceDescription(by: "iata")
        let model = try ManagedObjectModel([
            EntityDescription(
                "Airfield",
                attributes: [
                    AttributeDescription("iata", .text, isIdentity: true, renamedFrom: ["code"]),
                    AttributeDescription("name", .text, isOptional: true),
                    AttributeDescription("number", .integer, isOptional: true),
                ],
                relationships: [.toOne("hub", "Carrier", inverse: "home")],
                renamedFrom: ["Airport"]),
            EntityDescription(
                "Carrier",
                attributes: [
                    AttributeDescription("id", .integer, isIdentity: true),
                    AttributeDescription("name", .text, isOptional: true),
                ],
                relationships: [
                    .toOne("seat", "Airfield", reference: reference, renamedFrom: ["base"]),
                    .toOne("home", "Airfield", reference: reference),
                    .toMany("route", "Airfield", isOrdered: true, reference: reference),
                ]),
        ])
        let store = try await ManagedObjectStore(
            at: files.file, model: model,
            configuration: StoreConfiguration(migration: .automatic))
        #expect(
            try await pending(in: store).sorted() == [
                "home text(\"BGO\") -", "route text(\"BGO\") 2", "route text(\"OSL\") 1",
                "route text(\"TRD\") 0", "seat text(\"OSL\") -",
            ])
        try await load("Airfield", #"[{"iata": "OSL"}, {"iata": "BGO"}]"#, into: store)
        #expect(try await pending(in: store) == ["route text(\"TRD\") 0"])
        let seat = try await store.read { context in
            try context.fetch(FetchRequest("Carrier")).flatMap { try $0.related("seat") }
                .map { try $0.value("iata", as: String.self) }
        }
        #expect(seat == ["OSL"])
    }

    // MARK: Removing

    @Test func newListReplacesPendingReferences() async throws {
        let store = try await files.open(Self.entities())
        try await load(
            "Carrier", #"{"id": 1, "base_code": "OSL", "served": ["OSL", "BGO"]}"#, into: store)
        try await load(
            "Carrier", #"{"id": 1, "base_code": null, "served": ["BGO", "TRD"]}"#, into: store)
        #expect(
            try await pending(in: store) == ["served text(\"BGO\") -", "served text(\"TRD\") -"])
        // A key that is absent changes nothing.
        try await load("Carrier", #"{"id": 1, "name": "Norse"}"#, into: store)
        #expect(try await pending(in: store).count == 2)
        try await load("Carrier", #"{"id": 1, "served": []}"#, into: store)
        #expect(try await pending(in: store).isEmpty)
        try await load("Airport", Self.airports, into: store)
        #expect(try await codes("served", in: store).isEmpty)
    }

    @Test func anotherDestinationRemovesPendingReference() async throws {
        let store = try await files.open(Self.entities())
        try await load("Carrier", #"{"id": 1, "base_code": "OSL"}"#, into: store)
        try await store.perform { context in
            let airport = try context.insert(entity: "Airport")
            try airport.setValue("BGO", "code")
            let carrier = try context.fetch(FetchRequest("Carrier"))[0]
            try carrier.setRelated("base", [airport])
            #expect(try context.pendingReferences(ofEntity: "Carrier").isEmpty)
            try context.save()
        }
        #expect(try await pending(in: store).isEmpty)
        try await load("Airport", Self.airports, into: store)
        #expect(try await codes("base", in: store) == ["BGO"])
    }

    @Test func deletingOwnerRemovesPendingReferences() async throws {
        let store = try await files.open(Self.entities())
        try await load("Carrier", Self.carrier, into: store)
        try await store.perform { context in
            context.delete(try context.fetch(FetchRequest("Carrier"))[0])
            #expect(try context.pendingReferences(ofEntity: "Carrier").isEmpty)
            try context.save()
        }
        #expect(try files.rows("SELECT count(*) FROM restkit_pending") == [["0"]])
        try await load("Airport", Self.airports, into: store)
    }

    /// The later statement wins: that of the destination's own document.
    @Test func destinationKeepsItsOwnRelationship() async throws {
        let store = try await files.open(Self.entities())
        try await load("Carrier", #"[{"id": 1, "fleet": ["LN-A"]}]"#, into: store)
        let text = #"[{"tail": "LN-A", "carrier": {"id": 2, "name": "Other"}}]"#
        try await load("Aircraft", text, into: store)
        #expect(try await pending(in: store).isEmpty)
        #expect(
            try files.rows(
                "SELECT c.id FROM Aircraft a JOIN Carrier c ON c.restkit_key = a.carrier")
                == [["2"]])
    }

    /// A list by identity moves a member of another list.
    @Test func movesMembersBetweenLists() async throws {
        let store = try await files.open(Self.entities())
        try await load("Aircraft", Self.aircraft, into: store)
        try await load(
            "Carrier", #"[{"id": 1, "fleet": ["LN-A", "LN-B"]}, {"id": 2, "fleet": []}]"#,
            into: store)
        try await load(
            "Carrier", #"[{"id": 1, "fleet": ["LN-B"]}, {"id": 2, "fleet": ["LN-A"]}]"#,
            into: store)
        #expect(
            try files.rows(
                """
                SELECT a.tail, c.id FROM Aircraft a JOIN Carrier c ON c.restkit_key = a.carrier \
                ORDER BY a.tail
                """) == [["LN-A", "2"], ["LN-B", "1"]])
    }

    // MARK: Migration

    private func reopen(
        _ type: AttributeType, _ steps: [MigrationStep] = [], in store: ManagedObjectStore
    ) async throws -> ManagedObjectStore {
        try? store.close()
        var entities = Self.entities()
        entities[0].attributes[0] = AttributeDescription("code", type, isIdentity: true)
        return try await ManagedObjectStore(
            at: files.file, model: ManagedObjectModel(entities),
            configuration: StoreConfiguration(migration: .automatic(steps)))
    }

    @Test func migrationConvertsPendingReferences() async throws {
        let store = try await files.open(Self.entities())
        try await load(
            "Carrier", #"{"id": 1, "base_code": "12", "route": ["7", "12"]}"#, into: store)
        let numbers = try await reopen(.integer, in: store)
        #expect(
            try await pending(in: numbers).sorted() == [
                "base integer(12) -", "route integer(12) 1", "route integer(7) 0",
            ])
        try await load("Airport", #"[{"code": 12}, {"code": 7}]"#, into: numbers)
        #expect(try await pending(in: numbers).isEmpty)
        let routes = try await numbers.read { context in
            try context.fetch(FetchRequest("Carrier"))[0].related("route").map {
                try $0.value("code", as: Int.self)
            }
        }
        #expect(routes == [7, 12])
    }

    @Test func migrationRefusesToLosePendingReferences() async throws {
        let store = try await files.open(Self.entities())
        try await load("Carrier", #"{"id": 1, "base_code": "OSL", "route": ["7"]}"#, into: store)
        let error = await #expect(throws: PersistenceError.self) {
            _ = try await reopen(.integer, in: store)
        }
        #expect(error?.code == .migrationRefused)
        #expect(
            error?.details == [
                "attribute Airport.code changes, which loses references that wait for Airport (1)"
            ])
        #expect(try files.rows("SELECT count(*) FROM restkit_pending") == [["2"]])
        // A step of the attribute converts the references as well.
        let stepped = try await reopen(
            .integer,
            [
                .value("code", of: "Airport", from: ["code"]) { row in
                    if case .text(let code) = row["code"] {
                        .integer(Int64(code) ?? -1)
                    } else {
                        .null
                    }
                }
            ], in: store)
        #expect(
            try await pending(in: stepped).sorted() == ["base integer(-1) -", "route integer(7) 0"])
    }

    @Test func migrationDiscardsPendingReferencesIfPermitted() async throws {
        let store = try await files.open(Self.entities())
        try await load("Carrier", #"{"id": 1, "base_code": "OSL", "route": ["7"]}"#, into: store)
        let discarding = try await reopen(.integer, [.discard("Airport.code")], in: store)
        #expect(try await pending(in: discarding) == ["route integer(7) 0"])
    }

    // MARK: Configuration

    @Test func refusesReferenceByUnknownAttribute() throws {
        let error = #expect(throws: PersistenceError.self) {
            try ManagedObjectModel(Self.entities(by: "iata"))
        }
        #expect(
            error?.details.first
                == "reference Carrier.base is by Airport.iata, which is no attribute")
    }

    @Test func refusesPlaceholderThatCannotBeInserted() throws {
        var entities = Self.entities(.placeholder)
        entities[0].attributes[1] = AttributeDescription("name", .text)
        let model = try ManagedObjectModel(entities)
        let mapping = ObjectMapping(defaultFor: try #require(model.properties(of: "Carrier")))
        let error = #expect(throws: PersistenceError.self) {
            try EntityMappingPlan(EntityMapping(mapping), in: model)
        }
        #expect(error?.code == .invalidMapping)
        #expect(
            error?.details.first
                == "placeholders of Carrier.base are incomplete: Airport.name is required")
        let byName = try ManagedObjectModel(Self.entities(.placeholder, by: "name"))
        let error2 = #expect(throws: PersistenceError.self) {
            try EntityMappingPlan(
                EntityMapping(
                    ObjectMapping(defaultFor: try #require(byName.properties(of: "Carrier")))),
                in: byName)
        }
        #expect(
            error2?.details.first
                == "placeholders of Carrier.base need the identity of Airport, not its name")
    }
}
