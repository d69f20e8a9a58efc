// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import TestSupport
import Testing

/// Null, missing and unsuitable values.
@Suite struct PropertyAssignerNullTests {
    @Test(.parity("M195")) func mapsObjectWhoseOnlyValueIsNull() throws {
        var report = MappingReport()
        let found = try map(Holder<String>.self, #"{"value":null}"#, report: &report)
        #expect(found.map(\.value) == [nil])
        #expect(report.issues.isEmpty)
    }

    @Test(.parity("M197")) func replacesValueWithNull() throws {
        let document = try Document(parsing: Array(#"{"value":null}"#.utf8))
        var report = MappingReport()
        let updated = try MappingPlan(Holder<String>.self).object(
            updating: Holder(value: "Blake Watters"), from: document.root, report: &report)
        #expect(updated.value == nil)
        #expect(report.issues.isEmpty)
    }

    @Test(.parity("M204")) func keepsMissingList() throws {
        let mapping = ObjectMapping(for: Tagged.self, ["name": "name", "tags": "tags"])
        var report = MappingReport()
        let found = try map(
            Tagged.self, #"{"name":"Al","tgas":["Blue"]}"#, with: mapping, report: &report)
        #expect(found.map(\.tags) == [nil])
        #expect(found.map(\.name) == ["Al"])
        #expect(report.issues.isEmpty)
    }

    @Test(.parity("M202"), arguments: [7, 0])
    func keepsNonOptionalNumberOrFailsByPolicy(earlier: Int) throws {
        #expect(try position(after: "null", earlier: earlier) == earlier)
        #expect(try map(Place.self, #"{"position":null}"#).map(\.position) == [0])
        let error = #expect(throws: MappingError.self) {
            try map(
                Place.self, #"{"position":null}"#,
                with: ObjectMapping(for: Place.self, policy: .strict))
        }
        #expect(error?.issue?.code == .nullValue)
    }

    @Test(.parity("M203")) func keepsNumberWhenValueIsObject() throws {
        #expect(try position(after: #"{"x":1}"#, earlier: 0) == 0)
        #expect(try map(Place.self, #"{"position":{"x":1}}"#).map(\.position) == [0])
    }

    private func position(after json: String, earlier: Int) throws -> Int {
        let document = try Document(parsing: Array(#"{"position":\#(json)}"#.utf8))
        var report = MappingReport()
        return try MappingPlan(Place.self).object(
            updating: Place(position: earlier), from: document.root, report: &report
        ).position
    }
}

/// A structure with an optional list.
private struct Tagged: Mapped {
    var name: String?
    var tags: [String]?

    struct Draft: MappingDraft {
        private var name: String?
        private var tags: [String]?

        init() {}

        init(editing subject: Tagged) {
            name = subject.name
            tags = subject.tags
        }

        mutating func assign(
            _ property: Int, from source: ValueSource
        ) throws(MappingFailure) {
            switch property {
            case 0: try source.assign(nullable: &name)
            case 1: try source.assign(nullable: &tags)
            default: break
            }
        }

        consuming func finish() throws(MappingFailure) -> Tagged { Tagged(name: name, tags: tags) }
    }

    func write(
        _ property: Int, to writer: inout RequestWriter
    ) throws(MappingFailure) {
        switch property {
        case 0: try writer.write(name)
        case 1: try writer.write(tags)
        default: break
        }
    }

    static var properties: PropertyTable {
        PropertyTable(
            Tagged.self,
            [
                Property("name", \Tagged.name, String?.self),
                Property("tags", \Tagged.tags, [String]?.self),
            ])
    }
}

/// A structure with a number that is not optional.
private struct Place: Mapped {
    var position = 0

    struct Draft: MappingDraft {
        private var position: Int?

        init() {}

        init(editing subject: Place) { position = subject.position }

        mutating func assign(
            _ property: Int, from source: ValueSource
        ) throws(MappingFailure) {
            if property == 0 { try source.assign(&position) }
        }

        consuming func finish() throws(MappingFailure) -> Place {
            Place(position: position ?? 0)
        }
    }

    func write(
        _ property: Int, to writer: inout RequestWriter
    ) throws(MappingFailure) {
        switch property {
        case 0: try writer.write(self.position)
        default: break
        }
    }

    static var properties: PropertyTable {
        PropertyTable(Place.self, [Property("position", \Place.position, Int.self)])
    }
}
