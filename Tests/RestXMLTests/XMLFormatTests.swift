// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestXML
import TestSupport
import Testing

@Suite struct XMLFormatTests {
    private func json(_ xml: String, _ format: XMLFormat = XMLFormat()) throws -> String {
        JSONWriter.compact.text(of: try format.read(Array(xml.utf8)))
    }

    @Test(arguments: [
        ("<a>x</a>", #"{"a":"x"}"#),
        ("<a/>", #"{"a":""}"#),
        ("<a></a >\n", #"{"a":""}"#),
        ("<a> x\n</a>", #"{"a":" x\n"}"#),
        (#"<a b="1"/>"#, #"{"a":{"b":"1"}}"#),
        (#"<a b=""> </a>"#, #"{"a":{"b":""}}"#),
        (#"<a z="1" b='2' _="3">x</a>"#, #"{"a":{"_":"3","b":"2","z":"1","text":"x"}}"#),
        ("<a><b>1</b><c/></a>", #"{"a":{"b":"1","c":""}}"#),
        ("<a>\n <b>1</b>\n <b>2</b>\n</a>", #"{"a":{"b":["1","2"]}}"#),
        ("<a><b>1</b><c>x</c><b>2</b></a>", #"{"a":{"b":["1","2"],"c":"x"}}"#),
        (
            "<a><b>1</b><c>1</c><d/><c>2</c><b>2</b><c>3</c><b>3</b></a>",
            #"{"a":{"b":["1","2","3"],"c":["1","2","3"],"d":""}}"#
        ),
        (#"<a b="0"><b>1</b></a>"#, #"{"a":{"b":["0","1"]}}"#),
        (#"<a text="0">x</a>"#, #"{"a":{"text":["0","x"]}}"#),
        (
            "<a><b><b>1</b><b>2</b></b><b><c>3</c></b><c>4</c></a>",
            #"{"a":{"b":[{"b":["1","2"]},{"c":"3"}],"c":"4"}}"#
        ),
        ("<a>x<b/>y</a>", #"{"a":{"b":"","text":"xy"}}"#),
        ("<a>x<!-- c -->y<?p?>z</a>", #"{"a":"xyz"}"#),
        ("<a><![CDATA[<b>&amp;]]>]]<!-- -->&gt;</a>", #"{"a":"<b>&amp;]]>"}"#),
        ("<a><![CDATA[]]></a>", #"{"a":""}"#),
        ("<a>1 &lt; 2 &amp;&#x20;&#233;&#13;</a>", #"{"a":"1 < 2 & é\r"}"#),
        (
            "<a b='1\r\n2\t&#10;'>1\r\n2\r3<![CDATA[\r]]></a>",
            #"{"a":{"b":"1 2 \n","text":"1\n2\n3\n"}}"#
        ),
        (
            #"<?xml version="1.0" encoding="utf-8" standalone='yes' ?><!-- a --><?b c?><a>x</a><?d?>"#,
            #"{"a":"x"}"#
        ),
        ("<?xml version='1.1'?>\n<a>x</a>", #"{"a":"x"}"#),
        ("<?xml-stylesheet href='x'?><a>x</a>", #"{"a":"x"}"#),
        (
            #"<a xmlns:n="n"><n:b n:c="1" xml:space="other">x</n:b></a>"#,
            #"{"a":{"xmlns:n":"n","n:b":{"n:c":"1","xml:space":"other","text":"x"}}}"#
        ),
        (#"<a b="&amp;&#38;&amp;amp;" c='&quot;&lt;'/>"#, #"{"a":{"b":"&&&amp;","c":"\"<"}}"#),
        (#"<a xmlns="?>" xmlns:n=" "/>"#, #"{"a":{"xmlns":"?>","xmlns:n":" "}}"#),
        (
            #"<a xmlns:xml="http://www.w3.org/XML/1998/namespace" xml:lang="de"/>"#,
            #"{"a":{"xml:lang":"de"}}"#
        ),
        ("<é>ü</é>", #"{"é":"ü"}"#),
        ("<a>\u{1F600}]]</a>", "{\"a\":\"\u{1F600}]]\"}"),
        (
            #"<feed count="2"><entry id="1">News</entry><entry/></feed>"#,
            #"{"feed":{"count":"2","entry":[{"id":"1","text":"News"},""]}}"#
        ),
    ])
    func readsDocuments(xml: String, expected: String) throws {
        #expect(try json(xml) == expected)
    }

    @Test func appliesPrefixKeyAndArrayNames() throws {
        let format = XMLFormat(
            attributePrefix: "@", textKey: "#", arrayNames: ["b", "a", "@c", "#"])
        #expect(
            try json(#"<a b="0" c="1">x<b>1</b></a>"#, format)
                == ##"{"a":[{"@b":"0","@c":["1"],"b":["1"],"#":["x"]}]}"##)
        #expect(
            try json("<a><b/><c/><b>1</b></a>", format) == #"{"a":[{"b":["","1"],"c":""}]}"#)
    }

    @Test func distinguishesCanonicallyEquivalentNames() throws {
        let text = try json("<a><\u{E9}>1</\u{E9}><e\u{301}>2</e\u{301}></a>")
        #expect(Array(text.utf8) == Array("{\"a\":{\"\u{E9}\":\"1\",\"e\u{301}\":\"2\"}}".utf8))
        let attributes = try json("<a \u{E9}='1' e\u{301}='2'/>")
        #expect(
            Array(attributes.utf8) == Array("{\"a\":{\"e\u{301}\":\"2\",\"\u{E9}\":\"1\"}}".utf8))
    }

    /// libxml2 accepts ten million bytes only in pieces.
    @Test func readsLongTextCompletely() throws {
        let count = 20_000
        let xml = (0..<count).map { "<b c='\($0)'>é\($0)</b>\r\n" }.joined()
        let long = String(repeating: "é", count: 5_000_000)
        let document = try XMLFormat().read(Array("<a>\r\n\(xml)\(long)</a>".utf8))
        let list = try #require(document.root["a"]?["b"])
        #expect(list.count == count)
        let elements = Array(list.elements)
        #expect(elements.enumerated().allSatisfy { $1["text"]?.string == "é\($0)" })
        #expect(elements.enumerated().allSatisfy { $1["c"]?.string == "\($0)" })
        let text = try #require(document.root["a"]?["text"]?.string)
        #expect(text.utf8.elementsEqual((String(repeating: "\n", count: count + 1) + long).utf8))
    }

    @Test func isRegisteredForXMLTypes() throws {
        var formats = FormatRegistry.standard
        formats.registerXML()
        for type in [
            "application/xml", "text/xml; charset=utf-8", "application/atom+xml", "image/svg+xml",
        ] {
            let type = try #require(MediaType(parsing: type))
            #expect(try formats.read(Array("<a>x</a>".utf8), as: type).root["a"]?.string == "x")
        }
        #expect(try formats.read(Array(#"{"a":1}"#.utf8), as: .json).root["a"]?.int64 == 1)
        #expect(formats.accepted == ["application/xml", "application/json"])
        #expect(formats.format(for: "text/html") == nil)
        formats.unregister(XMLFormat.self)
        #expect(formats.format(for: "application/xml") == nil)
    }

    @Test func rejectsWriting() throws {
        let error = #expect(throws: DocumentError.self) {
            try XMLFormat().write(["a": 1])
        }
        #expect(error?.code == .unwritableValue)
    }

    @Test(.tags(.concurrency))
    func readsOnSeveralThreads() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask {
                    let xml = String(repeating: "<b>\(number)</b>", count: 200)
                    let document = try XMLFormat().read(Array("<a>\(xml)</a>".utf8))
                    let elements = try #require(document.root["a"]?["b"]).elements
                    #expect(elements.allSatisfy { $0.string == "\(number)" })
                    #expect(throws: DocumentError.self) {
                        try XMLFormat().read(Array("<a>\(xml)&c;</a>".utf8))
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
