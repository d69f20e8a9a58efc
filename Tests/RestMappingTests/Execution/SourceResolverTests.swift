// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import RestMapping
import TestSupport
import Testing

/// Sources that are more than keys.
@Suite struct SourceResolverTests {
    private func value<Value: MappableValue>(
        _ source: SourcePath, _ json: String, as type: Value.Type
    ) throws -> Value? {
        var mapping = ObjectMapping(table: Holder<Value>.properties)
        mapping.add(AttributeMapping(source, to: "value"))
        return try map(Holder<Value>.self, json, with: mapping).first?.value
    }

    // MARK: Collections

    private let account = """
        {"transactions":[{"payee":"Al","amount":1.1},{"payee":"Bo","amount":2.2},
        {"payee":"Al","amount":-3},{"payee":null}],"lists":[[1,2],[2,3]],"none":[],"k":0}
        """

    @Test func elementWithoutNumberIsIssueOfSum() throws {
        var mapping = ObjectMapping(table: Holder<Decimal>.properties)
        mapping.add(AttributeMapping("transactions.@sum.payee", to: "value"))
        var report = MappingReport()
        let found = try map(Holder<Decimal>.self, account, with: mapping, report: &report)
        #expect(found.map(\.value) == [nil])
        #expect(report.issues.map(\.path) == ["transactions[0].payee"])
    }

    /// An operator that cannot use a value reports its path, whatever the type of the property is.
    @Test(
        arguments: [
            ("t.@min.n", #"[{"n":1},{"n":"a"}]"#, "t[1].n"),
            ("t.@max.n", #"[{"n":"a"},{"n":null},{"n":1}]"#, "t[2].n"),
            ("t.@min.n", "[{\"n\":true}]", "t[0].n"), ("t.@max", "[1,[2]]", "t[1]"),
            ("t.@sum.n", #"[{"n":1},{"n":true}]"#, "t[1].n"),
            ("t.@avg.n", #"[{"n":{}}]"#, "t[0].n"),
            ("t.@unionOfArrays", "[[1],2]", "t[1]"), ("t.@sum", "7", "t"), ("t.@count", "7", "t"),
        ] as [(SourcePath, String, DocumentPath)])
    func reportsValuesThatOperatorCannotUse(
        source: SourcePath, list: String, path: DocumentPath
    ) throws {
        let json = #"{"k":1,"t":\#(list)}"#
        func check<Value: MappableValue>(_ type: Value.Type) throws {
            var mapping = ObjectMapping(table: Holder<Value>.properties)
            mapping.add(AttributeMapping(source, to: "value"))
            var report = MappingReport()
            let found = try map(Holder<Value>.self, json, with: mapping, report: &report)
            #expect(found.map { $0.value == nil } == [true], "\(type)")
            #expect(report.issues.map(\.path) == [path], "\(type)")
            #expect(report.issues.map(\.code) == [.typeMismatch], "\(type)")
        }
        try check(Decimal.self)
        try check(String.self)
        try check(Bool.self)
        try check([Int].self)
        try check(Document.self)
    }

    @Test(arguments: ["t.@min.n", "t.@sum.n", "t.@avg.n"] as [SourcePath])
    func omitsNullsFromNumbers(source: SourcePath) throws {
        #expect(try value(source, #"{"t":[{"n":null},{"n":2},{}]}"#, as: Int.self) == 2)
    }

    @Test(
        arguments: [
            ("transactions.@count", 4), ("transactions.@sum.amount", Decimal(string: "0.3")),
            ("transactions.@avg.amount", Decimal(string: "0.1")),
            ("transactions.@min.amount", -3), ("transactions.@max.amount", Decimal(string: "2.2")),
            ("none.@count", 0), ("none.@sum.amount", 0), ("none.@avg.amount", nil),
            ("none.@max.amount", nil), ("lists[0].@sum.self", 3),
            ("@count", 4),
        ] as [(SourcePath, Decimal?)])
    func computesNumbersFromLists(source: SourcePath, expected: Decimal?) throws {
        guard let expected else {
            let error = #expect(throws: MappingError.self) {
                try value(source, account, as: Decimal.self)
            }
            #expect(error?.issue?.code == .unmappable)
            return
        }
        #expect(try value(source, account, as: Decimal.self) == expected)
    }

    @Test(
        arguments: [
            ("transactions.payee", ["Al", "Bo", "Al"]),
            ("transactions.@unionOfObjects.payee", ["Al", "Bo", "Al"]),
            ("transactions.@distinctUnionOfObjects.payee", ["Al", "Bo"]),
            ("lists.@unionOfArrays", ["1", "2", "2", "3"]),
            ("lists.@distinctUnionOfArrays", ["1", "2", "3"]),
            ("lists.@distinctUnionOfSets", ["1", "2", "3"]),
        ] as [(SourcePath, [String])])
    func collectsListsFromLists(source: SourcePath, expected: [String]) throws {
        let json = account.replacing(#","payee":null"#, with: "").replacing(
            #",{"payee":null}"#, with: ",{}")
        #expect(try value(source, json, as: [String].self) == expected)
    }

    @Test func findsExtremesOfTexts() throws {
        #expect(
            try value("t.@max.n", #"{"t":[{"n":"a"},{"n":"c"},{"n":"b"}]}"#, as: String.self) == "c"
        )
    }

    @Test(.parity("M224")) func flattensCollectedListsOfObjects() throws {
        let json = """
            {"name":"TechCrunch","mediaGroups":[{"contents":[{"name":"a"},{"name":"b"}]},{},
            {"contents":[{"name":"c"}]}],"nested":[[{"name":"d"}],[[{"name":"e"}]]]}
            """
        let mapping = ObjectMapping(for: User.self, ["mediaGroups.contents": "friends"])
        var report = MappingReport()
        let found = try map(User.self, json, with: mapping, report: &report)
        #expect(found.first?.friends.map(\.name) == ["a", "b", "c"])
        #expect(report.issues.isEmpty)
        let nested = try map(
            User.self, json, with: ObjectMapping(for: User.self, ["nested": "friends"]))
        #expect(nested.first?.friends.map(\.name) == ["d", "e"])
    }

    @Test func reportsPathOfCollectedValues() throws {
        var report = MappingReport()
        _ = try map(
            User.self, #"{"id":1,"groups":[{"m":[{"id":"x","name":"a"}]}]}"#,
            with: ObjectMapping(for: User.self, ["id": "userID", "groups.m": "friends"]),
            report: &report)
        #expect(report.issues.map(\.path) == ["groups"])
        #expect(report.issues.map(\.property) == ["userID"])
    }

    // MARK: Ancestors

    @Test func resolvesParentAndRoot() throws {
        var friend = ObjectMapping(for: User.self, ["id": "userID"])
        friend.add("country", from: "@root.country")
        friend.add("name", from: "@parent.group")
        friend.add("luckyNumber", from: "@parent.@parent.lucky")
        var mapping = ObjectMapping(for: User.self, ["id": "userID"])
        mapping.add(RelationshipMapping("people.friends", to: "friends", mapping: friend))
        let json = """
            [{"id":1,"country":"USA","lucky":5,"people":{"group":"g","friends":[{"id":2},{"id":3}]}},
            {"id":4,"country":"UK","lucky":6,"people":{"group":"h","friends":[{"id":5}]}}]
            """
        let found = try map(User.self, json, with: mapping)
        let friends = found.flatMap(\.friends)
        #expect(friends.map(\.country) == ["USA", "USA", "UK"])
        #expect(friends.map(\.name) == ["g", "g", "h"])
        #expect(friends.map(\.luckyNumber) == [5, 5, 6])
    }

    @Test func hasNoParentAtRootOfRun() throws {
        var mapping = ObjectMapping(for: User.self, ["id": "userID"])
        mapping.add("name", from: "@parent.name")
        let document = try Document(parsing: #"{"name":"outer","users":[{"id":1}]}"#)
        var report = MappingReport()
        let users = try #require(document.root["users"])
        let found = try MappingCompiler().compile(mapping).objects(
            User.self, from: users, report: &report)
        #expect(found.map(\.name) == [nil])
    }

    // MARK: Metadata

    private let http: Document = [
        "HTTP": [
            "request": [
                "URL": "http://restkit.org/user",
                "headers": ["Content-Type": "text/html; charset=UTF-8"],
            ]
        ]
    ]

    @Test(.parity("M236")) func readsAttributeFromMetadata() throws {
        let blake = User()
        try fill(
            blake, "{}",
            with: ObjectMapping(
                for: User.self, ["@metadata.HTTP.request.URL": "website"]),
            in: MappingEnvironment(metadata: [http]))
        #expect(blake.website == URL(string: "http://restkit.org/user"))
    }

    @Test(.parity("M237")) func readsHyphenatedKeyOfMetadata() throws {
        let blake = User()
        try fill(
            blake, "{}",
            with: ObjectMapping(
                for: User.self, ["@metadata.HTTP.request.headers.Content-Type": "name"]),
            in: MappingEnvironment(metadata: [["HTTP": ["other": 1]], http]))
        #expect(blake.name == "text/html; charset=UTF-8")
    }

    private var positioned: ObjectMapping {
        ObjectMapping(
            for: User.self, ["name": "name", "@metadata.mapping.collectionIndex": "luckyNumber"])
    }

    @Test(.parity("M238")) func providesPositionInRelationship() throws {
        var mapping = ObjectMapping(for: User.self, ["name": "name"])
        mapping.add(RelationshipMapping("friends", to: "friends", mapping: positioned))
        let found = try map(
            User.self, #"{"name":"a","friends":[{"name":"b"},{"name":"c"}]}"#, with: mapping)
        #expect(found.first?.friends.map(\.luckyNumber) == [0, 1])
    }

    @Test(.parity("M239")) func providesPositionInRootList() throws {
        let json = #"[{"name":"a"},{"name":"b"},{"name":"c"},{"name":"d"}]"#
        let result = try MapperOperation(["": .object(positioned)]).run(
            Document(parsing: json).root)
        #expect(result.objects(of: User.self).map(\.luckyNumber) == [0, 1, 2, 3])
        #expect(try map(User.self, json, with: positioned).map(\.luckyNumber) == [0, 1, 2, 3])
    }

    @Test(.parity("M240")) func combinesMetadataOfCallerAndRun() throws {
        var mapping = positioned
        mapping.add("country", from: "@metadata.mapping.country")
        let result = try MapperOperation(["": .object(mapping)]).run(
            Document(parsing: #"[{"name":"a"}]"#).root,
            in: MappingEnvironment(metadata: [["mapping": ["country": "USA"]]]))
        let user = try #require(result.first as? User)
        #expect(user.luckyNumber == 0)
        #expect(user.country == "USA")
    }

    @Test(.parity("M241")) func mapsRelationshipFromMetadata() throws {
        let blake = User()
        try fill(
            blake, "{}", with: ObjectMapping(for: User.self, ["@metadata.custom": "friends"]),
            in: MappingEnvironment(metadata: [["custom": ["name": "Valerio Mazzeo"]]]))
        #expect(blake.friends.map(\.name) == ["Valerio Mazzeo"])
    }

    @Test(.parity("M242")) func hasNoPositionForSingleRelatedObject() throws {
        var home = ObjectMapping(for: Home.self, ["city": "city"])
        home.add("addressID", from: "@metadata.mapping.collectionIndex")
        var mapping = positioned
        mapping.add(RelationshipMapping("address", to: "address", mapping: home))
        let blake = User()
        try fill(
            blake, #"{"name":"a","address":{"city":"b"}}"#, with: mapping,
            in: MappingEnvironment(metadata: [["mapping": ["collectionIndex": 25]]]))
        #expect(blake.luckyNumber == 25)
        #expect(blake.address?.city == "b")
        #expect(blake.address?.addressID == nil)
    }

    @Test func providesRootKeyPathAsMetadata() throws {
        var mapping = ObjectMapping(for: User.self, ["name": "name"])
        mapping.add("country", from: "@metadata.mapping.rootKeyPath")
        let result = try MapperOperation(["a.b": .object(mapping)]).run(
            Document(parsing: #"{"a":{"b":{"name":"x"}}}"#).root)
        #expect(result.objects(of: User.self).map(\.country) == ["a.b"])
    }
}
