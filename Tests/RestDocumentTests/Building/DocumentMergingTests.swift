// SPDX-License-Identifier: Apache-2.0

import RestDocument
import TestSupport
import Testing

@Suite struct DocumentMergingTests {
    @Test(.parity("M379")) func mergesNestedObjects() {
        let first: Document = ["name": ["firstName": "Blake"]]
        let merged = first.merging(["name": ["lastName": "Watters"]])
        #expect(merged == ["name": ["firstName": "Blake", "lastName": "Watters"]])
    }

    @Test(.parity("M380")) func prefersOtherDocument() {
        let first: Document = ["name": ["firstName": "Blake", "lastName": "Unknown"], "id": 1]
        let merged = first.merging(["name": ["lastName": "Watters"]])
        #expect(merged == ["name": ["firstName": "Blake", "lastName": "Watters"], "id": 1])
    }

    @Test(.parity("M381")) func addsNewKeys() {
        let first: Document = ["name": ["firstName": "Blake"]]
        let merged = first.merging(["email": "blake@restkit.org"])
        #expect(merged == ["name": ["firstName": "Blake"], "email": "blake@restkit.org"])
    }

    @Test(.parity("M382")) func replacesValueByObject() {
        let first: Document = ["name": "Blake Watters", "id": 1]
        let merged = first.merging(["name": ["firstName": "Blake"]])
        #expect(merged == ["name": ["firstName": "Blake"], "id": 1])
    }

    @Test(.parity("M383")) func replacesObjectByValue() {
        let first: Document = ["name": ["firstName": "Blake"], "id": 1]
        #expect(first.merging(["name": "Blake Watters"]) == ["name": "Blake Watters", "id": 1])
    }

    @Test func replacesArraysAndScalars() {
        let first: Document = ["list": [1, 2]]
        #expect(first.merging(["list": [3]]) == ["list": [3]])
        #expect(first.merging([1]) == [1])
        #expect(first.merging(nil) == nil)
    }

    @Test func usesLastOfRepeatedKeys() throws {
        let first = try Document(parsing: #"{"a":1,"b":{"x":1},"a":{"k":1}}"#)
        let merged = first.merging(try Document(parsing: #"{"b":2,"a":{"l":2},"b":{"y":3}}"#))
        let expected = #"{"a":{"k":1,"l":2},"b":{"x":1,"y":3}}"#
        #expect(JSONWriter.compact.text(of: merged) == expected)
    }
}
