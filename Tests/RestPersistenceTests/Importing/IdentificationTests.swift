// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import RestPersistence
import TestSupport
import Testing

/// The attributes and conditions by which the rules of a mapping find existing objects.
@Suite struct IdentificationTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    private static func plan(_ rules: EntityRules) throws -> EntityMappingPlan {
        let model = try ManagedObjectModel(HumanEntities.all)
        let table = try #require(model.properties(of: "Human"))
        return try EntityMappingPlan(
            EntityMapping(ObjectMapping(defaultFor: table), rules: ["Human": rules]), in: model)
    }

    @Test(.parity("P040")) func acceptsNoIdentification() throws {
        var rules = EntityRules(identification: ["railsID"])
        #expect(try Self.plan(rules).identification(of: "Human").map(\.name) == ["railsID"])
        rules.identification = nil
        #expect(try Self.plan(rules).identification(of: "Human").map(\.name) == [])
    }

    @Test(.parity("P041")) func refusesEmptyIdentification() throws {
        let error = #expect(throws: PersistenceError.self) {
            try Self.plan(EntityRules(identification: []))
        }
        #expect(error?.code == .invalidMapping)
        #expect(
            error?.details == [
                "the identification of Human names no attribute: use nil for the declared ones, "
                    + "or set insertsAllObjects"
            ])
    }

    #if os(Linux)
    /// Names of attributes are text, so that a number is no valid declaration.
    @Test(.parity("P037")) func identificationOfAnotherTypeDoesNotCompile() throws {
        let errors = try SwiftCompiler.errors(
            in: [
                "number": "let rules = EntityRules(identification: 12345)",
                "text": "let other = EntityRules(identification: [\"railsID\"])",
            ], after: "import RestPersistence")
        #expect(errors.keys.sorted() == ["number"])
        #expect(errors["number"]?.contains { $0.contains("Int") && $0.contains("String") } == true)
    }
    #endif

    /// The store is a parameter of the import, whatever other stores there are.
    @Test(.parity("M377")) func insertsIntoStoreOfContext() async throws {
        let file = try await files.openHumans()
        let temporary = try await ManagedObjectStore(temporaryFor: file.model)
        var human = try file.mapping("Human")
        human.add("name", from: "name")
        let plan = try EntityMappingPlan(EntityMapping(human), in: file.model)
        let document = try Document(parsing: #"{"name": "Blake"}"#)
        let ids = try await temporary.perform { context in
            defer { context.rollback() }
            let result = try context.importObjects(from: document.root, by: plan)
            try context.save()
            return result.objectIDs
        }
        #expect(ids.count == 1)
        let names = try await temporary.perform { context in
            defer { context.rollback() }
            return try context.fetch(FetchRequest("Human")).map { try $0.givenName }
        }
        #expect(names == ["Blake"])
        #expect(try files.rows("SELECT count(*) FROM Human") == [["0"]])
    }

    @Test func insertsAllObjectsInsteadOfFindingThem() async throws {
        let store = try await files.open()
        let plan = try EntityMappingPlan(
            EntityMapping(
                ObjectMapping(for: City.self, ["name": "name"]),
                rules: ["City": EntityRules(insertsAllObjects: true)]), in: store.model)
        #expect(plan.identification(of: "City").map(\.name) == [])
        let document = try Document(parsing: #"[{"name": "Oslo"}]"#)
        try await store.perform { context in
            defer { context.rollback() }
            let oslo = try context.insert(City.self)
            oslo.name = "Oslo"
            let result = try context.importObjects(from: document.root, by: plan)
            #expect(result.counts["City"]?.inserted == 1)
            #expect(result.objectIDs != [oslo.objectID])
        }
    }

    @Test(.parity("P063")) func refusesModificationAttributeOfAnotherEntity() throws {
        // The attribute of cats is none of humans.
        let error = #expect(throws: PersistenceError.self) {
            try Self.plan(EntityRules(modificationAttribute: "birthYear"))
        }
        #expect(error?.code == .invalidMapping)
        #expect(error?.details == ["Human.birthYear is not an attribute"])
    }

    @Test(.parity("P064", "P065"), arguments: [nil, "name"])
    func clearedModificationAttributeSkipsNothing(attribute: String?) async throws {
        let store = try await files.openHumans()
        var human = try store.mapping("Human")
        human.add(["name": "name", "nickName": "nickName"])
        var rules = EntityRules(identification: ["name"], modificationAttribute: "name")
        rules.modificationAttribute = attribute
        let changed = rules
        try await store.perform { [human] context in
            defer { context.rollback() }
            let object = try context.insert("Human", ["name": "Blake", "nickName": "old"])
            try context.objects(
                from: #"{"name": "Blake", "nickName": "new"}"#, by: human,
                rules: ["Human": changed])
            #expect(
                try object.value("nickName", as: String?.self) == (attribute == nil ? "new" : "old")
            )
        }
    }

    // MARK: Conditions

    /// Returns the ages and the issues of the objects found for `{"id": 123}` among humans of 30 and
    /// of 28 years with this ID; the age of a new one is 0.
    private func found(
        isSaved: Bool, _ predicate: FetchPredicate?,
        _ condition: (@Sendable (Node) -> FetchPredicate?)?
    ) async throws -> (ages: [Int?], issues: [MappingIssue]) {
        let store = try await files.openHumans()
        var human = try store.mapping("Human")
        human.add("railsID", from: "id")
        let rules = EntityRules(
            identification: ["railsID"], identificationPredicate: predicate,
            identificationCondition: condition)
        let plan = try EntityMappingPlan(
            EntityMapping(human, rules: ["Human": rules]), in: store.model)
        let document = try Document(parsing: #"[{"id": 123, "limit": 29}]"#)
        return try await store.perform { context in
            defer { context.rollback() }
            for age in [30, 28] { try context.insert("Human", ["railsID": 123, "age": age]) }
            if isSaved { try context.save() }
            let result = try context.importObjects(from: document.root, by: plan)
            let ages = try result.objectIDs.map {
                try context.object(with: $0).value("age", as: Int?.self)
            }
            return (ages, result.report.issues)
        }
    }

    /// The condition depends on the representation: an age plus 94 that is less than its ID.
    @Test(.parity("P060"), arguments: [false, true])
    func conditionDependsOnRepresentation(isSaved: Bool) async throws {
        let result = try await found(isSaved: isSaved, nil) { node in
            node["id"]?.int64.map { .attribute("age", .less, Int($0) - 94) }
        }
        #expect(result.ages == [28])
        #expect(result.issues.isEmpty)
    }

    @Test(
        .parity("K022"),
        arguments: [
            (40, 29, 28), (29, 40, 28), (29, nil, 28), (25, 40, 0), (40, 25, 0), (nil, 29, 28),
        ] as [(Int?, Int?, Int)], [false, true])
    func bothConditionsFilterFoundObjects(limits: (Int?, Int?, Int), isSaved: Bool) async throws {
        let (shared, own, expected) = limits
        let result = try await found(
            isSaved: isSaved, shared.map { .attribute("age", .less, $0) }
        ) { _ in own.map { .attribute("age", .less, $0) } }
        #expect(result.ages == [expected])
        #expect(result.issues.isEmpty)
    }

    @Test(.parity("K022"), arguments: [false, true])
    func oneOfSeveralObjectsIsUpdatedWithIssue(isSaved: Bool) async throws {
        let result = try await found(isSaved: isSaved, .attribute("age", .less, 40), nil)
        #expect(result.ages == [30] || result.ages == [28])
        #expect(result.issues.map(\.code) == [.ambiguousIdentity])
        #expect(result.issues.map(\.property) == ["railsID"])
        #expect(result.issues.map { "\($0.path)" } == ["[0]"])
    }

    // MARK: Copies

    @Test(.parity("P042", "K020")) func copyKeepsAllRules() throws {
        let model = try ManagedObjectModel(HumanEntities.all)
        var cats = Connection("cats", by: ["railsID": "humanId"])
        cats.sourcePredicate = .attribute("age", .greater, 1)
        cats.destinationPredicate = .attribute("age", .less, 9)
        cats.includesSubentities = false
        var original = EntityMapping(
            ObjectMapping(
                table: try #require(model.properties(of: "Human")),
                policy: IssuePolicy(invalidObject: .drop)),
            rules: [
                "Human": EntityRules(
                    identification: ["railsID"],
                    identificationPredicate: .attribute("age", .less, 3),
                    identificationCondition: { _ in .attribute("age", .less, 4) },
                    modificationAttribute: "updatedAt", mapsRelationshipsOfUnmodified: true,
                    deletionPredicate: .attribute("age", .less, 5),
                    connections: [cats, Connection("landlord", along: "residence.owner")])
            ])
        let copy = original
        original.rules = [:]
        original.mapping = .object(
            ObjectMapping(table: try #require(model.properties(of: "Cat"))))
        #expect(copy.mapping.tables.map(\.name) == ["Human"])
        guard case .object(let mapping) = copy.mapping else {
            Issue.record("the copy is of another kind")
            return
        }
        #expect(mapping.policy.invalidObject == .drop)
        let rules = try #require(copy.rules["Human"])
        #expect(rules.identification == ["railsID"])
        #expect("\(try #require(rules.identificationPredicate))" == "\(ages(below: 3))")
        let node = try Document(parsing: "{}").root
        #expect(rules.identificationCondition?(node).map { "\($0)" } == "\(ages(below: 4))")
        #expect(rules.modificationAttribute == "updatedAt")
        #expect(rules.mapsRelationshipsOfUnmodified)
        #expect("\(try #require(rules.deletionPredicate))" == "\(ages(below: 5))")
        #expect(rules.connections.map(\.relationship) == ["cats", "landlord"])
        let first = rules.connections[0]
        #expect(first.attributes.map(\.source) == ["railsID"])
        #expect(first.attributes.map(\.destination) == ["humanId"])
        #expect(first.sourcePredicate.map { "\($0)" } == cats.sourcePredicate.map { "\($0)" })
        #expect(
            first.destinationPredicate.map { "\($0)" } == cats.destinationPredicate.map { "\($0)" })
        #expect(!first.includesSubentities)
        #expect(rules.connections[1].path == ["residence", "owner"])
        #expect(original.rules.isEmpty)
    }

    private func ages(below limit: Int) -> FetchPredicate { .attribute("age", .less, limit) }
}
