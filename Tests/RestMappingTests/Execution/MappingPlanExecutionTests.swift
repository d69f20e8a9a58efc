// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import TestSupport
import Testing

@Suite struct MappingPlanExecutionTests {
    @Test(.parity("M213")) func mapsObjectToListOfOne() throws {
        let json = #"{"id":1,"name":"Al","friends":{"id":2,"name":"Bo"}}"#
        let person = try #require(try map(Person.self, json).first)
        #expect(person.friends.map(\.name) == ["Bo"])
    }

    @Test(
        arguments: [
            "[[$1],[$2,[[$3]]],$4]", "[[],[[],[$1]],[[[]]],[[$2]],[$3,[],$4],[[]]]",
            "[[[[$1,$2]],$3],[[$4],[[]]]]",
        ])
    func flattensNestedListsOfObjects(_ template: String) throws {
        let list = (1...4).reduce(template) { list, id in
            list.replacing("$\(id)", with: #"{"id":\#(id),"name":"n"}"#)
        }
        let person = try map(Person.self, #"{"id":9,"name":"Al","friends":\#(list)}"#).first
        #expect(person?.friends.map(\.id) == [1, 2, 3, 4])
    }

    @Test(.parity("M216")) func mapsListToSetOfObjects() throws {
        let json = #"{"value":[{"city":"Oslo"},{"city":"Bergen"}]}"#
        let found = try map(Holder<Set<Address>>.self, json)
        #expect(
            found.first?.value == [
                Address(city: "Oslo", zip: nil), Address(city: "Bergen", zip: nil),
            ])
    }

    @Test(.parity("M214")) func mapsObjectToDistinctArrayOfOne() throws {
        let json = #"{"value":{"id":1}}"#
        let found = try map(Holder<DistinctArray<User>>.self, json)
        #expect(found.first?.value?.map(\.userID) == [1])
    }

    @Test(.parity("M217")) func mapsListToDistinctArrayInOrder() throws {
        let json = #"{"value":[{"id":187,"name":"Jeremy Ellison"},{"id":7},{"id":187}]}"#
        let found = try map(Holder<DistinctArray<User>>.self, json)
        #expect(found.first?.value?.map(\.userID) == [187, 7])
    }

    @Test(.parity("M019")) func copiesListOfText() throws {
        let found = try map(User.self, #"{"interests":["Hacking","Running"]}"#)
        #expect(found.first?.interests == ["Hacking", "Running"])
    }

    @Test(.parity("M020")) func copiesObject() throws {
        let address = #"{"id":1234,"city":"Carrboro","state":"North Carolina","country":"USA"}"#
        let json = #"{"value":\#(address)}"#
        let found = try map(Holder<[String: Document]>.self, json)
        #expect(
            found.first?.value == [
                "id": 1234, "city": "Carrboro", "state": "North Carolina", "country": "USA",
            ])
        let whole = try map(Holder<Document>.self, json)
        #expect(whole.first?.value == (try Document(parsing: address)))
    }

    @Test(.parity("M027")) func mapsEntityToDocument() throws {
        let friend = PropertyTable(entity: "Friend", [Property(name: "name")])
        let table = PropertyTable(
            entity: "Root",
            [
                Property(name: "MyRootString"), Property(name: "other"),
                Property(name: "friends", relation: Relation(isToMany: true) { friend }),
            ])
        var mapping = ObjectMapping(table: table)
        mapping.add("MyRootString", from: "a.b")
        var report = MappingReport()
        let json = #"{"a":{"b":"SomeString"},"other":1,"friends":{"name":"x","y":1}}"#
        let node = try Document(parsing: json).root
        let found = try MappingCompiler().compile(mapping).documents(from: node, report: &report)
        #expect(found == [["MyRootString": "SomeString"]])
        let whole = try MappingCompiler().compile(ObjectMapping(defaultFor: table)).documents(
            from: node, report: &report)
        #expect(whole == [["other": 1, "friends": [["name": "x"]]]])
    }

    @Test(.parity("M222")) func mapsRelatedObjectFromObjectItself() throws {
        let mapping = ObjectMapping(for: Person.self) {
            attribute("id", to: \.id)
            attribute("name", to: \.name)
            relationship("", to: \.address)
        }
        var report = MappingReport()
        let json = #"{"id":1,"name":"Al","city":"Oslo","zip":"0150"}"#
        let person = try #require(
            try map(Person.self, json, with: mapping, report: &report).first)
        #expect(person.name == "Al")
        #expect(person.address == Address(city: "Oslo", zip: "0150"))
        #expect(report.issues.isEmpty)
    }

    @Test(.parity("M028")) func transformsObjectItself() throws {
        let transform = ValueTransform<Spot?>("spot") { node in
            guard let latitude = node["latitude"]?.double, let longitude = node["longitude"]?.double
            else { return nil }
            return Spot(latitude: latitude, longitude: longitude)
        }
        let mapping = ObjectMapping(for: Holder<Spot>.self) {
            attribute("", to: \.value, using: transform)
        }
        let json = #"{"latitude":125.55,"longitude":200.5,"name":"x"}"#
        let found = try map(Holder<Spot>.self, json, with: mapping)
        #expect(found.first?.value == Spot(latitude: 125.55, longitude: 200.5))
    }

    @Test(.parity("M014", "M026")) func fillsExistingObject() throws {
        let account = Account(userID: 1, name: "old")
        let mapping = ObjectMapping(for: Account.self) {
            attribute("id", to: \.userID)
            attribute("name", to: \.name)
        }
        let json = #"{"name":"Blake Watters","weight":"131.3","id":31337}"#
        let document = try Document(parsing: Array(json.utf8))
        var report = MappingReport()
        let result = try MappingCompiler().compile(mapping).object(
            updating: account, from: document.root, report: &report)
        #expect(result === account)
        #expect(account.userID == 31337)
        #expect(account.name == "Blake Watters")
        #expect(report.issues.isEmpty)
    }

    @Test(.parity("M015")) func passesValuesToCustomDestination() throws {
        struct TextRecorder: MappingDestination {
            var texts: [Int: String] = [:]

            mutating func assign(
                _ property: Int, from source: ValueSource
            ) throws(MappingFailure) {
                texts[property] = try source.read(String.self)
            }
        }
        let document = try Document(
            parsing: Array(#"{"id":123,"name":"Blake Watters","more":1}"#.utf8))
        let mapping = ObjectMapping(for: Account.self) {
            attribute("id", to: \.userID)
            attribute("name", to: \.name)
        }
        let plan = try MappingCompiler().compile(mapping)
        var report = MappingReport()
        let recorder = try plan.run(document.root, report: &report) {
            source throws(MappingFailure) in
            var recorder = TextRecorder()
            try source.walk(into: &recorder)
            return recorder
        }
        #expect(recorder.texts == [0: "123", 1: "Blake Watters"])
        #expect(report.issues.isEmpty)
    }

    @Test(.parity("M279")) func rejectsTargetOfAnotherType() throws {
        let plan = try MappingPlan(Address.self)
        let document = try Document(parsing: Array(#"{"city":"Oslo","name":"x"}"#.utf8))
        let account = Account(userID: 1, name: "old")
        var report = MappingReport()
        let error = #expect(throws: MappingError.self) {
            try plan.object(updating: account, from: document.root, report: &report)
        }
        #expect(error?.code == .wrongSubject)
        #expect(account.name == "old")
    }

    @Test(.parity("M276", "M281", "M282", "M283")) func mapsListToNewObjectsInOrder() throws {
        let json = """
            [{"id":31337,"name":"Blake Watters"},{"id":187,"name":"Jeremy Ellison"},
            {"id":7,"name":"Rachit Shukla"}]
            """
        let people = try map(Person.self, json)
        #expect(people.map(\.name) == ["Blake Watters", "Jeremy Ellison", "Rachit Shukla"])
        #expect(people.map(\.id) == [31337, 187, 7])
        #expect(Set(people.map(ObjectIdentifier.init)).count == 3)
        let one = try map(Person.self, #"{"id":31337,"name":"Blake Watters"}"#)
        #expect(one.map(\.name) == ["Blake Watters"])
    }
}

/// A class with mutable properties.
private final class Account: Mapped {
    var userID: Int
    var name: String

    init(userID: Int, name: String) {
        self.userID = userID
        self.name = name
    }

    struct Draft: MappingDraft {
        private var subject: Account?
        private var userID: Int?
        private var name: String?

        init() {}

        init(editing subject: Account) { self.subject = subject }

        mutating func assign(
            _ property: Int, from source: ValueSource
        ) throws(MappingFailure) {
            switch property {
            case 0: try source.assign(&userID, current: subject?.userID, default: 0)
            case 1: try source.assign(&name, current: subject?.name, default: "")
            default: break
            }
        }

        consuming func finish() throws(MappingFailure) -> Account {
            guard let subject else { return Account(userID: userID ?? 0, name: name ?? "") }
            if let userID { subject.userID = userID }
            if let name { subject.name = name }
            return subject
        }
    }

    func write(
        _ property: Int, to writer: inout RequestWriter
    ) throws(MappingFailure) {
        switch property {
        case 0: try writer.write(self.userID)
        case 1: try writer.write(self.name)
        default: break
        }
    }

    static var properties: PropertyTable {
        PropertyTable(
            Account.self,
            [
                Property("userID", \Account.userID, Int.self),
                Property("name", \Account.name, String.self),
            ])
    }
}
