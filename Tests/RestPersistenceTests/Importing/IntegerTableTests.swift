// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import RestPersistence

/// Indices by integers.
@Suite struct IntegerTableTests {
    @Test(arguments: [0, 1, 7, 8, 9, 1000], [true, false])
    func firstIndexOfIntegerWins(count: Int, hasCapacity: Bool) {
        let integers = (0..<count).map { Int64($0) &* 0x10_0000_0001 &- 500 }
        var table = IntegerTable(capacity: hasCapacity ? count : 0)
        for (index, integer) in integers.enumerated() {
            #expect(table[integer] == nil)
            #expect(table.insert(integer, index) == index)
        }
        for (index, integer) in integers.enumerated() {
            #expect(table.insert(integer, count + index) == index)
            #expect(table[integer] == index)
        }
        #expect(table[1] == nil)
    }

    @Test func distinguishesExtremeIntegers() {
        let integers: [Int64] = [.min, .max, 0, -1, 1, 1 << 32, 0]
        var table = IntegerTable(capacity: integers.count)
        var different: [Int64] = []
        for integer in integers where table.insert(integer, different.count) == different.count {
            different.append(integer)
        }
        #expect(different == [.min, .max, 0, -1, 1, 1 << 32])
        #expect(different.map { table[$0] } == [0, 1, 2, 3, 4, 5])
    }
}
