// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestMapping
import TestSupport
import Testing

@Suite struct CollectionTransformerTests {
    private let words = ["one", "two", "three"]

    // MARK: Arrays and arrays of distinct elements

    @Test(.parity("M080", "M081")) func arraysAndDistinctArraysBecomeEachOther() {
        let transformer = Transformer.arrayDistinctArray
        #expect(transformer.canTransform(from: [Int].self, to: DistinctArray<Int>.self))
        #expect(transformer.canTransform(from: DistinctArray<Int>.self, to: [Int].self))
        #expect(!transformer.canTransform(from: Int.self, to: DistinctArray<Int>.self))
    }

    @Test(.parity("M042", "M082", "M083")) func theirOrderStays() throws {
        let transformer = Transformer.arrayDistinctArray
        let distinct = try transformer.transform(words, as: DistinctArray<String>.self)
        #expect(distinct?.elements == words)
        #expect(try transformer.transform(distinct, as: [String].self) == words)
        #expect(try transformer.transform([3, 1, 3, 2, 1], as: DistinctArray.self) == [3, 1, 2])
        let ordered: DistinctArray<Int> = [1, 2, 3]
        #expect(try transformer.transform(ordered, as: [Int].self) == [1, 2, 3])
    }

    @Test(.parity("M084", "M085")) func distinctArraysRefuseTheRest() {
        let transformer = Transformer.arrayDistinctArray
        expectFailure(.inputNotAcceptable, of: transformer, 1, to: DistinctArray<Int>.self)
        expectFailure(.inputNotAcceptable, of: transformer, Set([1]), to: DistinctArray<Int>.self)
        expectFailure(.outputNotSupported, of: transformer, [1], to: Data.self)
        expectFailure(.outputNotSupported, of: transformer, [1], to: Set<Int>.self)
        expectFailure(.failed, of: transformer, ["1"], to: DistinctArray<Int>.self)
    }

    // MARK: Arrays and sets

    @Test(.parity("M086", "M087")) func arraysAndSetsBecomeEachOther() {
        #expect(Transformer.arraySet.canTransform(from: [Int].self, to: Set<Int>.self))
        #expect(Transformer.arraySet.canTransform(from: Set<Int>.self, to: [Int].self))
        #expect(!Transformer.arraySet.canTransform(from: Int.self, to: Set<Int>.self))
    }

    @Test(.parity("M088", "M089")) func theirElementsStay() throws {
        let set = Set(words)
        #expect(try Transformer.arraySet.transform(words, as: Set<String>.self) == set)
        #expect(try Transformer.arraySet.transform([1, 1, 2], as: Set<Int>.self) == [1, 2])
        let array = try #require(try Transformer.arraySet.transform(set, as: [String].self))
        #expect(array.sorted() == words.sorted())
        #expect(try Transformer.arraySet.transform(set, as: Set<String>.self) == set)
    }

    @Test(.parity("M090", "M091")) func setsRefuseTheRest() {
        expectFailure(.inputNotAcceptable, of: Transformer.arraySet, 1, to: Set<Int>.self)
        expectFailure(.outputNotSupported, of: Transformer.arraySet, [1], to: Data.self)
        expectFailure(.failed, of: Transformer.arraySet, ["1"], to: Set<Int>.self)
    }

    // MARK: Collections of one

    @Test func aSingleValueBecomesACollectionOfOne() throws {
        let transformer = Transformer.collectionOfOne
        #expect(transformer.canTransform(from: Int.self, to: [Int].self))
        #expect(!transformer.canTransform(from: [Int].self, to: [Int].self))
        #expect(try transformer.transform("Blue", as: [String].self) == ["Blue"])
        #expect(try transformer.transform("Jeff", as: Set<String>.self) == ["Jeff"])
        #expect(try transformer.transform("Jeff", as: DistinctArray<String>.self) == ["Jeff"])
        #expect(try transformer.transform(["a": 1], as: [[String: Int]].self) == [["a": 1]])
        expectFailure(.inputNotAcceptable, of: transformer, ["Blue"], to: [String].self)
        expectFailure(.inputNotAcceptable, of: transformer, nil, to: [String].self)
        expectFailure(.outputNotSupported, of: transformer, "Blue", to: String.self)
    }

    @Test func elementsAreDistinctWhereTheyCameFirst() {
        var array: DistinctArray = ["b", "a", "b"]
        #expect(Array(array) == ["b", "a"])
        let isNew = array.append("c")
        let isKnown = !array.append("a")
        #expect(isNew && isKnown)
        #expect(array.contains("c"))
        #expect(array == ["b", "a", "c"])
        #expect(array != ["a", "b", "c"])
    }
}
