// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestTesting
import TestSupport
import Testing

/// A destination of a program, which collects the values of a human.
private struct CollectedHuman: MappingDestination {
    var values: [String: String] = [:]

    mutating func assign(
        _ property: Int, from source: ValueSource
    ) throws(MappingFailure) {
        switch Human.properties.properties[property].name {
        case "railsID":
            let id = try source.read(Int.self)
            values["railsID"] = "\(id)"
        case let name: values[name] = try source.read(String.self)
        }
    }
}

/// The mapping of a response with managed objects into a destination of the program.
@Suite(.tags(.socket)) struct ManagedDestinationTests {
    @Test(.parity("N290")) func requestChoosesDestinationOfEntities() async throws {
        let answer = LoopbackResponse.json(#"{"human":{"id":1,"name":"Ann"}}"#)
        try await HumanFixture.run(answering: answer) { fixture in
            try fixture.api.add(ResponseDescriptor(HumanMappings.human, keyPath: "human"))
            let request = try fixture.api.request(.get, at: "humans/1")
            let response = try await fixture.api.response(to: request)
            let match = try #require(response.matches.first)
            var report = MappingReport()
            let collected = try match.plan.run(match.representation, report: &report) {
                source throws(MappingFailure) in
                var destination = CollectedHuman()
                try source.walk(into: &destination)
                return destination
            }
            #expect(collected.values == ["railsID": "1", "name": "Ann"])
            #expect(report.issues.isEmpty)
            #expect(try fixture.humans().isEmpty)
            // Another request imports by the same descriptor.
            try await fixture.api.getObjects(at: "humans/1", into: fixture.store)
            #expect(try fixture.humans() == ["1|Ann"])
        }
    }
}
