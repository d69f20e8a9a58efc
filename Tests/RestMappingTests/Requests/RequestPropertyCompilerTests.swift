// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import TestSupport
import Testing

@Suite struct RequestPropertyCompilerTests {
    @Test func reportsAllDiagnosticsAtOnce() throws {
        var mapping = RequestMapping(
            for: Citizen.self,
            [
                "nam": "a", "name": "name", "job": "name", "home": "name.deeper",
                "isRegistered": "{jop}.x", "birthday": "list[0]", "name.x": "b",
            ])
        mapping.add(RequestRelationship("worth", to: "worth"))
        mapping.add(
            RequestRelationship("cities", to: "cities", mapping: RequestMapping(for: Citizen.self)))
        let error = #expect(throws: MappingError.self) { try RequestPlan(mapping) }
        #expect(error?.code == .invalidMapping)
        let codes = error?.diagnostics.map(\.code) ?? []
        #expect(
            codes == [
                .unknownProperty, .ambiguousDestination, .ambiguousDestination,
                .unknownPlaceholder, .invalidSource, .notARelationship, .notARelationship,
                .wrongSubject,
            ])
        #expect(error?.diagnostics.first?.suggestion == "name")
    }

    @Test func diagnosesValueAndObjectAtOnePath() throws {
        let mapping = RequestMapping(for: Citizen.self, ["name": "a.b", "job": "a"])
        let error = #expect(throws: MappingError.self) { try RequestPlan(mapping) }
        #expect(error?.diagnostics.map(\.code) == [.ambiguousDestination])
    }
}
