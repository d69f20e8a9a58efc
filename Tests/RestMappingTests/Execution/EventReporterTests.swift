// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import TestSupport
import Testing

/// An observer that records events as text.
private final class EventLog: MappingObserver {
    private(set) var lines: [String] = []
    var refused: String?

    func observe(_ event: MappingEvent) {
        let property = "\(event.mapping).\(event.destination)"
        switch event.kind {
        case .selected: lines.append("selected \(event.mapping)")
        case .began: lines.append("began \(event.mapping) \(event.destination)")
        case .found: lines.append("found \(event.source) \(event.node.debugDescription)")
        case .notFound: lines.append("not found \(event.source)")
        case .willSet(let value): lines.append("will set \(property) \(text(value))")
        case .set(let value): lines.append("set \(property) \(text(value))")
        case .unchanged(let value): lines.append("unchanged \(property) \(text(value))")
        case .rejected(let value): lines.append("rejected \(property) \(text(value))")
        case .failed(let code): lines.append("failed \(code)")
        case .ended: lines.append("ended \(event.mapping) \(event.destination)")
        }
    }

    func shouldSet(_ value: Any, for event: MappingEvent) -> Bool {
        event.destination != refused
    }

    private func text(_ value: Any) -> String {
        switch value {
        case let value as String?: value ?? "nil"
        case let value as Int?: value.map(String.init) ?? "nil"
        case let users as [User]: "\(users.count)"
        default: "object"
        }
    }
}

/// A structure whose draft stores what it reads, without its current values.
private struct Seat: Equatable {
    var row = 0
    var name: String?
}

extension Seat: Mapped {
    struct Draft: MappingDraft {
        private var seat = Seat()

        init() {}
        init(editing subject: Seat) { seat = subject }

        mutating func assign(
            _ property: Int, from source: ValueSource
        ) throws(MappingFailure) {
            switch property {
            case 0: seat.row = try source.read(Int.self)
            default: seat.name = try source.read(String?.self)
            }
        }

        consuming func finish() -> Seat { seat }
    }

    func write(_ property: Int, to writer: inout RequestWriter) throws(MappingFailure) {
        switch property {
        case 0: try writer.write(row)
        default: try writer.write(name)
        }
    }

    static let properties = PropertyTable(
        Seat.self,
        [Property("row", \Seat.row, Int.self), Property("name", \Seat.name, String?.self)])
}

@Suite struct EventReporterTests {
    private func lines(
        _ user: User, _ json: String, _ mapping: ObjectMapping, refusing: String? = nil
    ) throws -> [String] {
        let log = EventLog()
        log.refused = refusing
        do {
            try fill(user, json, with: mapping, in: MappingEnvironment(observer: log))
        } catch _ as MappingError {}
        return log.lines
    }

    @Test(.parity("M272")) func reportsFailureWithoutMappableValue() throws {
        let mapping = ObjectMapping(for: User.self, ["name": "name"])
        #expect(
            try lines(User(), #"{"favorite_color":"blue"}"#, mapping) == [
                "began User ", "not found name", "ended User ", "failed unmappable",
            ])
        let error = #expect(throws: MappingError.self) {
            try fill(User(), #"{"favorite_color":"blue"}"#, with: mapping)
        }
        #expect(error?.issue?.code == .unmappable)
    }

    @Test(.parity("M273")) func reportsNullReplacingValue() throws {
        let mapping = ObjectMapping(for: User.self, ["first": "name"])
        #expect(
            try lines(User(name: "Blake Watters"), #"{"first":null}"#, mapping) == [
                "began User ", "found first null", "will set User.name nil", "set User.name nil",
                "ended User ",
            ])
    }

    @Test(.parity("M274")) func reportsEqualValueAsUnchanged() throws {
        let mapping = ObjectMapping(for: User.self, ["name": "name"])
        let expected = [
            "began User ", "found name \"Al\"", "will set User.name Al", "unchanged User.name Al",
            "ended User ",
        ]
        #expect(try lines(User(name: "Al"), #"{"name":"Al"}"#, mapping) == expected)
        // A value that the observer refuses is not set either.
        let user = User(name: "Bo")
        #expect(try lines(user, #"{"name":"Al"}"#, mapping, refusing: "name") == expected)
        #expect(user.name == "Bo")
    }

    @Test(.parity("M275")) func reportsRefusedRelationshipAsUnchanged() throws {
        let mapping = ObjectMapping(for: User.self, ["address": "address"])
        let user = User()
        #expect(
            try lines(user, #"{"address":{"city":"a"}}"#, mapping, refusing: "address")
                == [
                    "began User ", "began Home address", "not found id",
                    "not found state", "not found country", "found city \"a\"",
                    "will set Home.city a", "set Home.city a", "ended Home address",
                    "will set User.address object", "unchanged User.address object", "ended User ",
                ].moving(2..<5, behind: 8))
        #expect(user.address == nil)
    }

    @Test func reportsChildrenBeforeTheirRelationship() throws {
        let nested = ObjectMapping(for: User.self, ["id": "userID"])
        var mapping = ObjectMapping(for: User.self, ["name": "name"])
        mapping.add(RelationshipMapping("friends", to: "friends", mapping: nested))
        #expect(
            try lines(User(), #"{"friends":[{"id":1},{"id":"x"}],"name":{}}"#, mapping) == [
                "began User ", "began User friends", "found id 1", "will set User.userID 1",
                "set User.userID 1", "ended User friends", "began User friends", "not found id",
                "ended User friends", "will set User.friends 2", "set User.friends 2",
                "not found name", "ended User ",
            ])
    }

    // MARK: Drafts that store what they read

    /// Returns the seat that is mapped from JSON, and the events.
    private func seat(
        _ json: String, _ mapping: ObjectMapping, refusing: String? = nil,
        over seat: Seat = Seat(row: 1, name: "Al")
    ) throws -> (Seat, lines: [String], issues: [MappingIssue.Code]) {
        let log = EventLog()
        log.refused = refusing
        var report = MappingReport()
        let filled = try fill(
            seat, json, with: mapping, in: MappingEnvironment(observer: log), report: &report)
        return (filled, log.lines, report.issues.map(\.code))
    }

    @Test(.parity("S069")) func readingDraftReportsProperties() throws {
        let mapping = ObjectMapping(for: Seat.self)
        let (filled, lines, issues) = try seat(#"{"row": 2, "name": null}"#, mapping)
        #expect(filled == Seat(row: 2))
        #expect(issues.isEmpty)
        #expect(
            lines == [
                "began Seat ", "found row 2", "will set Seat.row 2", "set Seat.row 2",
                "found name null", "will set Seat.name nil", "set Seat.name nil", "ended Seat ",
            ])
        let other = try seat(#"{"row": {}}"#, mapping)
        #expect(other.0 == Seat(row: 1, name: "Al"))
        #expect(other.lines == ["began Seat ", "not found row", "not found name", "ended Seat "])
        #expect(other.issues == [.typeMismatch])
    }

    @Test(.parity("S069")) func observerRefusesReadValue() throws {
        let (filled, lines, issues) = try seat(
            #"{"row": 2}"#, ObjectMapping(for: Seat.self, ["row": "row"]), refusing: "row")
        #expect(filled == Seat(row: 1, name: "Al"))
        #expect(issues.isEmpty)
        #expect(
            lines == [
                "began Seat ", "found row 2", "will set Seat.row 2", "unchanged Seat.row 2",
                "ended Seat ",
            ])
    }

    @Test func validationRejectsReadValue() throws {
        var mapping = ObjectMapping(for: Seat.self, ["row": "row"])
        mapping.validate(\Seat.row) { $0 > 0 ? .accept : .reject }
        let (filled, lines, issues) = try seat(#"{"row": -1}"#, mapping)
        #expect(filled == Seat(row: 1, name: "Al"))
        #expect(lines.suffix(2) == ["rejected Seat.row -1", "ended Seat "])
        #expect(issues.isEmpty)
        #expect(try fill(Seat(), #"{"row": 3}"#, with: mapping) == Seat(row: 3))
    }

    // MARK: Info

    private let pair = ObjectMapping(for: User.self) {
        attribute("name", to: \.name)
        relationship(
            "friends", to: \.friends, mapping: ObjectMapping(for: User.self, ["name": "name"]))
    }

    private func info(_ json: String, _ mapping: ObjectMapping) throws -> MappingInfo {
        let recorder = MappingInfoRecorder()
        try fill(User(), json, with: mapping, in: MappingEnvironment(observer: recorder))
        return try #require(recorder.infos.first)
    }

    @Test(.parity("M301")) func findsAppliedMappingByDestination() throws {
        let found = try info(
            #"{"n":"Al"}"#, ObjectMapping(for: User.self, ["n": "name", "c": "country"]))
        #expect(found["name"]?.source == "n")
        #expect(found["country"] == nil)
    }

    @Test(.parity("M302")) func collectsInfoOfRelatedObjects() throws {
        let found = try info(#"{"name":"Al","friends":[{"name":"Bo"}]}"#, pair)
        #expect(found["name"] != nil)
        #expect(found["friends"] != nil)
        #expect(found.related["friends"]?.count == 1)
        #expect(found.related["friends"]?.first?["name"] != nil)
    }

    @Test(.parity("M303")) func listsRelationshipOnceInInfo() throws {
        let found = try info(#"{"name":"Al","friends":[{"name":"Bo"},{"name":"Cy"}]}"#, pair)
        #expect(found.applied.filter { $0.destination == "friends" }.count == 1)
        #expect(found.related["friends"]?.count == 2)
    }
}

extension [String] {
    /// Returns the array with a range moved behind others: missing values are reported after an object's
    /// keys.
    fileprivate func moving(_ range: Range<Int>, behind end: Int) -> [String] {
        Array(self[..<range.lowerBound]) + self[range.upperBound..<end] + self[range] + self[end...]
    }
}
