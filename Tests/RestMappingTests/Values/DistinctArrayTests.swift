// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import TestSupport
import Testing

@Suite struct DistinctArrayTests {
    @Test func keepsFirstOccurrenceOfElements() {
        var array: DistinctArray = ["b", "a", "b"]
        #expect(Array(array) == ["b", "a"])
        let isNew = array.append("c")
        let isKnown = !array.append("a")
        #expect(isNew && isKnown)
        #expect(array.contains("c"))
        #expect(array == ["b", "a", "c"])
        #expect(array != ["a", "b", "c"])
    }

    @Test(.parity("M041")) func distinctArraysKeepOrder() throws {
        #expect(try converted("[1,2,3]") == DistinctArray([1, 2, 3]))
        #expect(try converted("[3,1,3,2]") == DistinctArray([3, 1, 2]))
    }
}
