// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import TestSupport
import Testing

@Suite struct PropertyAssignerValidationTests {
    struct InvalidName: Error, Equatable {
        let reason: String
    }

    private var mapping: ObjectMapping {
        ObjectMapping(for: User.self) {
            attribute("name", to: \.name)
            attribute("id", to: \.userID)
            validate(\.name) { name in
                switch name {
                case "FAIL": throw InvalidName(reason: "no such name")
                case "REJECT": .reject
                case "MODIFY": .replace("modified value")
                default: .accept
                }
            }
        }
    }

    private func name(after name: String, _ mapping: ObjectMapping) throws -> String? {
        let user = User(userID: 1, name: "before")
        try fill(user, #"{"name":"\#(name)","id":1}"#, with: mapping)
        return user.name
    }

    @Test(.parity("M268", "M271")) func failsWithErrorOfValidation() throws {
        let user = User(userID: 1, name: "before")
        user.forgetWrites()
        let error = #expect(throws: MappingError.self) {
            try fill(user, #"{"name":"FAIL","id":2}"#, with: mapping)
        }
        #expect(error?.code == .validationFailed)
        #expect(error?.underlying as? InvalidName == InvalidName(reason: "no such name"))
        #expect(error?.path == "name")
        #expect(user.writes == [])
        #expect(error?.description.contains("no such name") == false)
    }

    @Test func dropsObjectByPolicyWhenValidationThrows() throws {
        var mapping = mapping
        mapping.policy = .lenient
        var report = MappingReport()
        let json = #"[{"name":"FAIL","id":1},{"name":"Al","id":2}]"#
        let found = try map(User.self, json, with: mapping, report: &report)
        #expect(found.map(\.userID) == [2])
        #expect(report.issues.map(\.code) == [.validationFailed])
    }

    @Test(.parity("M269")) func keepsPropertyWithoutIssueWhenValueIsRejected() throws {
        let user = User(userID: 1, name: "before")
        var report = MappingReport()
        try fill(user, #"{"name":"REJECT","id":2}"#, with: mapping, report: &report)
        #expect(user.name == "before")
        #expect(user.userID == 2)
        #expect(report.issues.isEmpty)
    }

    @Test(.parity("M270")) func assignsReplacementFromValidation() throws {
        #expect(try name(after: "MODIFY", mapping) == "modified value")
        #expect(try name(after: "Al", mapping) == "Al")
    }

    @Test func skipsDisabledValidation() throws {
        var mapping = mapping
        mapping.performsValidation = false
        #expect(try name(after: "FAIL", mapping) == "FAIL")
    }

    @Test func validatesRelationships() throws {
        var mapping = ObjectMapping(for: User.self, ["id": "userID", "friends": "friends"])
        mapping.validate(\User.friends) { .replace($0.filter { $0.userID != 3 }) }
        let found = try map(User.self, #"{"id":1,"friends":[{"id":2},{"id":3}]}"#, with: mapping)
        #expect(found.first?.friends.map(\.userID) == [2])
    }

    @Test func doesNotValidateUnchangedValue() throws {
        let user = User(userID: 1, name: "FAIL")
        try fill(user, #"{"name":"FAIL","id":2}"#, with: mapping)
        #expect(user.userID == 2)
    }

    @Test func diagnosesValidationOfAnotherType() throws {
        var mapping = ObjectMapping(for: User.self, ["id": "userID"])
        mapping.validate("name") { (_: Int) in .accept }
        mapping.validate("nmae") { (_: Int) in .accept }
        let error = #expect(throws: MappingError.self) { try MappingCompiler().compile(mapping) }
        #expect(
            error?.diagnostics.map(\.description) == [
                "User.name is of another type than its validation",
                "User has no property 'nmae'; did you mean 'name'?",
            ])
    }
}
