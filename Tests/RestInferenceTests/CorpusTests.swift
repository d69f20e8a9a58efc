// SPDX-License-Identifier: Apache-2.0

import RestDefinition
import RestDocument
import RestInference
import TestSupport
import Testing

@Suite(.enabled(if: SharedFiles.isAvailable, "shared corpus not found")) struct CorpusTests {
    /// The numbers of expected facts of a kind, of found ones, and of those that are both.
    private struct Measure {
        var expected = 0
        var found = 0
        var correct = 0
        var precision: Double { Double(correct) / Double(max(1, found)) }
        var recall: Double { Double(correct) / Double(max(1, expected)) }
    }

    @Test func findsMostFactsInRealTraffic() throws {
        var measures: [String: Measure] = [:]
        var differences: [String] = []
        for sample in CorpusSample.all {
            let result = try sample.inferred()
            let (expected, found) = (Facts(sample.expected), Facts(result.definition))
            for kind in ["entity", "relation", "page", "records", "type"] {
                let wanted = expected.lines[kind] ?? []
                // Types are listed in part, so that only those that are listed can be wrong.
                let names = Set(wanted.map(Self.subject))
                let given = (found.lines[kind] ?? []).filter {
                    kind != "type" || names.contains(Self.subject($0))
                }
                measures[kind, default: Measure()].expected += wanted.count
                measures[kind, default: Measure()].found += given.count
                measures[kind, default: Measure()].correct += wanted.intersection(given).count
                differences += wanted.subtracting(given).sorted().map {
                    "\(sample.name): missing \($0)"
                }
                differences += given.subtracting(wanted).sorted().map {
                    "\(sample.name): wrong \($0)"
                }
            }
            #expect(result.definition.diagnostics() == [], "\(sample.name)")
        }
        for (kind, measure) in measures.sorted(by: { $0.key < $1.key }) {
            print(
                "\(kind): precision \(measure.correct)/\(measure.found), recall \(measure.correct)/\(measure.expected)"
            )
            #expect(measure.precision >= 0.95, "\(kind): \(differences)")
            #expect(measure.recall >= 0.9, "\(kind): \(differences)")
        }
        for difference in differences { print(difference) }
    }

    private static func subject(_ fact: String) -> String {
        fact.split(separator: " ").dropLast().joined(separator: " ")
    }
}
