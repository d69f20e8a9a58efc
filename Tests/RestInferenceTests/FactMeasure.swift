// SPDX-License-Identifier: Apache-2.0

import RestInference

/// The numbers of expected facts, of found ones, and of those that are both, by kind.
struct FactMeasure {
    struct Counts {
        var expected = 0
        var found = 0
        var correct = 0
        var precision: Double { Double(correct) / Double(max(1, found)) }
        var recall: Double { Double(correct) / Double(max(1, expected)) }
    }

    private(set) var counts: [String: Counts] = [:]
    /// The facts that are missing or wrong, with the name of the sample.
    private(set) var differences: [String] = []

    /// Adds the facts of a sample.
    mutating func add(_ name: String, _ expected: Facts, _ found: Facts) {
        for kind in ["entity", "relation", "page", "records", "type"] {
            let wanted = expected.lines[kind] ?? []
            // Types are listed in part, so that only those that are listed can be wrong.
            let names = Set(wanted.map(Self.subject))
            let given = (found.lines[kind] ?? []).filter {
                kind != "type" || names.contains(Self.subject($0))
            }
            counts[kind, default: Counts()].expected += wanted.count
            counts[kind, default: Counts()].found += given.count
            counts[kind, default: Counts()].correct += wanted.intersection(given).count
            differences += wanted.subtracting(given).sorted().map { "\(name): missing \($0)" }
            differences += given.subtracting(wanted).sorted().map { "\(name): wrong \($0)" }
        }
    }

    /// The precision and the recall of each kind, in lines.
    var lines: [String] {
        counts.sorted { $0.key < $1.key }.map { kind, counts in
            "\(kind): precision \(counts.correct)/\(counts.found), "
                + "recall \(counts.correct)/\(counts.expected)"
        }
    }

    private static func subject(_ fact: String) -> String {
        fact.split(separator: " ").dropLast().joined(separator: " ")
    }
}
