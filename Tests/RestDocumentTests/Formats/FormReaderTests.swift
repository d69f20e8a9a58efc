// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import TestSupport
import Testing

@Suite(.tags(.specification)) struct FormReaderTests {
    private let form = FormFormat()

    @Test(.parity("N168")) func readsQueryOfPath() throws {
        let path = "/views/thing/?keyA=valA&keyB=valB"
        #expect(try json(form.read(queryOf: path)) == #"{"keyA":"valA","keyB":"valB"}"#)
    }

    @Test(arguments: [
        ("http://a/b", "{}"), ("?", "{}"), ("", "{}"), ("a?b=1#c?d=2", #"{"b":"1"}"#),
        ("a#b?c=1", "{}"), ("a?b?=c?", #"{"b?":"c?"}"#), ("?ü=é", #"{"ü":"é"}"#),
    ])
    func findsQuery(url: String, expected: String) throws {
        #expect(try json(form.read(queryOf: url)) == expected)
    }

    @Test(.parity("N169")) func readsPairs() throws {
        #expect(
            try json(form.read("this=that&keyA=valueB")) == #"{"this":"that","keyA":"valueB"}"#)
    }

    @Test(.parity("N170")) func groupsRepeatedNamesIntoArrays() throws {
        #expect(
            try json(form.read("this=that&this=theOther")) == #"{"this":["that","theOther"]}"#)
    }

    @Test(.parity("N171")) func decodesNamesWithoutInterpretingBrackets() throws {
        let text =
            "data=this%20is%20long&uri=%2Fapi%2Fv1%2Fdevices%2F60%2F&apns_token="
            + "&organizations%5B%5D=%2Fapi%2Fv1%2Forganizations%2F1%2F"
            + "&organizations%5B%5D=%2Fapi%2Fv1%2Forganizations%2F2%2F"
        let root = try form.read(text).root
        #expect(root.members.map(\.key) == ["data", "uri", "apns_token", "organizations[]"])
        #expect(root["data"]?.string == "this is long")
        #expect(root["uri"]?.string == "/api/v1/devices/60/")
        #expect(root["apns_token"]?.string?.isEmpty == true)
        #expect(
            root["organizations[]"]?.elements.map(\.string)
                == ["/api/v1/organizations/1/", "/api/v1/organizations/2/"])
    }

    @Test(
        arguments: [
            ("", "{}"), ("&&", "{}"), ("a", #"{"a":null}"#), ("=", #"{"":""}"#),
            ("a=1&a&a=", #"{"a":["1",null,""]}"#), ("a=b=c", #"{"a":"b=c"}"#),
            ("a+b=c+d%2Be", #"{"a b":"c d+e"}"#), ("a;b=c;d", #"{"a;b":"c;d"}"#),
            ("a=%", #"{"a":"%"}"#), ("a=%4", #"{"a":"%4"}"#), ("a=%zz%41", #"{"a":"%zzA"}"#),
            ("a=%%41%", #"{"a":"%A%"}"#), ("a=%26%3d%25&b", #"{"a":"&=%","b":null}"#),
            ("%26=1&&%3D=2&", #"{"&":"1","=":"2"}"#), ("b=1&a=2&b=3", #"{"b":["1","3"],"a":"2"}"#),
            ("a[b][]=1", #"{"a[b][]":"1"}"#), ("a=%00%0a\"", "{\"a\":\"\\u0000\\n\\\"\"}"),
            ("a=%C3%A9&a=é", #"{"a":["é","é"]}"#), ("a=\u{FEFF}", "{\"a\":\"\u{FEFF}\"}"),
        ])
    func matchesBrowsers(text: String, expected: String) throws {
        #expect(try json(form.read(text)) == expected)
    }

    @Test func comparesNamesByBytes() throws {
        let root = try form.read("e%CC%81=1&%C3%A9=2").root
        #expect(root.count == 2)
    }

    @Test(arguments: [
        ("a=%FF", 2, "a"), ("a=xé%41%C3", 8, "a"), ("b=1&%e2%82=2", 4, ""),
        ("a=%C3+%A9", 2, "a"), ("a=+%41%ED%A0%80", 6, "a"), ("a=%E2%82%ACx%F4%90%80%80", 12, "a"),
        ("a=1\n&b=\n%80", 8, "b"),
    ])
    func rejectsInvalidUTF8WithOffset(text: String, offset: Int, path: String) throws {
        let error = try #require(throws: DocumentError.self) { try form.read(text) }
        #expect(error.code == .invalidUTF8)
        #expect(error.offset == offset)
        #expect(error.path.description == path)
        let before = Array(text.utf8.prefix(offset))
        #expect(error.line == 1 + before.count { $0 == 0x0A })
        #expect(error.column == before.reversed().prefix { $0 != 0x0A }.count + 1)
    }

    @Test(arguments: [
        ("byteCount", 11, "a=%411&a=b&"), ("depth", 2, "a=1&a=2"), ("depth", 1, "a=1"),
        ("stringByteCount", 4, "a=%411&b=1"), ("stringByteCount", 4, "abcd=1"),
        ("memberCount", 3, "a=1&b=2&a=3&&"), ("nodeCount", 7, "a=1&a=2&b=3"),
    ])
    func enforcesLimits(limit: String, value: Int, text: String) throws {
        for (value, isRefused) in [(value, false), (value - 1, true)] {
            var limits = ParseLimits()
            switch limit {
            case "byteCount": limits.byteCount = value
            case "depth": limits.depth = value
            case "stringByteCount": limits.stringByteCount = value
            case "memberCount": limits.memberCount = value
            default: limits.nodeCount = value
            }
            if isRefused {
                let error = #expect(throws: DocumentError.self) {
                    try form.read(text, limits: limits)
                }
                #expect(error?.code == .limitExceeded)
                #expect(error?.expected.hasPrefix("at most \(value) ") == true)
            } else {
                _ = try form.read(text, limits: limits)
            }
        }
    }

    @Test(.enabled(if: SharedFiles.isAvailable, "shared corpus not found"))
    func preservesNaughtyStrings() throws {
        let list = try Document(parsing: SharedFiles.data("suites/naughty-strings/blns.json"))
        let texts = list.root.elements.compactMap(\.string)
        #expect(texts.count > 500)
        for text in texts {
            let document: Document = .object([(text, .string(text)), ("other", .string(text))])
            let read = try form.read(form.write(document))
            let values = read.root.members.flatMap { [$0.key, $0.value.string] }
            #expect(
                Set(values.map { Array(($0 ?? "").utf8) })
                    == Set([text, "other"].map { Array($0.utf8) }))
            #expect(read.root.count == 2)
        }
        let names = try form.read(form.write(.object(texts.map { ($0, .string($0)) })))
        let distinct = Set(texts.map { Array($0.utf8) })
        #expect(names.root.count == distinct.count)
        for (name, value) in names.root.members {
            #expect(value.string.map { Array($0.utf8) } == Array(name.utf8))
        }
    }

    @Test(
        .enabled(if: SharedFiles.isAvailable, "shared corpus not found"),
        arguments: TextSuiteTests.cases)
    func readsOnlyWellFormedText(_ item: TextSuiteTests.Case) throws {
        // Unescaped where a form allows it, and escaped.
        let plain = item.bytes.filter { !"%&=+".utf8.contains($0) }
        let escaped = item.bytes.flatMap { byte in
            Array((byte < 16 ? "%0" : "%").utf8) + Array(String(byte, radix: 16).utf8)
        }
        for (bytes, written, width) in [(plain, plain, 1), (item.bytes, escaped, 3)] {
            for lead in ["", "a=", "x=1&y", "+%41"] {
                let body = Array(lead.utf8) + written
                if item.isValid {
                    let member = try #require(try form.read(body).root.members.map { $0 }.last)
                    let text = member.value.string ?? member.key
                    #expect(text.utf8.suffix(bytes.count).elementsEqual(bytes))
                } else {
                    let error = #expect(throws: DocumentError.self) { try form.read(body) }
                    #expect(error?.code == .invalidUTF8)
                    let valid = (0...bytes.count).last {
                        String(validating: bytes.prefix($0), as: UTF8.self) != nil
                    }
                    #expect(error?.offset == lead.utf8.count + (valid ?? 0) * width)
                }
            }
        }
    }

    @Test func readsAnyBytes() {
        var state: UInt64 = 11
        for round in 0..<20_000 {
            let bytes = (0..<(round % 40)).map { _ -> UInt8 in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                let byte = UInt8(truncatingIfNeeded: state >> 56)
                return byte < 128 ? Array("%%&=+;[]aF09".utf8)[Int(byte) % 12] : byte
            }
            do {
                let document = try form.read(bytes)
                #expect(document.root.members.allSatisfy { $0.value.count != 1 })
            } catch {
                #expect(error.code == .invalidUTF8 && error.offset < bytes.count)
            }
        }
    }

    /// Names and values of every byte, written by the writer, and read by the reader and Foundation.
    @Test(.threat("T32")) func matchesFoundation() throws {
        let scalars = (0..<0x180).compactMap { Unicode.Scalar($0) }.filter {
            $0 != "[" && $0 != "]"
        }
        let texts =
            scalars.map { "a\($0)b" } + ["+", "&", "=", ";", "%", "%41", "a=b&c;d+e f", "😀"]
        let document: Document = .object(texts.map { ($0, .string($0)) })
        let text = try form.text(of: document)
        #expect(text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "+") })
        let members = try form.read(text).root.members.map { [$0.key, $0.value.string ?? ""] }
        var components = URLComponents()
        components.percentEncodedQuery = text
        let items = try #require(components.queryItems).map { [$0.name, $0.value ?? ""] }
        let expected = Set(texts.map { [$0, $0] })
        #expect(Set(members) == expected && members.count == texts.count)
        #expect(Set(items) == expected && items.count == texts.count)
        // Forms as browsers write them, with nested names of limited depth.
        #expect(try json(form.read("a+b=%2B&c;d=1%262")) == #"{"a b":"+","c;d":"1&2"}"#)
        let deep = try Document(
            parsing: #"{"a":"# + String(repeating: "[", count: 40)
                + String(repeating: "]", count: 40) + "}")
        let error = #expect(throws: DocumentError.self) { try form.write(deep) }
        #expect(error?.code == .limitExceeded)
        #expect(error?.path.components.count == 32)
    }

    /// `scripts/instructions` counts the instructions for each pair.
    @Test func preservesOrderOfManyPairs() throws {
        let count = 50_000
        let values = (0..<count).map { "\($0)" }
        let one = try form.read(values.map { "a=\($0)" }.joined(separator: "&"))
        #expect(one.root["a"]?.elements.map(\.string) == values)
        let many = try form.read(values.map { "n\($0)=\($0)" }.joined(separator: "&"))
        #expect(many.root.members.map(\.key) == values.map { "n\($0)" })
        #expect(many.root.members.map(\.value.string) == values)
        let seven = try form.read(values.indices.map { "n\($0 % 7)=\($0)" }.joined(separator: "&"))
        #expect(seven.root.count == 7)
        for (remainder, member) in seven.root.members.enumerated() {
            let expected = values.indices.filter { $0 % 7 == remainder }.map { values[$0] }
            #expect(member.value.elements.map(\.string) == expected)
        }
    }

    private func json(_ document: Document) -> String { JSONWriter.compact.text(of: document.root) }
}
