// SPDX-License-Identifier: Apache-2.0

#if Macros
import RestDocument
import RestMapping
import TestSupport
import Testing

private enum Shop {
    @Mapped struct Customer: Equatable {
        var id: String
        var name = ""
    }

    @Mapped struct Charge {
        var customer: Customer?
        var others: [Customer] = []
        var byKey: [String: Customer] = [:]
    }
}

/// The representations that a dynamic mapping chooses for: objects, plain values, members, and values
/// beside them.
@Suite struct DynamicMappingRepresentationTests {
    private let identity = ObjectMapping(for: Shop.Customer.self, ["": "id"])
    private let whole = ObjectMapping(for: Shop.Customer.self)

    private var expandable: DynamicMapping {
        DynamicMapping([
            MappingMatcher(at: "", is: .string, mapping: identity),
            MappingMatcher(mapping: whole) { $0.kind == .object },
        ])
    }

    private func charge(
        _ mapping: DynamicMapping, _ json: String, to property: String, from source: SourcePath,
        report: inout MappingReport
    ) throws -> Shop.Charge? {
        var charge = ObjectMapping(table: Shop.Charge.properties)
        charge.add(RelationshipMapping(source, to: property, mapping: mapping))
        return try map(Shop.Charge.self, json, with: charge, report: &report).first
    }

    // MARK: Plain values

    @Test func choosesForPlainValuesInRelationships() throws {
        var report = MappingReport()
        let one = try charge(expandable, #"{"x":"a"}"#, to: "customer", from: "x", report: &report)
        #expect(one?.customer == Shop.Customer(id: "a"))
        let object = #"{"id":"b","name":"n"}"#
        let list = try charge(
            expandable, #"{"x":["a",\#(object)]}"#, to: "others", from: "x", report: &report)
        #expect(list?.others == [Shop.Customer(id: "a"), Shop.Customer(id: "b", name: "n")])
        let keyed = try charge(
            expandable, #"{"x":{"k":"a","l":\#(object)}}"#, to: "byKey", from: "x",
            report: &report)
        #expect(keyed?.byKey["k"] == Shop.Customer(id: "a"))
        #expect(keyed?.byKey["l"] == Shop.Customer(id: "b", name: "n"))
        #expect(report.issues.isEmpty)
        let documents = try MappingCompiler().compile(expandable).documents(
            from: Document(parsing: #"["a"]"#).root, report: &report)
        #expect(documents == [["id": "a"]])
    }

    @Test func reportsPlainValueWithoutMapping() throws {
        var report = MappingReport()
        let found = try charge(expandable, #"{"x":1}"#, to: "customer", from: "x", report: &report)
        #expect(found?.customer == nil)
        #expect(report.issues.map(\.code) == [.typeMismatch])
        #expect(report.issues.map(\.path) == ["x"])
        #expect(throws: MappingError.self) {
            try MappingCompiler().compile(expandable).anyObjects(
                from: Document(parsing: #"["a",1]"#).root, report: &report)
        }
    }

    // MARK: Members

    private func keyed(_ source: SourcePath = "{id}.name") -> ObjectMapping {
        ObjectMapping(for: Shop.Customer.self) {
            keyOfRepresentation(to: \.id)
            attribute(source, to: \.name)
        }
    }

    @Test func forcesCollectionForCandidatesThatDoNot() throws {
        var mapping = DynamicMapping([
            MappingMatcher(at: "{id}.kind", equals: "a", mapping: keyed()),
            MappingMatcher(mapping: keyed("{id}.title")) { $0.members.contains { _ in true } },
        ])
        mapping.forcesCollection = true
        let json = #"{"x":{"k":{"kind":"a","name":"n"},"l":{"title":"t"}}}"#
        let expected = [Shop.Customer(id: "k", name: "n"), Shop.Customer(id: "l", name: "t")]
        var report = MappingReport()
        let found = try charge(mapping, json, to: "others", from: "x", report: &report)
        #expect(found?.others == expected)
        let objects = try MappingCompiler().compile(mapping).anyObjects(
            from: Document(parsing: json).root["x"] ?? Document(nilLiteral: ()).root,
            report: &report)
        #expect(objects as? [Shop.Customer] == expected)
        #expect(report.issues.isEmpty)
    }

    @Test func forcesCollectionForMappingsOfClosure() throws {
        let keyed = keyed()
        var mapping = DynamicMapping { _ in keyed }
        mapping.forcesCollection = true
        var report = MappingReport()
        let found = try charge(
            mapping, #"{"x":{"k":{"name":"n"},"l":{"name":"m"}}}"#, to: "others", from: "x",
            report: &report)
        #expect(found?.others.map(\.id) == ["k", "l"])
        #expect(found?.others.map(\.name) == ["n", "m"])
    }

    // MARK: Values beside the object

    @Test func comparesValueBesideObject() throws {
        let mapping = DynamicMapping([
            MappingMatcher(at: "@parent.type", equals: "customer", mapping: whole),
            MappingMatcher(at: "@root.version", is: .number, mapping: keyed("title")),
        ])
        var report = MappingReport()
        let object = #"{"id":"b","name":"n"}"#
        let list = #"[\#(object),\#(object)]"#
        for (json, count) in [
            (#"{"type":"customer","x":\#(list)}"#, 2), (#"{"type":"other","x":\#(list)}"#, 0),
        ] {
            let found = try charge(mapping, json, to: "others", from: "x", report: &report)
            #expect(found?.others.map(\.name) == Array(repeating: "n", count: count))
        }
    }

    @Test func comparesMetadata() throws {
        let mapping = DynamicMapping([
            MappingMatcher(at: "@metadata.kind", equals: "c", mapping: whole)
        ])
        let plan = try MappingCompiler().compile(mapping)
        var report = MappingReport()
        let found = try plan.anyObjects(
            from: Document(parsing: #"{"id":"a"}"#).root,
            in: MappingEnvironment(metadata: [["kind": "c"]]), report: &report)
        #expect(found as? [Shop.Customer] == [Shop.Customer(id: "a")])
    }

    @Test func diagnosesPathOfMatcherInWrongOrder() throws {
        let mapping = DynamicMapping([
            MappingMatcher(at: "a.@parent", equals: "c", mapping: whole)
        ])
        let error = #expect(throws: MappingError.self) { try MappingCompiler().compile(mapping) }
        #expect(error?.diagnostics.map(\.code) == [.invalidSource])
    }
}

/// Sources that begin with `@parent` inside an object that is mapped as the list of its members.
@Suite struct ParentOfMemberTests {
    enum Team {
        @Mapped final class Player {
            var name: String?
            var own: String?
            var outer: String?
            var friend: Player?
        }

        @Mapped struct Group {
            var players: [Player] = []
        }
    }

    private let json = """
        {"v":"root","players":{"al":{"v":"al","friend":{"v":"f1","friend":{"v":"f2"}}},
        "bo":{"v":"bo"}}}
        """

    @Test func leadsToObjectAroundListOfMembers() throws {
        var inner = ObjectMapping(table: Team.Player.properties)
        inner.add(AttributeMapping("@parent.v", to: "own"))
        inner.add(AttributeMapping("@parent.@parent.v", to: "outer"))
        var friend = inner
        friend.add(RelationshipMapping("friend", to: "friend", mapping: .object(inner)))
        var player = ObjectMapping(for: Team.Player.self) {
            keyOfRepresentation(to: \.name)
            attribute("@parent.v", to: \.own)
            attribute("@root.v", to: \.outer)
        }
        player.add(RelationshipMapping("{name}.friend", to: "friend", mapping: .object(friend)))
        player.forcesCollection = true
        var group = ObjectMapping(table: Team.Group.properties)
        group.add(RelationshipMapping("players", to: "players", mapping: player))
        let players = try #require(try map(Team.Group.self, json, with: group).first).players
        #expect(players.map(\.name) == ["al", "bo"])
        #expect(players.map(\.own) == ["root", "root"])
        #expect(players.map(\.outer) == ["root", "root"])
        #expect(players.first?.friend?.own == "al")
        #expect(players.first?.friend?.outer == "root")
        #expect(players.first?.friend?.friend?.own == "f1")
        #expect(players.first?.friend?.friend?.outer == "al")
    }
}
#endif
