// SPDX-License-Identifier: Apache-2.0

import RestDefinition
import RestDocument
import RestInference
import Testing

@Suite struct SampleTests {
    static let samples = Sample.lists + Sample.shapes

    @Test(arguments: samples)
    func findsWhatAPersonReads(_ sample: Sample) throws {
        let result = try sample.inferred()
        let (expected, found) = (Facts(sample.expected), Facts(result.definition))
        for kind in ["entity", "relation", "type", "page", "records"] {
            let (wanted, given) = (expected.lines[kind] ?? [], found.lines[kind] ?? [])
            #expect(wanted.subtracting(given).sorted() == [], "\(sample.name): missing")
            #expect(given.subtracting(wanted).sorted() == [], "\(sample.name): wrong")
        }
    }
}
