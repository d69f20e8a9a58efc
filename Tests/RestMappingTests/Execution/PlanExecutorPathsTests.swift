// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import TestSupport
import Testing

/// Dotted destinations, and related objects that are mapped from the object itself.
@Suite struct PlanExecutorPathsTests {
    @Test(.parity("M021")) func fillsExistingObjectOfDottedDestination() throws {
        let blake = User(userID: 1)
        let home = Home(addressID: 1, city: "Carrboro")
        blake.address = home
        let mapping = ObjectMapping(for: User.self, ["this.that": "address.addressID"])
        try fill(blake, #"{"this":{"that":"12345"}}"#, with: mapping)
        #expect(blake.address === home)
        #expect(home.addressID == 12345)
        #expect(home.city == "Carrboro")
        let created = try map(User.self, #"{"this":{"that":"12345"}}"#, with: mapping)
        #expect(created.first?.address?.addressID == 12345)
    }

    @Test(.parity("M025")) func assignsDottedDestinationAfterRelationship() throws {
        let mapping = ObjectMapping(
            for: User.self, ["nested.city": "address.city", "address": "address"])
        let json = #"{"nested":{"city":"New York"},"address":{"id":1,"city":"Carrboro"}}"#
        let blake = try #require(try map(User.self, json, with: mapping).first)
        #expect(blake.address?.city == "New York")
        #expect(blake.address?.addressID == 1)
    }

    @Test func changesCopyOfValueAtDottedDestination() throws {
        let blake = User(userID: 1)
        blake.coordinate = Coordinate(latitude: 1, longitude: 2)
        try fill(
            blake, #"{"lat":5}"#,
            with: ObjectMapping(for: User.self, ["lat": "coordinate.latitude"]))
        #expect(blake.coordinate == Coordinate(latitude: 5, longitude: 2))
    }

    @Test func leavesNestedObjectUnchangedWhenRunFails() throws {
        let blake = User(userID: 1)
        let home = Home(addressID: 1, city: "Carrboro")
        blake.address = home
        var mapping = ObjectMapping(
            for: User.self, ["town": "address.city", "id": "userID"], policy: .strict)
        mapping.add(AttributeMapping("last[0]", to: "luckyNumber"))
        mapping.add(AttributeMapping("nr", to: "address.addressID"))
        #expect(throws: MappingError.self) {
            try fill(blake, #"{"town":"Bergen","nr":"no number","id":1}"#, with: mapping)
        }
        #expect(home.city == "Carrboro")
        try fill(blake, #"{"town":"Bergen","nr":2,"id":1}"#, with: mapping)
        #expect(home.city == "Bergen")
        #expect(home.addressID == 2)
    }

    @Test func createsNoObjectForMissingDottedDestination() throws {
        let mapping = ObjectMapping(for: User.self, ["id": "userID", "town": "address.city"])
        #expect(try map(User.self, #"{"id":1}"#, with: mapping).first?.address == nil)
    }

    // MARK: The object itself

    @Test(.parity("M223")) func createsNoRelatedObjectWithoutItsKeys() throws {
        let mapping = ObjectMapping(for: User.self) {
            attribute("name", to: \.name)
            relationship("", to: \.coordinate)
        }
        var report = MappingReport()
        let found = try map(User.self, #"{"name":"Al"}"#, with: mapping, report: &report)
        #expect(found.first?.coordinate == nil)
        #expect(report.issues.isEmpty)
        let null = try map(User.self, #"{"name":"Al","latitude":null}"#, with: mapping)
        #expect(null.first?.coordinate == Coordinate())
    }

    // MARK: Nothing on the way

    /// Null is nil and an empty list is empty, also on the way to a value; what is absent is unchanged.
    @Test(
        arguments: [
            (#"{"milestone":null,"labels":[]}"#, nil, []),
            (#"{"milestone":{"title":null},"labels":[[],null]}"#, nil, []),
            (#"{"milestone":{},"labels":[{}],"id":1}"#, "m", ["a"]), (#"{"id":1}"#, "m", ["a"]),
            (#"{"milestone":{"title":"n"},"labels":[{"name":"b"},{}]}"#, "n", ["b"]),
        ] as [(String, String?, [String])])
    func emptySourcesAreValues(json: String, title: String?, names: [String]) throws {
        let mapping = ObjectMapping(
            for: User.self, ["milestone.title": "name", "labels.name": "interests", "id": "userID"])
        let user = User(userID: 1)
        (user.name, user.interests) = ("m", ["a"])
        try fill(user, json, with: mapping)
        #expect(user.name == title)
        #expect(user.interests == names)
    }

    /// A property that cannot be nil keeps its value, and the null is reported.
    @Test func nullOnTheWayIsReportedLikeNull() throws {
        var report = MappingReport()
        let mapping = ObjectMapping(for: Coordinate.self, ["place.latitude": "latitude"])
        let found = try map(Coordinate.self, #"{"place":null}"#, with: mapping, report: &report)
        #expect(found == [Coordinate()])
        #expect(report.issues.map(\.code) == [.nullValue])
        #expect(report.issues.map(\.path.description) == ["place"])
    }
}
