// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import TestSupport
import Testing

@Suite struct PolicyEvaluatorTests {
    @Test func failsWithPathWhenRequiredPropertyIsMissing() throws {
        let json = #"[{"city":"a"},{"zip":"1"}]"#
        let error = #expect(throws: MappingError.self) { try map(Address.self, json) }
        #expect(error?.code == .invalidObject)
        #expect(error?.path == "[1]")
        #expect(
            error?.description
                == "invalidObject: missingValue at [1]: Address.city expected a value, found nothing"
        )
    }

    @Test func reportsCauseOfMissingRequiredProperty() throws {
        let json = #"[{"id":1,"name":"a"},{"id":"x","name":{},"mood":"sleepy"}]"#
        let error = #expect(throws: MappingError.self) { try map(Person.self, json) }
        #expect(error?.path == "[1].id")
        #expect(error?.issue?.property == "id")
        var report = MappingReport()
        let mapping = ObjectMapping(for: Person.self, policy: .lenient)
        _ = try map(Person.self, json, with: mapping, report: &report)
        #expect(report.issues.map(\.path) == ["[1].id", "[1].name", "[1].mood"])
        #expect(report.droppedObjectCount == 1)
    }

    @Test func keepsPropertyAndReportsIssueForWrongValue() throws {
        var report = MappingReport()
        let json = #"{"id":1,"name":"n","mood":"sleepy","scores":[1],"address":{"city":"x"}}"#
        let person = try #require(try map(Person.self, json, report: &report).first)
        #expect(person.mood == nil)
        #expect(person.scores == [:])
        #expect(person.address?.city == "x")
        #expect(report.issues.map(\.path.description) == ["mood", "scores"])
        #expect(report.issues.map(\.code) == [.malformedValue, .typeMismatch])
        #expect(report.issues.map(\.property) == ["mood", "scores"])
    }

    @Test func failsAtFirstWrongValueByStrictPolicy() throws {
        let mapping = ObjectMapping(for: Person.self, policy: .strict)
        let json = #"[{"id":1,"name":"a","friends":[{"id":2,"name":"b","mood":"sleepy"}]}]"#
        let error = #expect(throws: MappingError.self) {
            try map(Person.self, json, with: mapping)
        }
        #expect(error?.path == "[0].friends[0].mood")
    }

    @Test func dropsInvalidElementsByLenientPolicy() throws {
        let mapping = ObjectMapping(for: Person.self, policy: .lenient)
        var report = MappingReport()
        let json = #"""
            [{"id":1,"name":"a","friends":[{"id":9},{"id":2,"name":"b"},null,7]},{"name":"no id"},
            {"id":3,"name":"c","tags":["x",{},"y"]}]
            """#
        let people = try map(Person.self, json, with: mapping, report: &report)
        #expect(people.map(\.id) == [1, 3])
        #expect(people.first?.friends.map(\.id) == [2])
        #expect(people.last?.tags == ["x", "y"])
        #expect(
            report.issues.map(\.path.description) == [
                "[0].friends[0]", "[0].friends[2]", "[0].friends[3]", "[1]", "[2].tags[1]",
            ])
        #expect(report.droppedObjectCount == 4)
        #expect(report.objectCount == 3)
    }

    @Test func failsForElementOfWrongKind() throws {
        let json = #"[{"id":1,"name":"a","friends":["not a person"]}]"#
        let error = #expect(throws: MappingError.self) { try map(Person.self, json) }
        #expect(error?.path == "[0].friends[0]")
        #expect(error?.issue?.code == .typeMismatch)
    }

    @Test func limitsAndCountsIssues() throws {
        var report = MappingReport(issueLimit: 10)
        let wrong = Array(repeating: #"{"id":1,"name":"a","mood":"?"}"#, count: 500)
        let json = "[" + wrong.joined(separator: ",") + "]"
        #expect(try map(Person.self, json, report: &report).count == 500)
        #expect(report.issues.count == 10)
        #expect(report.issueCount == 500)
        #expect(report.issues.last?.path == "[9].mood")
    }

    @Test func excludesPayloadFromIssues() throws {
        var report = MappingReport()
        let json = #"{"id":1,"name":"n","mood":"s3cret","born":"s3cret","scores":{"s":"s3cret"}}"#
        _ = try map(Person.self, json, report: &report)
        #expect(report.issues.count == 3)
        #expect(!report.issues.map(\.description).joined().contains("s3cret"))
    }

    @Test func describesIssueInOneLineWhateverItsKeys() throws {
        var report = MappingReport()
        let json = #"{"value":{"a\nb\u001b[0m":"no number"}}"#
        _ = try map(Holder<[String: Int]>.self, json, report: &report)
        let text = try #require(report.issues.first).description
        #expect(!text.unicodeScalars.contains { $0.properties.generalCategory == .control })
        #expect(text.contains(#"a\nb"#))
    }

    @Test func leavesInstanceUnchangedWhenUpdateFails() throws {
        let person = Person(id: 7, name: "old", tags: ["x"])
        let document = try Document(
            parsing: Array(#"{"name":"new","tags":[],"friends":[{"id":1}]}"#.utf8))
        var report = MappingReport()
        #expect(throws: MappingError.self) {
            try MappingPlan(Person.self).object(
                updating: person, from: document.root, report: &report)
        }
        #expect(person.name == "old")
        #expect(person.tags == ["x"])
    }
}
