// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import TestSupport
import Testing

@Suite struct FieldTests {
    /// An object with a field that is missing initially.
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
                _ property: Int, from source: ValueSource
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
            _ property: Int, to writer: inout RequestWriter
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
    func distinguishesMissingNullAndValue(json: String, expected: Field<String>) throws {
        #expect(try map(Profile.self, json).map(\.nickname) == [expected])
    }

    @Test func missingKeyLeavesFieldUnchanged() throws {
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

    @Test func reportsState() {
        #expect(Field(1) == .value(1))
        #expect(Field<Int>(nil) == .null)
        #expect(Field.value(1).value == 1)
        #expect(Field<Int>.null.value == nil && Field<Int>.null.isNull)
        #expect(Field<Int>.missing.value == nil && Field<Int>.missing.isMissing)
        #expect(!Field.value(1).isNull && !Field.value(1).isMissing)
    }
}
