// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestXML
import Testing

@Suite struct XMLFormatTests {
    private func json(_ xml: String, _ format: XMLFormat = XMLFormat()) throws -> String {
        let document = try format.read(Array(xml.utf8), limits: .default)
        return JSONWriter.compact.text(of: document)
    }

    @Test(arguments: [
        ("<a>x</a>", #"{"a":"x"}"#),
        ("<a/>", #"{"a":""}"#),
        ("<a> x\n</a>", #"{"a":" x\n"}"#),
        (#"<a b="1"/>"#, #"{"a":{"b":"1"}}"#),
        (#"<a z="1" b='2'>x</a>"#, #"{"a":{"b":"2","z":"1","text":"x"}}"#),
        ("<a><b>1</b><c/></a>", #"{"a":{"b":"1","c":""}}"#),
        ("<a>\n <b>1</b>\n <b>2</b>\n</a>", #"{"a":{"b":["1","2"]}}"#),
        ("<a><b>1</b><c>x</c><b>2</b></a>", #"{"a":{"b":["1","2"],"c":"x"}}"#),
        (#"<a b="0"><b>1</b></a>"#, #"{"a":{"b":["0","1"]}}"#),
        ("<a>x<b/>y</a>", #"{"a":{"b":"","text":"xy"}}"#),
        ("<a><![CDATA[<b>&amp;]]></a>", #"{"a":"<b>&amp;"}"#),
        ("<a>1 &lt; 2 &amp;&#x20;&#233;</a>", #"{"a":"1 < 2 & é"}"#),
        (
            #"<?xml version="1.0" encoding="utf-8"?><!-- a --><?b c?><a>x<!-- d --></a>"#,
            #"{"a":"x"}"#
        ),
        (
            #"<a xmlns:n="urn:n"><n:b n:c="1">x</n:b></a>"#,
            #"{"a":{"xmlns:n":"urn:n","n:b":{"n:c":"1","text":"x"}}}"#
        ),
        ("\u{FEFF}<a>x</a>", #"{"a":"x"}"#),
        ("<é>ü</é>", #"{"é":"ü"}"#),
        (
            #"<feed count="2"><entry id="1">News</entry><entry/></feed>"#,
            #"{"feed":{"count":"2","entry":[{"id":"1","text":"News"},""]}}"#
        ),
    ])
    func makesADocument(xml: String, expected: String) throws {
        #expect(try json(xml) == expected)
    }

    @Test func namesThingsAsItIsTold() throws {
        let format = XMLFormat(attributePrefix: "@", textKey: "#", arrayNames: ["b", "a"])
        #expect(
            try json(#"<a b="0">x<b>1</b></a>"#, format) == #"{"a":[{"@b":"0","b":["1"],"#
                + ##""#":"x"}]}"##)
    }

    @Test func keepsNamesApartThatUnicodeHoldsForEqual() throws {
        let text = try json("<a><\u{E9}>1</\u{E9}><e\u{301}>2</e\u{301}></a>")
        #expect(Array(text.utf8) == Array("{\"a\":{\"\u{E9}\":\"1\",\"e\u{301}\":\"2\"}}".utf8))
    }

    @Test func readsLatin1() throws {
        let head = #"<?xml version="1.0" encoding="ISO-8859-1"?><a>"#
        let bytes = Array(head.utf8) + [0xE9] + Array("</a>".utf8)
        #expect(try XMLFormat().read(bytes, limits: .default).root["a"]?.string == "é")
    }

    @Test func keepsEveryElementOfALongList() throws {
        let count = 20_000
        let xml = "<a>" + (0..<count).map { "<b>\($0)</b>" }.joined() + "</a>"
        let document = try XMLFormat().read(Array(xml.utf8), limits: .default)
        let texts = document.root["a"]?["b"]?.elements.map { $0.string }
        #expect(texts == (0..<count).map { "\($0)" })
    }

    @Test func isRegisteredForItsTypes() throws {
        var formats = FormatRegistry.standard
        formats.registerXML()
        for type in ["application/xml", "text/xml; charset=utf-8", "application/atom+xml"] {
            let type = try #require(MediaType(parsing: type))
            #expect(try formats.read(Array("<a>x</a>".utf8), as: type).root["a"]?.string == "x")
        }
        #expect(try formats.read(Array(#"{"a":1}"#.utf8), as: .json).root["a"]?.int64 == 1)
        #expect(formats.accepted.contains("application/xml"))
    }

    @Test func cannotBeWritten() throws {
        let error = #expect(throws: DocumentError.self) {
            try XMLFormat().write(["a": 1])
        }
        #expect(error?.code == .unwritableValue)
    }
}
