// SPDX-License-Identifier: Apache-2.0

import RestDocument
import Testing

@Suite struct DocumentBuilderTests {
    @Test func buildsSameTapeAsParser() throws {
        var builder = DocumentBuilder()
        builder.beginObject()
        builder.key("id")
        builder.number(42)
        builder.key("quote\"and\\tab\t")
        builder.string("line\nbreak\u{0}\u{1F}é\u{1F600}/\u{7F} and some text that is longer")
        builder.key("list")
        builder.beginArray()
        builder.null()
        builder.bool(true)
        builder.bool(false)
        try builder.number(1.5)
        try builder.number(-0.0)
        try builder.number(Double.leastNonzeroMagnitude)
        try builder.number(1e23)
        builder.number(UInt64.max)
        builder.number(Int64.min)
        builder.number(UInt8(7))
        try builder.number(text: "123456789012345678901234567890.10")
        try builder.number(text: "1e400")
        builder.value(try Document(parsing: #" { "a" : [ 1 , { } , "\u0041" ] } "#))
        builder.beginObject()
        builder.end()
        builder.beginArray()
        builder.end()
        builder.end()
        builder.key("last")
        builder.value(try Document(parsing: #"{"x":[[1,2],3]}"#).root["x"] ?? Document(false).root)
        builder.end()
        let built = builder.finish()

        let text = JSONWriter.compact.bytes(of: built)
        let parsed = try Document(parsing: text)
        #expect(built.storage.byteCount == text.count)
        #expect(built.storage.nodeCount == parsed.storage.nodeCount)
        built.withView { built in
            parsed.withView { parsed in
                for index in 0..<built.contentEnd {
                    #expect(built.at(index).tapeNode.head == parsed.at(index).tapeNode.head)
                    #expect(built.at(index).tapeNode.payload == parsed.at(index).tapeNode.payload)
                }
            }
        }
        #expect(built == parsed)
        #expect(built.root["list"]?[11]?.numberText == "1e400")
        #expect(built.root["quote\"and\\tab\t"]?.string?.hasPrefix("line\nbreak\u{0}") == true)
    }

    @Test func readsLiterals() throws {
        let document: Document = [
            "id": 42, "price": 9.5, "name": "é", "flag": true, "none": nil,
            "list": [1, [], [:], "x", -1.0],
        ]
        #expect(
            document.debugDescription
                == #"{"id":42,"price":9.5,"name":"é","flag":true,"none":null,"#
                + #""list":[1,[],{},"x",-1.0]}"#)
        #expect(document.description == "object of 6, 83 bytes")
    }

    @Test func rejectsNumbersOutsideJSON() throws {
        var builder = DocumentBuilder()
        builder.beginObject()
        builder.key("a.b")
        builder.beginArray()
        builder.number(1)
        for value in [Double.nan, .infinity, -.infinity] {
            let error = #expect(throws: DocumentError.self) { try builder.number(value) }
            #expect(error?.code == .invalidNumber)
            #expect(error?.path == #"a\.b[1]"#)
        }
        for text in ["", "01", " 1", "1 ", "true", "0x1", "NaN", "1,2", "\"1\""] {
            #expect(throws: DocumentError.self) { try builder.number(text: text) }
        }
        // A rejected value adds no node.
        builder.number(2)
        builder.end()
        builder.end()
        #expect(builder.finish().debugDescription == #"{"a.b":[1,2]}"#)
    }

    @Test func trapsOnMisplacedValues() async {
        await #expect(processExitsWith: .failure) {
            var builder = DocumentBuilder()
            builder.beginObject()
            builder.number(1)
        }
        await #expect(processExitsWith: .failure) {
            var builder = DocumentBuilder()
            builder.beginObject()
            builder.key("a")
            builder.end()
        }
        await #expect(processExitsWith: .failure) {
            var builder = DocumentBuilder()
            builder.beginArray()
            _ = builder.finish()
        }
        await #expect(processExitsWith: .failure) {
            var builder = DocumentBuilder()
            builder.null()
            builder.null()
        }
    }
}
