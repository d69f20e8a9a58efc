// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import TestSupport
import Testing

@Suite struct CollectionValuesTests {
    @Test(.parity("M019", "M046")) func arraysKeepOrderAndSetsCollapse() throws {
        #expect(try converted(#"["Hacking","Running"]"#) == ["Hacking", "Running"])
        #expect(try converted("[1,2,3]") == [1, 2, 3])
        #expect(try converted(#"["Blue","Red"]"#) == ["Blue", "Red"])
        #expect(try converted(#"["one","two","three"]"#) == Set(["one", "two", "three"]))
        #expect(try converted("[3,1,3]") == [3, 1, 3])
        #expect(try converted("[3,1,3]") == Set([1, 3]))
        #expect(try converted("[[1],[],[2,3]]") == [[1], [], [2, 3]])
        #expect(try converted("[1,null]") == [1, nil])
    }

    @Test(.parity("M043", "M044", "M045")) func convertsSingleValueToCollection() throws {
        #expect(try converted(#""Blue""#) == ["Blue"])
        #expect(try converted(#""Jeff""#) == Set(["Jeff"]))
        #expect(try converted(#""Jeff""#) == DistinctArray(["Jeff"]))
    }

    @Test func convertsMembersOfDictionary() throws {
        #expect(try converted(#"{"a":1,"b\n":2,"a":3}"#) == ["a": 3, "b\n": 2])
        #expect(try converted(#"{"a":[1],"b":[]}"#) == ["a": [1], "b": []])
    }
}
