// SPDX-License-Identifier: Apache-2.0

import RestDocument
import Testing

@Suite struct DocumentLiteralsTests {
    @Test func createsDocumentsFromLiterals() {
        let document: Document = ["id": 42, "x": -1.5, "tags": ["new", nil, true], "of": [:]]
        #expect(
            document.root.debugDescription
                == #"{"id":42,"x":-1.5,"tags":["new",null,true],"of":{}}"#)
    }

    @Test func createsDocumentsFromValues() throws {
        let (name, count, isNew, share) = ("Ann \"A\"", UInt64.max, false, 0.5)
        let document: Document = [
            "name": .string(name), "title": "by \(name), \(1)", "count": .number(count),
            "small": .number(Int8(-3)), "isNew": .bool(isNew), "share": try .number(share),
            "list": .array([1, 2].map { .number($0) }), "none": .null,
            "map": .object(["k": 1].map { ($0.key, .number($0.value)) }),
        ]
        let expected =
            #"{"name":"Ann \"A\"","title":"by Ann \"A\", 1","count":18446744073709551615,"#
            + #""small":-3,"isNew":false,"share":0.5,"list":[1,2],"none":null,"map":{"k":1}}"#
        #expect(document.root.debugDescription == expected)
        #expect(try Document(parsing: expected).root == document.root)
    }

    @Test(arguments: [Double.infinity, -.infinity, .nan])
    func rejectsNonfiniteNumbers(value: Double) {
        let error = #expect(throws: DocumentError.self) { try Document.number(value) }
        #expect(error?.code == .invalidNumber)
    }
}
