// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import TestSupport
import Testing

/// Raw values that no case has: failed, dropped, kept as they were, or one case for all.
@Suite struct UnknownValueTests {
    private enum Status: String, MappableValue, UnknownValue {
        case open
        case closed
        case other
        static let unknown = other
    }

    @Test func aTypesOwnCaseStandsForUnknownValues() throws {
        var report = MappingReport()
        let found = try map(
            Holder<[Status]>.self, #"{"value":["open","new"]}"#, report: &report)
        #expect(found.first?.value == [.open, .other])
        #expect(report.coercions == [.unknownToFallback: 1])
        #expect(report.issues.isEmpty)
    }

    @Test func aTypesOwnCaseStandsForNothingOfAnotherKind() throws {
        var report = MappingReport()
        let found = try map(Holder<Status>.self, #"{"value":{}}"#, report: &report)
        #expect(found.map(\.value) == [nil])
        #expect(report.issues.map(\.code) == [.typeMismatch])
    }

    @Test func anAttributeNamesACaseOfItsOwn() throws {
        let mapping = ObjectMapping(for: Holder<Mood>.self) {
            attribute("value", to: \.value, using: .unknown(as: .grumpy))
        }
        var report = MappingReport()
        let json = #"[{"value":"sleepy"},{"value":"cheerful"},{"value":null},{"value":[]}]"#
        let found = try map(Holder<Mood>.self, json, with: mapping, report: &report)
        #expect(found.map(\.value) == [.grumpy, .cheerful, nil, nil])
        #expect(report.coercions == [.unknownToFallback: 1])
        #expect(report.issues.map(\.path) == ["[3].value"])
    }

    @Test func withoutOneTheValueIsDroppedOrFailsAsTheMappingOrTheAttributeSays() throws {
        var report = MappingReport()
        let json = #"{"value":"sleepy"}"#
        #expect(try map(Holder<Mood>.self, json, report: &report).map(\.value) == [nil])
        #expect(report.issues.map(\.code) == [.malformedValue])
        #expect(throws: MappingError.self) {
            try map(
                Holder<Mood>.self, json,
                with: ObjectMapping(for: Holder<Mood>.self, policy: .strict))
        }
        var attribute = AttributeMapping("value", to: "value")
        attribute.policy = .strict
        var mapping = ObjectMapping(table: Holder<Mood>.properties)
        mapping.add(attribute)
        #expect(throws: MappingError.self) { try map(Holder<Mood>.self, json, with: mapping) }
        attribute.policy = .standard
        mapping = ObjectMapping(table: Holder<Mood>.properties, policy: .strict)
        mapping.add(attribute)
        #expect(try map(Holder<Mood>.self, json, with: mapping).map(\.value) == [nil])
    }

    @Test func unknownElementsFailTheListOrAreLeftOut() throws {
        let json = #"{"value":["cheerful","sleepy",null,"grumpy"]}"#
        var report = MappingReport()
        #expect(try map(Holder<[Mood]>.self, json, report: &report).map(\.value) == [nil])
        #expect(report.issues.map(\.path) == ["value[1]"])
        let lenient = ObjectMapping(
            for: Holder<[Mood]>.self, policy: IssuePolicy(invalidElement: .drop))
        report = MappingReport()
        let found = try map(Holder<[Mood]>.self, json, with: lenient, report: &report)
        #expect(found.first?.value == [.cheerful, .grumpy])
        #expect(report.issues.map(\.path) == ["value[1]", "value[2]"])
    }
}

@Suite struct FieldTests {
    /// A property that begins as missing.
    private struct Profile: Mapped {
        var id = 0
        var nickname: Field<String> = .missing

        struct Draft: MappingDraft {
            private var id = 0
            private var nickname: Field<String> = .missing

            init() {}

            init(editing subject: Profile) {
                id = subject.id
                nickname = subject.nickname
            }

            mutating func assign(
                _ property: Int, from source: MappingSource
            ) throws(MappingFailure) {
                switch property {
                case 0: id = try source.read(Int.self)
                case 1: nickname = try source.read(Field<String>.self)
                default: break
                }
            }

            consuming func finish() throws(MappingFailure) -> Profile {
                Profile(id: id, nickname: nickname)
            }
        }

        static let properties = PropertyTable(
            Profile.self,
            [
                Property("id", \Profile.id, Int.self),
                Property("nickname", \Profile.nickname, Field<String>.self),
            ])

        func write(
            _ property: Int, to writer: inout RepresentationWriter
        ) throws(MappingFailure) {
            switch property {
            case 0: try writer.write(id)
            case 1: try writer.write(nickname)
            default: break
            }
        }
    }

    @Test(
        arguments: [
            (#"{"id":1}"#, Field.missing), (#"{"nickname":null}"#, .null),
            (#"{"nickname":"Bo"}"#, .value("Bo")), (#"{"nickname":[]}"#, .missing),
        ] as [(String, Field<String>)])
    func absentNullAndPresentAreThreeStates(json: String, expected: Field<String>) throws {
        #expect(try map(Profile.self, json).map(\.nickname) == [expected])
    }

    @Test func absentLeavesAFieldAsItWas() throws {
        var report = MappingReport()
        let plan = try MappingPlan(Profile.self)
        let earlier = Profile(nickname: .value("Bo"))
        func update(_ json: String) throws -> Field<String> {
            let document = try Document(parsing: Array(json.utf8))
            return try plan.object(updating: earlier, from: document.root, report: &report).nickname
        }
        #expect(try update(#"{"id":1}"#) == .value("Bo"))
        #expect(try update(#"{"nickname":null}"#) == .null)
    }

    @Test func statesCanBeAskedFor() {
        #expect(Field(1) == .value(1))
        #expect(Field<Int>(nil) == .null)
        #expect(Field.value(1).value == 1)
        #expect(Field<Int>.null.value == nil && Field<Int>.null.isNull)
        #expect(Field<Int>.missing.value == nil && Field<Int>.missing.isMissing)
        #expect(!Field.value(1).isNull && !Field.value(1).isMissing)
    }
}
