// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import TestSupport
import Testing

/// Values that a related object reads from its parent object.
@Suite struct ParentValuesTests {
    /// Users whose friends read their number, which is text in the document and follows the friends.
    private func mapping(
        _ number: AttributeMapping = AttributeMapping("lucky", to: "luckyNumber"),
        reading source: SourcePath = "@metadata.mapping.parentObject.luckyNumber"
    ) -> ObjectMapping {
        var friend = ObjectMapping(for: User.self, ["name": "name"])
        friend.add(AttributeMapping(source, to: "luckyNumber"))
        var user = ObjectMapping(for: User.self, ["name": "name"])
        user.add(RelationshipMapping("friends", to: "friends", mapping: friend))
        user.add(number)
        return user
    }

    private let json = #"{"friends":[{"name":"b"},{"name":"c"}],"name":"a","lucky":"7"}"#

    @Test(.parity("M243")) func readsMappedValueOfParent() throws {
        let user = try #require(try map(User.self, json, with: mapping()).first)
        #expect(user.luckyNumber == 7)
        #expect(user.friends.map(\.name) == ["b", "c"])
        #expect(user.friends.map(\.luckyNumber) == [7, 7])
    }

    @Test func readsTransformedValueOfParent() throws {
        let number = AttributeMapping(
            "lucky", to: "luckyNumber",
            using: ValueTransform<Int?>("one more") { Int($0.string ?? "").map { $0 + 1 } })
        let found = try map(User.self, json, with: mapping(number))
        #expect(found.first?.friends.map(\.luckyNumber) == [8, 8])
    }

    /// Each object reads from its direct parent, at any depth.
    @Test func readsInnermostParent() throws {
        var inner = ObjectMapping(for: User.self, ["name": "name"])
        inner.add("luckyNumber", from: "@metadata.mapping.parentObject.luckyNumber")
        var friend = ObjectMapping(for: User.self, ["name": "name", "n": "luckyNumber"])
        friend.add("country", from: "@metadata.mapping.parentObject.name")
        friend.add(RelationshipMapping("people.friends", to: "friends", mapping: inner))
        var user = ObjectMapping(for: User.self, ["name": "name", "n": "luckyNumber"])
        user.add(RelationshipMapping("friends", to: "friends", mapping: friend))
        let found = try map(
            User.self,
            #"""
            {"friends":[{"people":{"friends":[{"name":"c"}]},"name":"b","n":2},
            {"people":{"friends":[{"name":"d"}]},"name":"e"}],"name":"a","n":1}
            """#, with: user)
        let friends = try #require(found.first?.friends)
        #expect(friends.map(\.country) == ["a", "a"])
        #expect(friends.map(\.luckyNumber) == [2, nil])
        #expect(friends.map { $0.friends.map(\.luckyNumber) } == [[2], [nil]])
    }

    /// The value of a filled object is its current one where the document has none.
    @Test func readsExistingValueOfFilledParent() throws {
        let user = User()
        user.luckyNumber = 9
        try fill(user, #"{"friends":[{"name":"b"}],"name":"a"}"#, with: mapping())
        #expect(user.luckyNumber == 9)
        #expect(user.friends.map(\.luckyNumber) == [9])
        try fill(user, json, with: mapping())
        #expect(user.friends.map(\.luckyNumber) == [7, 7])
    }

    @Test func readsDefaultOfParent() throws {
        var mapping = mapping(
            AttributeMapping("lucky", to: "luckyNumber", default: Int?.some(3)))
        mapping.assignsDefaultForMissing = true
        let found = try map(
            User.self, #"{"friends":[{"name":"b"}],"name":"a"}"#, with: mapping)
        #expect(found.first?.friends.map(\.luckyNumber) == [3])
    }

    @Test func readsNoValueThatDidNotFit() throws {
        var report = MappingReport()
        let found = try map(
            User.self, #"{"friends":[{"name":"b"}],"name":"a","lucky":"many"}"#, with: mapping(),
            report: &report)
        #expect(found.first?.friends.map(\.luckyNumber) == [nil])
        #expect(report.issues.map(\.path) == ["lucky"])
    }

    @Test func explainsParentValues() throws {
        let plan = try MappingCompiler().compile(mapping())
        let document = try Document(parsing: json)
        let explanation = plan.explain(document.root)
        #expect(explanation.report.issues.isEmpty)
        #expect(explanation.entries.filter { $0.property == "luckyNumber" }.count == 3)
        #expect(explanation.entries.allSatisfy { $0.outcome == .assigned })
        #expect(plan.description.contains("friends -> friends #1, last"))
        #expect(plan.description.contains("lucky -> luckyNumber, read by related objects"))
    }

    /// Types that exist at run time only.
    @Test func readsParentValueIntoDocument() throws {
        let plan = try MappingCompiler().compile(mapping())
        var report = MappingReport()
        let user = try #require(
            try plan.documents(from: Document(parsing: json).root, report: &report).first)
        #expect(
            user.root.values(at: "friends.luckyNumber").map(\.debugDescription)
                == [#""7""#, #""7""#])
    }

    /// The representation chooses which mapping reads.
    @Test func readsParentValueInChosenMapping() throws {
        var friend = ObjectMapping(for: User.self, ["name": "name"])
        friend.add("luckyNumber", from: "@metadata.mapping.parentObject.luckyNumber")
        let other = ObjectMapping(for: User.self, ["name": "name"])
        let dynamic = DynamicMapping([
            MappingMatcher(at: "kind", equals: "friend", mapping: friend),
            MappingMatcher(at: "kind", equals: "other", mapping: other),
        ])
        var user = ObjectMapping(for: User.self, ["lucky": "luckyNumber"])
        user.add(RelationshipMapping("friends", to: "friends", mapping: .dynamic(dynamic)))
        let found = try map(
            User.self,
            #"{"friends":[{"kind":"friend","name":"b"},{"kind":"other","name":"c"}],"lucky":4}"#,
            with: user)
        #expect(found.first?.friends.map(\.luckyNumber) == [4, nil])
    }

    @Test func diagnosesUnknownPropertyOfParent() throws {
        let error = try #require(throws: MappingError.self) {
            try MappingCompiler().compile(
                mapping(reading: "@metadata.mapping.parentObject.luckNumber"))
        }
        #expect(error.diagnostics.map(\.code) == [.unknownProperty])
        #expect(error.diagnostics.map(\.suggestion) == ["luckyNumber"])
    }

    @Test func hasNoParentAtRoot() throws {
        var user = ObjectMapping(for: User.self, ["name": "name"])
        user.add("country", from: "@metadata.mapping.parentObject.name")
        #expect(try map(User.self, #"{"name":"a"}"#, with: user).first?.country == nil)
    }
}
