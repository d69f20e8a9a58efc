// SPDX-License-Identifier: Apache-2.0

import RestDefinition
import RestDocument
import RestInference
import TestSupport
import Testing

@Suite(.enabled(if: SharedFiles.isAvailable, "shared corpus not found")) struct CorpusTests {
    @Test func findsMostFactsInRealTraffic() throws {
        var measure = FactMeasure()
        for sample in CorpusSample.all {
            let result = try sample.inferred()
            measure.add(sample.name, Facts(sample.expected), Facts(result.definition))
            #expect(result.definition.diagnostics() == [], "\(sample.name)")
        }
        for line in measure.lines + measure.differences { print(line) }
        for (kind, counts) in measure.counts {
            #expect(counts.precision >= 0.95, "\(kind): \(measure.differences)")
            #expect(counts.recall >= 0.9, "\(kind): \(measure.differences)")
        }
    }
}

/// APIs whose expectations were written before the inference saw them.
@Suite struct HeldOutTests {
    @Test func findsMostFactsInUnknownAPIs() throws {
        var measure = FactMeasure()
        for sample in Sample.heldOut {
            let result = try sample.inferred()
            measure.add(sample.name, Facts(sample.expected), Facts(result.definition))
            #expect(result.definition.diagnostics() == [], "\(sample.name)")
        }
        for line in measure.lines + measure.differences { print(line) }
        for (kind, counts) in measure.counts {
            #expect(counts.precision >= 0.9, "\(kind): \(measure.differences)")
            #expect(counts.recall >= 0.9, "\(kind): \(measure.differences)")
        }
    }
}
