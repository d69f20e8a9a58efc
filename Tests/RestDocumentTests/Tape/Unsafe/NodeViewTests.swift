// SPDX-License-Identifier: Apache-2.0

import RestDocument
import Testing

@Suite struct NodeViewTests {
    private func isText(_ view: NodeView, _ text: String) -> Bool {
        var text = text
        return text.withUTF8 { unsafe view.isText($0) }
    }

    @Test func iteratesWithoutVisitingNestedValues() throws {
        let document = try Document(parsing: #"{"a":[1,[2,3],{"x":4}],"b":{},"c":"d"}"#)
        document.withView { root in
            #expect(root.isObject)
            #expect(root.count == 3)
            #expect(root.members.map { $0.key.string() } == ["a", "b", "c"])
            #expect(root.members.map { $0.value.kind } == [.array, .object, .string])
            let list = root.at(2)
            #expect(list.isArray)
            #expect(list.elements.map(\.count) == [0, 2, 1])
            #expect(list.elements.map(\.nextIndex) == [4, 7, 10])
            #expect(list.contentEnd == 10)
            // Other values contain nothing.
            #expect(list.members.map(\.key.index) == [])
            #expect(root.elements.map(\.index) == [])
            #expect(list.at(3).elements.map(\.index) == [])
            #expect(list.at(3).nextIndex == 4)
            #expect(list.member("a") == nil)
        }
    }

    @Test(
        arguments: [
            ("", #""""#), ("a", #""a""#), ("a", #""\u0061""#), ("12345678", #""12345678""#),
            ("123456789abcdefgh", #""123456789abcdefgh""#), ("é\n\u{1F600}", #""é\n\ud83d\ude00""#),
            ("a/b", #""a\/b""#), ("\u{0}", #""\u0000""#),
        ])
    func comparesUnescapedText(_ text: String, _ json: String) throws {
        try Document(parsing: json).withView { view in
            #expect(isText(view, text))
            #expect(!isText(view, text + "x"))
            #expect(!isText(view, "x" + text.dropFirst() + "y"))
            if let last = text.utf8.last, last < 0x80 {
                #expect(!isText(view, text.dropLast() + "\u{1}"))
            }
        }
    }

    @Test func onlyStringsAreText() throws {
        let document = try Document(parsing: #"[1,null,true,[],{}]"#)
        document.withView { root in
            for element in root.elements {
                #expect(!isText(element, ""))
                #expect(element.string() == nil)
            }
            #expect(root.elements.map(\.numberText) == ["1", nil, nil, nil, nil])
            #expect(root.elements.map(\.isNull) == [false, true, false, false, false])
            #expect(root.elements.map(\.bool) == [nil, nil, true, nil, nil])
            #expect(root.elements.map(\.isTrue) == [false, false, true, false, false])
            #expect(root.elements.map(\.isFalse) == [false, false, false, false, false])
            #expect(root.elements.map(\.double) == [1, nil, nil, nil, nil])
        }
    }

    @Test func keepsNumberTextOfAnyLength() throws {
        for length in [65_534, 65_535, 65_536, 70_000] {
            let number = String(repeating: "1", count: length)
            let root = try Document(parsing: "[\(number),2]").root
            #expect(root[0]?.numberText == number)
            #expect(root[1]?.numberText == "2")
        }
    }
}
