// SPDX-License-Identifier: Apache-2.0

import RestDocument
import Testing

@Suite struct ElementReaderTests {
    /// A text with the framing and the values of its elements.
    struct Case: Sendable, CustomTestStringConvertible {
        let text: String
        let framing: DocumentFraming
        let elements: [String]

        init(_ text: String, _ framing: DocumentFraming, _ elements: [String]) {
            self.text = text
            self.framing = framing
            self.elements = elements
        }

        init(_ text: String, _ elements: [String]) { self.init(text, .elements, elements) }

        var testDescription: String { text }
    }

    static let cases = [
        Case("[]", []),
        Case(" \n[ \t ] \r\n ", []),
        Case("[1]", ["1"]),
        Case(
            "[0,-0,1.5e-7,12345678901234567890123,true,false,null,\"\",\"a\\\"\",[],{}]",
            [
                "0", "-0", "1.5e-7", "12345678901234567890123", "true", "false", "null", "\"\"",
                "\"a\\\"\"", "[]", "{}",
            ]),
        Case(
            "\n[\n {\"a\" : [ 1 , \"]}\" ] } \n,\r\n 12 \t, \"\\\\\" ]\n",
            [#"{"a":[1,"]}"]}"#, "12", #""\\""#]),
        Case(#"{"items":[]}"#, .elements(at: "items"), []),
        Case(
            #"{ "skipped" : { "items" : [ 9 , {} ] , "x" : "}" } , "items" : [ 1 , 2 ] , "z" : [ ] }"#,
            .elements(at: "items"), ["1", "2"]),
        Case(#"{"it\u0065ms":[7]}"#, .elements(at: "items"), ["7"]),
        Case(#"{"a":{"b":[1]},"b":[2]}"#, .elements(at: "b"), ["2"]),
        Case(#"{"a":{"b":[1]},"c":{"b":[2],"b2":[3]}}"#, .elements(at: "c.b"), ["2"]),
        Case(#"[[1],{"a":[2,[3]]},[4]]"#, .elements(at: "[1].a"), ["2", "[3]"]),
        Case("[[0],[[1,2],[3]],[4]]", .elements(at: "[1][0]"), ["1", "2"]),
        Case(#"{"":{".":[true]}}"#, .elements(at: #"[""].\."#), ["true"]),
        Case(
            #"{"a":1,"a":2,"items":[{"k":1,"k":2}],"a":3}"#, .elements(at: "items"),
            [#"{"k":1,"k":2}"#]),
        Case("", .lines, []),
        Case(" \n\r\n\t", .lines, []),
        Case("1\n", .lines, ["1"]),
        Case("12", .lines, ["12"]),
        Case(
            "{\"a\":1}\n[2]\r\n\n  \n\"x\"  \r\n\tnull", .lines,
            [#"{"a":1}"#, "[2]", #""x""#, "null"]),
    ]

    @Test(arguments: cases)
    func readsElementsOfAnyChunkSize(_ item: Case) throws {
        for cut in 1...max(item.text.utf8.count, 1) {
            let streamed = StreamedText(item.text, cut: cut, item.framing)
            #expect(streamed.error == nil)
            #expect(streamed.texts == item.elements)
        }
    }

    @Test func returnsElementAtItsLastByte() throws {
        var reader = ElementReader(.elements(at: "a"))
        var handedOut: [Int: String] = [:]
        let text = #"{"a":[{"b":1}, "x" ,[ ],12,true]}"#
        for (offset, byte) in text.utf8.enumerated() {
            reader.append([byte])
            while let document = try reader.next() {
                handedOut[offset] = JSONWriter.compact.text(of: document)
            }
        }
        // A number or literal is complete only with the byte after it.
        #expect(handedOut == [12: #"{"b":1}"#, 17: #""x""#, 22: "[]", 26: "12", 31: "true"])
        reader.finish()
        let last = try reader.next()
        #expect(last == nil)
    }

    @Test func returnsElementsIndependentOfStream() throws {
        let text = #"  [ {"a":1} , {"b":[2]} ]"#
        let documents = StreamedText(text).documents
        #expect(documents.map(\.storage.byteCount) == [7, 9])
        #expect(documents.map(\.storage.nodeCount) == [3, 4])
        #expect(documents[1].root["b"]?[0]?.path == "b[0]")
    }

    @Test func reportsIssueOffsetsFromElement() {
        let streamed = StreamedText(#"[1,{"a":1,"b":{"c":1,"c":2}}]"#, cut: 3)
        #expect(streamed.documents[1].issues.map(\.path) == ["b.c"])
        #expect(streamed.documents[1].issues.map(\.offset) == [18])
    }

    @Test func rethrowsFirstError() throws {
        var reader = ElementReader()
        reader.append("[1,x".utf8)
        let first = try reader.next()
        #expect(first?.root.int64 == 1)
        var errors: [DocumentError] = []
        for _ in 0..<2 {
            do {
                _ = try reader.next()
            } catch {
                errors.append(error)
            }
            reader.append("2]".utf8)
            reader.finish()
        }
        #expect(errors.count == 2)
        #expect(errors.first == errors.last)
        #expect(errors.first?.offset == 3)
    }

    @Test func acceptsAnySequenceOfBytes() throws {
        var reader = ElementReader()
        reader.append("[1".utf8)
        reader.append(EmptyCollection())
        reader.append(AnySequence([UInt8(ascii: "0"), UInt8(ascii: ",")]))
        reader.append(ContiguousArray("2,3]".utf8).dropFirst(0))
        reader.finish()
        var numbers: [Int64?] = []
        while let document = try reader.next() { numbers.append(document.root.int64) }
        #expect(numbers == [10, 2, 3])
    }
}
