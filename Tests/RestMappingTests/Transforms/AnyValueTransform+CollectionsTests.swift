// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestMapping
import TestSupport
import Testing

@Suite struct AnyValueTransformCollectionsTests {
    private let words = ["one", "two", "three"]

    // MARK: Arrays and arrays of distinct elements

    @Test(.parity("M080", "M081")) func convertsBetweenArraysAndDistinctArrays() {
        let transform = AnyValueTransform.arrayDistinctArray
        #expect(transform.canTransform(from: [Int].self, to: DistinctArray<Int>.self))
        #expect(transform.canTransform(from: DistinctArray<Int>.self, to: [Int].self))
        #expect(!transform.canTransform(from: Int.self, to: DistinctArray<Int>.self))
    }

    @Test(.parity("M042", "M082", "M083")) func keepsOrderOfDistinctArrays() throws {
        let transform = AnyValueTransform.arrayDistinctArray
        let distinct = try transform.transform(words, as: DistinctArray<String>.self)
        #expect(distinct?.elements == words)
        #expect(try transform.transform(distinct, as: [String].self) == words)
        #expect(try transform.transform([3, 1, 3, 2, 1], as: DistinctArray.self) == [3, 1, 2])
        let ordered: DistinctArray<Int> = [1, 2, 3]
        #expect(try transform.transform(ordered, as: [Int].self) == [1, 2, 3])
    }

    @Test(.parity("M084", "M085")) func rejectsOtherDistinctArrayConversions() {
        let transform = AnyValueTransform.arrayDistinctArray
        expectFailure(.inputNotAcceptable, of: transform, 1, to: DistinctArray<Int>.self)
        expectFailure(.inputNotAcceptable, of: transform, Set([1]), to: DistinctArray<Int>.self)
        expectFailure(.outputNotSupported, of: transform, [1], to: Data.self)
        expectFailure(.outputNotSupported, of: transform, [1], to: Set<Int>.self)
        expectFailure(.failed, of: transform, ["1"], to: DistinctArray<Int>.self)
    }

    // MARK: Arrays and sets

    @Test(.parity("M086", "M087")) func convertsBetweenArraysAndSets() {
        #expect(AnyValueTransform.arraySet.canTransform(from: [Int].self, to: Set<Int>.self))
        #expect(AnyValueTransform.arraySet.canTransform(from: Set<Int>.self, to: [Int].self))
        #expect(!AnyValueTransform.arraySet.canTransform(from: Int.self, to: Set<Int>.self))
    }

    @Test(.parity("M088", "M089")) func keepsElementsOfSets() throws {
        let set = Set(words)
        #expect(try AnyValueTransform.arraySet.transform(words, as: Set<String>.self) == set)
        #expect(try AnyValueTransform.arraySet.transform([1, 1, 2], as: Set<Int>.self) == [1, 2])
        let array = try #require(try AnyValueTransform.arraySet.transform(set, as: [String].self))
        #expect(array.sorted() == words.sorted())
        #expect(try AnyValueTransform.arraySet.transform(set, as: Set<String>.self) == set)
    }

    @Test(.parity("M090", "M091")) func rejectsOtherSetConversions() {
        expectFailure(.inputNotAcceptable, of: .arraySet, 1, to: Set<Int>.self)
        expectFailure(.outputNotSupported, of: .arraySet, [1], to: Data.self)
        expectFailure(.failed, of: .arraySet, ["1"], to: Set<Int>.self)
    }

    // MARK: Collections of one

    @Test func convertsSingleValueToCollection() throws {
        let transform = AnyValueTransform.collectionOfOne
        #expect(transform.canTransform(from: Int.self, to: [Int].self))
        #expect(!transform.canTransform(from: [Int].self, to: [Int].self))
        #expect(try transform.transform("Blue", as: [String].self) == ["Blue"])
        #expect(try transform.transform("Jeff", as: Set<String>.self) == ["Jeff"])
        #expect(try transform.transform("Jeff", as: DistinctArray<String>.self) == ["Jeff"])
        #expect(try transform.transform(["a": 1], as: [[String: Int]].self) == [["a": 1]])
        expectFailure(.inputNotAcceptable, of: transform, ["Blue"], to: [String].self)
        expectFailure(.inputNotAcceptable, of: transform, nil, to: [String].self)
        expectFailure(.outputNotSupported, of: transform, "Blue", to: String.self)
    }
}
