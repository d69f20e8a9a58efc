// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import RestPersistence
import TestSupport
import Testing

/// The declaration and the observation of connections.
@Suite struct ConnectionDeclarationTests {
    private typealias Pair = Connection.AttributePair

    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    /// A transformation of some names to others.
    private static func transformation(_ names: [String: String]) -> KeyTransformation {
        KeyTransformation(toDestination: { names[$0] ?? $0 })
    }

    @Test(
        .parity("P104", "P105", "P106", "P107", "P108"),
        arguments: [
            (Connection("favoriteCat", by: ["favoriteCatID"]), ["favoriteCatID:favoriteCatID"]),
            (
                Connection(
                    "favoriteCat", by: ["favoriteCatID"],
                    keyTransformation: KeyTransformation(toDestination: { _ in "age" })),
                ["favoriteCatID:age"]
            ),
            (
                Connection("cats", by: ["railsID", "name"] as [String]),
                ["railsID:railsID", "name:name"]
            ),
            (
                Connection(
                    "cats", by: ["railsID", "name"],
                    keyTransformation: transformation(["railsID": "age", "name": "color"])),
                ["railsID:age", "name:color"]
            ),
            (
                Connection("cats", by: ["railsID": "humanId", "name": "nickName"]),
                ["railsID:humanId", "name:nickName"]
            ),
        ] as [(Connection, [String])])
    func pairsAttributesByName(connection: Connection, expected: [String]) throws {
        #expect(connection.attributes.map { "\($0.source):\($0.destination)" } == expected)
        #expect(connection.path.isEmpty)
    }

    @Test func connectsByTransformedNames() async throws {
        let connection = Connection(
            "cats", by: ["railsID", "name"],
            keyTransformation: Self.transformation(["railsID": "age", "name": "color"]))
        let names = try await connect(connection, from: #"{"railsID": 4, "name": "red"}"#) {
            try $0.insert("Cat", ["name": "Asia", "age": 4, "color": "red"])
            try $0.insert("Cat", ["name": "Lola", "age": 4, "color": "blue"])
            try $0.insert("Cat", ["name": "Roy", "age": 5, "color": "red"])
        }
        #expect(names == ["Asia"])
    }

    @Test(.parity("P113")) func followsPathToManyRelationship() async throws {
        let names = try await connect(
            Connection("roommates", along: "house.residents"), from: #"{"railsID": 1}"#,
            naming: { try "\($0.value("railsID", as: Int?.self) ?? 0)" }
        ) { context in
            let human = try context.insert("Human", ["railsID": 1])
            let house = try context.insert("House", ["city": "Oslo"])
            let residents = try [7, 8].map { try context.insert("Resident", ["railsID": $0]) }
            try context.insert("Resident", ["railsID": 9])
            try house.setRelated("residents", residents)
            try human.setRelated("house", [house])
        }
        #expect(Set(names) == ["7", "8"])
    }

    @Test(.parity("K036")) func takesOneOfSeveralMatches() async throws {
        let several = try await connect(
            Connection("favoriteCat", by: ["favoriteCatID": "age"]),
            from: #"{"railsID": 1, "favoriteCatID": 4}"#
        ) { context in
            for name in ["Asia", "Lola"] { try context.insert("Cat", ["name": name, "age": 4]) }
        }
        #expect(several.count == 1)
        #expect(["Asia", "Lola"].contains(several[0]))
    }

    @Test(.parity("K036")) func becomesEmptyWithoutMatch() async throws {
        let other = try await connect(
            Connection("favoriteCat", by: ["favoriteCatID": "railsID"]),
            from: #"{"railsID": 1, "favoriteCatID": 4}"#
        ) { context in
            let human = try context.insert("Human", ["railsID": 1])
            try human.setRelated("favoriteCat", [try context.insert("Cat", ["railsID": 5])])
        }
        #expect(other == [])
    }

    @Test(.parity("K036")) func pathThatEndsInNothingIsEmpty() async throws {
        let roommates = try await connect(
            Connection("roommates", along: "house.residents"), from: #"{"railsID": 1}"#,
            naming: { _ in "resident" }
        ) { context in
            // The human has no house, but had a roommate.
            let human = try context.insert("Human", ["railsID": 1])
            try human.setRelated("roommates", [try context.insert("Resident", ["railsID": 7])])
        }
        #expect(roommates == [])
    }

    // MARK: Several connections

    @Test(.parity("K041")) func refusesSecondConnectionOfRelationship() throws {
        let model = try ManagedObjectModel(HumanEntities.all)
        let table = try #require(model.properties(of: "Human"))
        var rules = EntityRules(
            connections: [
                Connection("cats", by: ["railsID": "humanId"]),
                Connection("favoriteCat", by: ["favoriteCatID": "railsID"]),
                Connection("cats", by: ["sex": "sex"]),
            ])
        let error = #expect(throws: PersistenceError.self) {
            try EntityMappingPlan(
                EntityMapping(ObjectMapping(table: table), rules: ["Human": rules]), in: model)
        }
        #expect(error?.code == .invalidMapping)
        #expect(error?.details == ["Human.cats has several connections"])
        // Connections are found by relationship and can be removed.
        let found = try #require(rules.connections.last { $0.relationship == "cats" })
        #expect(found.attributes.map(\.source) == ["sex"])
        rules.connections.removeLast()
        _ = try EntityMappingPlan(
            EntityMapping(ObjectMapping(table: table), rules: ["Human": rules]), in: model)
        #expect(rules.connections.map(\.relationship) == ["cats", "favoriteCat"])
    }

    // MARK: Observation

    /// An observer that records the names of destinations.
    private final class Recorder: ConnectionObserver {
        var connected: [String] = []

        func observe(_ event: MappingEvent) {}

        func observe(
            _ connection: Connection, of object: ManagedObject, destinations: [ManagedObject]
        ) {
            let names = (try? destinations.map { try $0.givenName ?? "-" }) ?? ["?"]
            connected.append("\(connection.relationship) \(names)")
        }
    }

    @Test(.parity("K038")) func reportsEachConnectionToObserver() async throws {
        let store = try await files.openHumans()
        var human = try store.mapping("Human")
        human.add(["railsID": "railsID", "favoriteCatID": "favoriteCatID", "sex": "sex"])
        var male = Connection("cats", by: ["sex": "sex"])
        male.sourcePredicate = .attribute("sex", .equal, "male")
        let rules = EntityRules(
            identification: ["railsID"],
            connections: [
                Connection("favoriteCat", by: ["favoriteCatID": "railsID"]), male,
            ])
        let plan = try EntityMappingPlan(
            EntityMapping(human, rules: ["Human": rules]), in: store.model)
        let document = try Document(
            parsing: """
                [{"railsID": 1, "favoriteCatID": 5, "sex": "male"},
                 {"railsID": 2, "favoriteCatID": 6, "sex": "female"}]
                """)
        let events = try await store.perform { context in
            defer { context.rollback() }
            try context.insert("Cat", ["railsID": 5, "name": "Asia", "sex": "male"])
            try context.insert("Cat", ["railsID": 8, "name": "Lola", "sex": "female"])
            let recorder = Recorder()
            _ = try context.importObjects(
                from: document.root, by: plan, in: MappingEnvironment(observer: recorder))
            return recorder.connected
        }
        #expect(
            events.sorted() == [
                #"cats ["Asia"]"#, "cats []", #"favoriteCat ["Asia"]"#, "favoriteCat []",
            ])
    }

    /// Imports a human with a connection, after a closure has inserted other objects.
    ///
    /// - Returns: The names of the destinations.
    private func connect(
        _ connection: Connection, from text: String,
        naming name: @escaping @Sendable (ManagedObject) throws -> String = {
            try $0.givenName ?? "-"
        },
        prepare: @Sendable (ManagedObjectContext) throws -> Void
    ) async throws -> [String] {
        let store = try await files.openHumans()
        let mapping = ObjectMapping(
            defaultFor: try #require(store.model.properties(of: "Human")))
        return try await store.perform { context in
            defer { context.rollback() }
            try prepare(context)
            let objects = try context.objects(
                from: text, by: mapping, identification: ["Human": ["railsID"]],
                rules: ["Human": EntityRules(connections: [connection])])
            return try objects[0].related(connection.relationship).map(name)
        }
    }
}
