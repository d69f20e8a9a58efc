// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import RestPersistence

@Suite struct ResultDifferenceTests {
    private func difference(_ old: String, _ new: String) -> ResultDifference {
        // An upper-case letter is the same element with another value.
        let (old, new) = (Array(old), Array(new))
        return ResultDifference(
            from: old.map { $0.lowercased() }, to: new.map { $0.lowercased() }
        ) { old[$0] != new[$1] }
    }

    @Test(
        arguments: [
            ("", "", [], [], [], []), ("abc", "abc", [], [], [], []),
            ("", "ab", [], [0, 1], [], []), ("ab", "", [0, 1], [], [], []),
            ("abc", "aXc", [1], [1], [], []), ("abc", "aBc", [], [], [], [1]),
            ("abcd", "bcda", [], [], [0, 3], []), ("abcd", "dabc", [], [], [3, 0], []),
            ("abcd", "Dxab", [2], [1], [3, 0], [0]),
        ] as [(String, String, [Int], [Int], [Int], [Int])])
    func describesChanges(
        _ old: String, _ new: String, _ removed: [Int], _ inserted: [Int], _ moved: [Int],
        _ updated: [Int]
    ) {
        let difference = difference(old, new)
        #expect(difference.removed == removed)
        #expect(difference.inserted == inserted)
        #expect(difference.moved.flatMap { [$0.source, $0.destination] } == moved)
        #expect(difference.updated == updated)
        #expect(difference.isEmpty == (old == new))
    }

    @Test func appliesToPreviousResult() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<500 {
            let old = Array((0..<20).shuffled(using: &generator).prefix(12))
            let new = Array((0..<20).shuffled(using: &generator).prefix(12))
            let difference = ResultDifference(from: old, to: new) { _, _ in false }
            var result = old
            let gone = difference.removed + difference.moved.map(\.source)
            for offset in gone.sorted(by: >) { result.remove(at: offset) }
            let added = difference.inserted + difference.moved.map(\.destination)
            for offset in added.sorted() { result.insert(new[offset], at: offset) }
            #expect(result == new)
        }
    }

    @Test func movesAsFewElementsAsPossible() {
        let old = Array(0..<1_000)
        var new = old
        new.insert(new.remove(at: 900), at: 10)
        new.insert(new.remove(at: 5), at: 700)
        let difference = ResultDifference(from: old, to: new) { _, _ in false }
        #expect(difference.moved.count == 2)
    }
}
