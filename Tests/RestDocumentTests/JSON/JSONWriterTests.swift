// SPDX-License-Identifier: Apache-2.0

import RestDocument
import Testing

@Suite struct JSONWriterTests {
    @Test(
        arguments: [
            "null", "true", "false", "0", "-0", "1.0", "1.50e+10", "1E400", "123456789012345678901",
            #""""#, #""text""#, #""\u0041\/\n""#, "[]", "{}", "[[]]", "[{}]", #"{"a":{}}"#,
            #"{"b":1,"a":[1,[2,[]],{"c":{}}],"":null}"#, #"[1,"two",true,null,{"k":[[],[]]}]"#,
            #"{"a":1,"a":2}"#,
        ])
    func roundTripsCompactInput(_ text: String) throws {
        let document = try Document(parsing: text)
        #expect(JSONWriter.compact.text(of: document) == text)
        let spaced = try Document(parsing: JSONWriter.pretty.bytes(of: document))
        #expect(JSONWriter.compact.text(of: spaced) == text)
    }

    @Test(arguments: [0, 1, 15, 16, 17, 63, 64, 65, 1000])
    func copiesStringsOfEveryLength(_ length: Int) throws {
        let text =
            "[\"\(String(repeating: "x", count: length))\",\(String(repeating: "7", count: length + 1))]"
        #expect(JSONWriter.compact.text(of: try Document(parsing: text)) == text)
        let number = String(repeating: "7", count: 70_000 + length)
        #expect(
            JSONWriter.compact.text(of: try Document(parsing: "[\(number), 1]")) == "[\(number),1]")
    }

    @Test func writesEveryValueAsDocument() throws {
        let root = try Document(parsing: #" { "a" : [ 1 , "x" ] , "b" : { } , "c": "\n" } "#).root
        #expect(root["a"]?.debugDescription == #"[1,"x"]"#)
        #expect(root["a"]?[0]?.debugDescription == "1")
        #expect(root["a"]?[1]?.debugDescription == #""x""#)
        #expect(root["b"]?.debugDescription == "{}")
        #expect(root["c"]?.debugDescription == #""\n""#)
        #expect(root.debugDescription == #"{"a":[1,"x"],"b":{},"c":"\n"}"#)
    }

    @Test func indents() throws {
        let document = try Document(parsing: #"{"b":[1,{"c":[]}],"a":{}}"#)
        #expect(
            JSONWriter.pretty.text(of: document) == """
                {
                  "b": [
                    1,
                    {
                      "c": []
                    }
                  ],
                  "a": {}
                }
                """)
        let flat = JSONWriter(layout: .pretty(indentation: 0), sortsKeys: true)
        #expect(flat.text(of: document) == "{\n\"a\": {},\n\"b\": [\n1,\n{\n\"c\": []\n}\n]\n}")
    }

    @Test func sortsKeys() throws {
        let text = #"{"b":{"z":1,"\u0061":[{"d":1,"c":2}]},"é":0,"aa":1,"a":2,"B":3,"":4}"#
        #expect(
            JSONWriter(sortsKeys: true).text(of: try Document(parsing: text))
                == #"{"":4,"B":3,"a":2,"aa":1,"b":{"\u0061":[{"c":2,"d":1}],"z":1},"é":0}"#)
    }
}
