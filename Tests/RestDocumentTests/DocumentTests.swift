// SPDX-License-Identifier: Apache-2.0

import RestDocument
import Testing

@Suite struct DocumentTests {
    @Test func readsEveryKindOfValue() throws {
        let document = try Document(
            parsing: #"""
                {"null": null, "yes": true, "no": false, "whole": -42, "large": 18446744073709551615,
                 "real": 1.5e3, "huge": 1e400, "text": "plain", "escaped": "a\n\u00e9\ud83d\ude00\"",
                 "list": [1, [], {}, "x"], "": {"deep": [[0]]}}
                """#)
        let root = document.root
        #expect(root.kind == .object)
        #expect(root.count == 11)
        #expect(root["null"]?.isNull == true)
        #expect(root["yes"]?.bool == true)
        #expect(root["no"]?.bool == false)
        #expect(root["whole"]?.int64 == -42)
        #expect(root["whole"]?.uint64 == nil)
        #expect(root["large"]?.uint64 == .max)
        #expect(root["large"]?.int64 == nil)
        #expect(root["real"]?.double == 1500)
        #expect(root["real"]?.int64 == 1500)
        #expect(root["real"]?.numberText == "1.5e3")
        #expect(root["huge"]?.double == nil)
        #expect(root["huge"]?.numberText == "1e400")
        #expect(root["text"]?.string == "plain")
        #expect(root["escaped"]?.string == "a\n\u{e9}\u{1F600}\"")
        #expect(root["list"]?.count == 4)
        #expect(root["list"]?[3]?.string == "x")
        #expect(root["list"]?[4] == nil)
        #expect(root[""]?["deep"]?[0]?[0]?.int64 == 0)
        #expect(root["absent"] == nil)
        #expect(root["list"]?.elements.map(\.kind) == [.number, .array, .object, .string])
        #expect(root.members.map(\.key).suffix(2) == ["list", ""])
    }

    @Test func usesLastValueOfRepeatedKey() throws {
        let document = try Document(parsing: #"{"a": 1, "b": 2, "\u0061": 3}"#)
        #expect(document.root["a"]?.int64 == 3)
        #expect(document.root.count == 3)
    }
}
