// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestPersistence
import TestSupport
import Testing

/// A search among many rows of 100 words: 1,000 rows, or `RESTKIT_SEARCH_ROWS`, with printed figures.
@Suite struct SearchScaleTests {
    private static let words = 100

    /// Returns a word; the numbers of frequent words are small.
    private static func word(_ random: inout SeededGenerator) -> String {
        let fraction = Double.random(in: 0..<1, using: &random)
        return "w\(Int(fraction * fraction * fraction * 20_000))x"
    }

    @Test func findsFirstRowsOfMany() async throws {
        let count = TestEnvironment.number("RESTKIT_SEARCH_ROWS") ?? 1_000
        let files = try TemporaryStore()
        let store = try await files.open([
            EntityDescription(
                "Text", attributes: [AttributeDescription("body", .text, isSearchable: true)])
        ])
        let clock = ContinuousClock()
        var random = SeededGenerator(state: 1)
        let texts = (0..<count).map { row in
            (0..<Self.words).map { _ in Self.word(&random) }.joined(separator: " ")
                + (row % 10 == 0 ? " needle" : "") + (row % 7 == 0 ? " thread" : "")
        }
        let writing = try await clock.measure {
            for start in stride(from: 0, to: count, by: 5_000) {
                try await store.perform { context in
                    for text in texts[start..<min(start + 5_000, count)] {
                        try context.insert(entity: "Text").setValue(text, "body")
                    }
                    try context.save()
                }
            }
        }
        let expected = (0..<count).count { $0 % 70 == 0 }
        let searching = try await store.perform { context in
            var times: [Duration] = []
            for _ in 0..<5 {
                times.append(
                    try clock.measure {
                        let results = try context.search("Text", .all("needle thread"))
                        #expect(results.count == min(20, expected))
                        let order = zip(results, results.dropFirst())
                        #expect(order.allSatisfy { $0.relevance >= $1.relevance })
                    })
            }
            return times.sorted()[2]
        }
        let total = try await store.perform { context in
            try context.count(FetchRequest("Text", where: .search(.all("needle thread"))))
        }
        #expect(total == expected)
        let seconds = writing / .seconds(1)
        print(
            "\(count) rows of \(Self.words) words: \(Int(Double(count) / seconds)) rows and "
                + "\(Int(Double(count * Self.words) / seconds)) words a second, "
                + "two words of \(total) matches: first 20 in \(searching)")
    }
}
