// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import RestRows

/// The lists of slots that refer to a key.
@Suite struct ReferenceIndexTests {
    @Test func keepsOrderOfAdditions() {
        var index = ReferenceIndex()
        for slot in [2, 0, 5, 3] { index.add(slot, to: 7) }
        index.add(1, to: 8)
        #expect(index.slots(of: 7) == [2, 0, 5, 3])
        #expect(index.slots(of: 8) == [1])
        #expect(index.slots(of: 9).isEmpty)
    }

    @Test(arguments: [(2, [0, 5, 3]), (5, [2, 0, 3]), (3, [2, 0, 5])])
    func removesSlotAnywhere(slot: Int, expected: [Int]) {
        var index = ReferenceIndex()
        for slot in [2, 0, 5, 3] { index.add(slot, to: 7) }
        index.remove(slot, from: 7)
        #expect(index.slots(of: 7) == expected)
        index.add(slot, to: 7)
        #expect(index.slots(of: 7) == expected + [slot])
    }

    @Test func agreesWithArrays() {
        var generator = SeededGenerator(state: 1)
        var index = ReferenceIndex()
        var keys: [Int: Int64] = [:]
        var lists: [Int64: [Int]] = [:]
        for _ in 0..<5000 {
            let slot = Int.random(in: 0..<40, using: &generator)
            if let key = keys.removeValue(forKey: slot) {
                index.remove(slot, from: key)
                lists[key]?.removeAll { $0 == slot }
            } else {
                let key = Int64.random(in: 0..<6, using: &generator)
                keys[slot] = key
                index.add(slot, to: key)
                lists[key, default: []].append(slot)
            }
            for key in Int64(0)..<6 { #expect(index.slots(of: key) == lists[key] ?? []) }
        }
    }
}
