// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import TestSupport
import Testing

/// Keys that are values: `{"blake": {…}, "rachit": {…}}`.
@Suite struct ValueSourceMembersTests {
    private func user(relatingTo address: String? = nil) -> ObjectMapping {
        var mapping = ObjectMapping(for: User.self) {
            keyOfRepresentation(to: \.name)
            attribute("(name).id", to: \.userID)
        }
        if address != nil { mapping.add(RelationshipMapping("(name).address", to: "address")) }
        mapping.forcesCollection = true
        return mapping
    }

    private let users = """
        {"blake":{"id":31337,"website":"x"},
        "rachit":{"id":7,"address":{"city":"New York","state":"New York"}}}
        """

    @Test(.parity("M206")) func mapsEveryMemberToObjectNamedByKey() throws {
        let operation = try MapperOperation(["users": .object(user())])
        let result = try operation.run(Document(parsing: #"{"users":\#(users)}"#).root)
        let found = result.objects(of: User.self)
        #expect(found.map(\.name) == ["blake", "rachit"])
        #expect(found.map(\.userID) == [31337, 7])
        let plain = try map(User.self, users, with: user())
        #expect(plain.map(\.name) == ["blake", "rachit"])
    }

    @Test(.parity("M207")) func looksUpRelationshipInMember() throws {
        var report = MappingReport()
        let found = try map(User.self, users, with: user(relatingTo: "address"), report: &report)
        #expect(found.map(\.name) == ["blake", "rachit"])
        #expect(found.map(\.address?.city) == [nil, "New York"])
        #expect(report.issues.isEmpty)
    }

    @Test(.parity("M208")) func mapsMembersInRelationship() throws {
        let found = try groups(to: "friends")
        #expect(found.map(\.name) == ["restkit", "others"])
        #expect(found.map { $0.friends.map(\.name) } == [["blake", "rachit"], ["bjorn"]])
        #expect(found.map { $0.friends.last?.address?.city } == ["New York", "Gothenburg"])
    }

    @Test(.parity("M209")) func mapsMembersIntoSet() throws {
        let found = try groups(to: "friendsSet")
        #expect(found.map(\.friendsSet.count) == [2, 1])
        #expect(found.map { Set($0.friendsSet.map(\.name)) } == [["blake", "rachit"], ["bjorn"]])
        #expect(
            found.map { $0.friendsSet.compactMap(\.address?.city) } == [
                ["New York"], ["Gothenburg"],
            ])
    }

    private func groups(to property: String) throws -> [User] {
        var group = ObjectMapping(for: User.self, ["name": "name"])
        group.add(
            RelationshipMapping("users", to: property, mapping: user(relatingTo: "address")))
        return try map(
            User.self,
            """
            [{"name":"restkit","users":\(users)},{"name":"others",
            "users":{"bjorn":{"id":10,"address":{"city":"Gothenburg","country":"Sweden"}}}}]
            """, with: group)
    }

    /// A collected list is a document of its own, with another value at the index of the key.
    @Test func ignoresMemberKeyOfAnotherDocument() throws {
        var group = ObjectMapping(for: User.self) { keyOfRepresentation(to: \.name) }
        group.forcesCollection = true
        group.add(RelationshipMapping("@root.list.k", to: "friends", mapping: user()))
        let error = #expect(throws: MappingError.self) {
            try map(User.self, #"{"blake":{"id":1},"list":[{"k":"H"}]}"#, with: group)
        }
        #expect(error?.description.contains("typeMismatch at blake") == true)
    }

    @Test func treatsKeyAsOneComponentWhateverItsCharacters() throws {
        var report = MappingReport()
        let found = try map(
            User.self, #"{"al@example.org":{"id":1},"@root":{"id":"x"},"a.b[0]":{"id":3}}"#,
            with: user(), report: &report)
        #expect(found.map(\.name) == ["al@example.org", "@root", "a.b[0]"])
        #expect(found.map(\.userID) == [1, nil, 3])
        #expect(report.issues.map(\.path.components) == [[.key("@root"), .key("id")]])
    }

    @Test func mapsSingleMemberWithoutForcedCollection() throws {
        var mapping = user()
        mapping.forcesCollection = false
        #expect(try map(User.self, #"{"blake":{"id":1}}"#, with: mapping).map(\.name) == ["blake"])
        var report = MappingReport()
        let found = try map(
            User.self, #"{"blake":{"id":1},"al":{"id":2}}"#, with: mapping, report: &report)
        #expect(found.map(\.name) == ["blake"])
        #expect(report.issues.map(\.code) == [.severalKeys])
    }

    @Test func resolvesPlaceholderAnywhereInSource() throws {
        let mapping = ObjectMapping(for: User.self) {
            keyOfRepresentation(to: \.name)
            attribute("{name}.names.{name}.nick", to: \.country)
        }
        let found = try map(
            User.self, #"{"al":{"names":{"al":{"nick":"Ally"}}}}"#, with: mapping)
        #expect(found.map(\.country) == ["Ally"])
    }

    @Test func mapsEveryMemberWithoutNestingKey() throws {
        var mapping = ObjectMapping(for: User.self) {
            attribute("a", to: \.name)
            attribute("b", to: \.country)
        }
        mapping.forcesCollection = true
        let found = try map(User.self, #"{"a":"x","b":"y"}"#, with: mapping)
        #expect(found.map(\.name) == ["x", nil])
        #expect(found.map(\.country) == [nil, "y"])
    }
}
