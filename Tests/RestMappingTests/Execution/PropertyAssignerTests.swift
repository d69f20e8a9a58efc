// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import RestMapping
import TestSupport
import Testing

/// Changes of properties that have a value already, and effects of missing values.
@Suite struct PropertyAssignerTests {
    private func user(_ sources: [SourcePath], _ change: (inout ObjectMapping) -> Void = { _ in })
        -> ObjectMapping
    {
        var mapping = ObjectMapping(for: User.self, sources)
        change(&mapping)
        return mapping
    }

    // MARK: Unchanged values

    @Test(.parity("M022")) func doesNotWriteEqualValue() throws {
        let blake = User(userID: 1, name: "Blake Watters")
        blake.forgetWrites()
        try fill(
            blake, #"{"name":"Blake Watters","country":"USA"}"#, with: user(["name", "country"]))
        #expect(blake.writes == ["country"])
        #expect(blake.name == "Blake Watters")
    }

    @Test(.parity("M023", "M024")) func comparesConvertedValues() throws {
        let blake = User()
        blake.website = URL(string: "http://www.restkit.org")
        blake.forgetWrites()
        var report = MappingReport()
        try fill(
            blake, #"{"website":"http://www.restkit.org"}"#, with: user(["website"]),
            report: &report)
        #expect(blake.writes == [])
        #expect(report.issues.isEmpty)
        try fill(blake, #"{"website":"http://www.example.org"}"#, with: user(["website"]))
        #expect(blake.website == URL(string: "http://www.example.org"))
        #expect(blake.writes == ["website"])
    }

    @Test(.parity("M198")) func doesNotWriteNullOverNil() throws {
        let blake = User(userID: 1)
        blake.forgetWrites()
        try fill(blake, #"{"name":null}"#, with: user(["name"]))
        #expect(blake.writes == [])
        #expect(blake.name == nil)
    }

    @Test(.parity("M218")) func doesNotWriteEqualRelatedObject() throws {
        let blake = User(userID: 1)
        let home = Home(addressID: 1234)
        blake.address = home
        blake.forgetWrites()
        try fill(blake, #"{"address":{"id":1234,"city":"Carrboro"}}"#, with: user(["address"]))
        #expect(blake.writes == [])
        #expect(blake.address === home)
        try fill(blake, #"{"address":{"id":5}}"#, with: user(["address"]))
        #expect(blake.writes == ["address"])
    }

    @Test(.parity("M219")) func doesNotWriteEqualListOfObjects() throws {
        let blake = User(userID: 1)
        let friends = [User(userID: 187), User(userID: 7)]
        blake.friends = friends
        blake.forgetWrites()
        let mapping = user(["friends"])
        try fill(blake, #"{"friends":[{"id":187,"name":"J"},{"id":7}]}"#, with: mapping)
        #expect(blake.writes == [])
        #expect(blake.friends.first === friends[0])
        try fill(blake, #"{"friends":[{"id":7},{"id":187}]}"#, with: mapping)
        #expect(blake.friends.map(\.userID) == [7, 187])
    }

    // MARK: Missing values

    @Test(.parity("M199")) func assignsDefaultToMissingValueWhenDeclared() throws {
        let blake = User(userID: 1, name: "Blake Watters")
        blake.interests = ["Hacking"]
        let mapping = user(["id", "name", "interests"]) {
            $0 = ObjectMapping(
                for: User.self, ["id": "userID", "name": "name", "interests": "interests"])
            $0.assignsDefaultForMissing = true
        }
        try fill(blake, #"{"id":2}"#, with: mapping)
        #expect(blake.userID == 2)
        #expect(blake.name == nil)
        #expect(blake.interests == [])
    }

    @Test(.parity("M200")) func keepsMissingValueByDefault() throws {
        let blake = User(userID: 1, name: "Blake Watters")
        try fill(
            blake, #"{"id":2}"#,
            with: ObjectMapping(for: User.self, ["id": "userID", "name": "name"]))
        #expect(blake.userID == 2)
        #expect(blake.name == "Blake Watters")
    }

    @Test(.parity("M201")) func assignsDefaultOfAttribute() throws {
        var mapping = ObjectMapping(for: User.self) {
            attribute("id", to: \.userID)
            attribute("interests", to: \.interests, default: ["dogs"])
        }
        #expect(try map(User.self, #"{"id":2}"#, with: mapping).map(\.interests) == [[]])
        mapping.assignsDefaultForMissing = true
        var report = MappingReport()
        let found = try map(User.self, #"{"id":2}"#, with: mapping, report: &report)
        #expect(found.map(\.interests) == [["dogs"]])
        #expect(report.issues.isEmpty)
        let given = try map(User.self, #"{"id":2,"interests":["cats"]}"#, with: mapping)
        #expect(given.map(\.interests) == [["cats"]])
    }

    @Test func keepsMissingPropertyWithoutDefault() throws {
        var mapping = ObjectMapping(for: Address.self)
        mapping.assignsDefaultForMissing = true
        var report = MappingReport()
        let document = try Document(parsing: #"{"other":1,"zip":"2"}"#)
        let updated = try MappingCompiler().compile(mapping).object(
            updating: Address(city: "Oslo", zip: "1"), from: document.root, report: &report)
        #expect(updated == Address(city: "Oslo", zip: "2"))
    }

    @Test(.parity("M220")) func assignsNilToMissingRelationshipWhenDeclared() throws {
        let blake = User(userID: 1)
        blake.address = Home(addressID: 1)
        var mapping = ObjectMapping(for: User.self, ["id": "userID", "address": "address"])
        try fill(blake, #"{"id":1}"#, with: mapping)
        #expect(blake.address != nil)
        mapping.assignsNilForMissingRelationships = true
        try fill(blake, #"{"id":1}"#, with: mapping)
        #expect(blake.address == nil)
    }

    @Test(.parity("M221")) func doesNotWriteMissingRelationshipThatIsNil() throws {
        let blake = User(userID: 1)
        blake.forgetWrites()
        var mapping = ObjectMapping(for: User.self, ["id": "userID", "address": "address"])
        mapping.assignsNilForMissingRelationships = true
        try fill(blake, #"{"id":1}"#, with: mapping)
        #expect(blake.writes == [])
    }

    @Test func emptiesMissingListOfRelatedObjects() throws {
        let blake = User(userID: 1)
        blake.friends = [User(userID: 2)]
        var mapping = ObjectMapping(for: User.self, ["id": "userID", "friends": "friends"])
        mapping.assignsNilForMissingRelationships = true
        try fill(blake, #"{"id":1}"#, with: mapping)
        #expect(blake.friends == [])
    }

    // MARK: Unmappable objects

    @Test(.parity("M196")) func failsWithoutWritesWhenNoKeyIsMapped() throws {
        let blake = User(userID: 1, name: "Blake Watters")
        var mapping = ObjectMapping(for: User.self, ["name": "name"])
        mapping.assignsDefaultForMissing = true
        blake.forgetWrites()
        let error = #expect(throws: MappingError.self) {
            try fill(blake, #"{"favorite_color":"blue","x":1}"#, with: mapping)
        }
        #expect(error?.issue?.code == .unmappable)
        #expect(blake.writes == [])
        #expect(blake.name == "Blake Watters")
    }

    @Test(.parity("M205")) func findsNothingWhenDottedSourceMeetsText() throws {
        let mapping = ObjectMapping(for: User.self, ["object.number": "luckyNumber"])
        let error = #expect(throws: MappingError.self) {
            try map(User.self, #"{"object":"text"}"#, with: mapping)
        }
        #expect(error?.issue?.code == .unmappable)
        let found = try map(User.self, #"{"object":{"number":1}}"#, with: mapping)
        #expect(found.map(\.luckyNumber) == [1])
    }

    @Test func buildsButDoesNotFillFromEmptyRoot() throws {
        var report = MappingReport()
        #expect(try map(User.self, "[{}]", report: &report).map(\.name) == [nil])
        #expect(report.issues.isEmpty)
        #expect(throws: MappingError.self) { try map(Address.self, "{}") }
        let error = #expect(throws: MappingError.self) {
            try fill(User(), "{}", with: ObjectMapping(for: User.self))
        }
        #expect(error?.issue?.code == .unmappable)
    }

    @Test func keepsPropertyWhenRelatedObjectIsUnmappable() throws {
        let blake = User(userID: 1)
        let home = Home(addressID: 1)
        blake.address = home
        var report = MappingReport()
        try fill(
            blake, #"{"id":1,"address":{},"friends":[{"id":2},{"x":1}]}"#,
            with: ObjectMapping(for: User.self), report: &report)
        #expect(blake.address === home)
        #expect(blake.friends.map(\.userID) == [2])
        #expect(report.issues.map(\.code) == [.unmappable, .unmappable])
        #expect(report.issues.map(\.path) == ["address", "friends[1]"])
        #expect(report.droppedObjectCount == 2)
    }
}
