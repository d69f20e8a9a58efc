// SPDX-License-Identifier: Apache-2.0

import RestDocument
import TestSupport
import Testing

@Suite struct FormatRegistryTests {
    @Test(.parity("N145", "N147", "N148")) func findsFormatOfType() throws {
        var formats = FormatRegistry()
        formats.register(JSONFormat(writer: .pretty), for: "application/json")
        let format = formats.format(for: "application/json; charset=utf-8")
        #expect((format as? JSONFormat)?.writer == .pretty)
        #expect(formats.format(for: "application/xml") == nil)

        let standard = FormatRegistry.standard
        #expect(standard.format(for: .json) is JSONFormat)
        #expect(standard.format(for: .formURLEncoded) is FormFormat)
        #expect(standard.format(for: "model/gltf+json") is JSONFormat)
        #expect(standard.format(for: "text/json") is JSONFormat)
        #expect(standard.format(for: "text/html") == nil)
        #expect(standard.accepted == [.json])
    }

    @Test(.parity("N146")) func removesAllRegistrationsOfFormat() {
        var formats = FormatRegistry.standard
        formats.register(JSONFormat(writer: .pretty), for: "text/x-json", "text/*")
        formats.unregister(JSONFormat.self)
        #expect(formats.format(for: .json) == nil)
        #expect(formats.format(for: "text/x-json") == nil)
        #expect(formats.mediaTypes == [.formURLEncoded])
        #expect(formats.accepted.isEmpty)
    }

    @Test(.parity("N149")) func findsFormatOfRange() {
        var formats = FormatRegistry()
        formats.register(Lines(name: "xml"), for: "application/xml+*")
        #expect(formats.name(for: "application/xml+whatever") == "xml")
        #expect(formats.name(for: "application/xml") == nil)
        #expect(formats.name(for: "text/xml+whatever") == nil)
    }

    @Test(.parity("N150")) func prefersNewestRegistration() {
        var formats = FormatRegistry()
        formats.register(Lines(name: "range"), for: "application/xml+*", "application/xml")
        formats.register(Lines(name: "exact"), for: "application/xml")
        #expect(formats.name(for: "application/xml") == "exact")
        #expect(formats.name(for: "application/xml+different") == "range")
        formats.register(Lines(name: "newest"), for: "*/*")
        #expect(formats.name(for: "application/xml") == "newest")
    }

    @Test(.parity("N151")) func findsRegistrationInMiddle() {
        var formats = FormatRegistry()
        for name in ["first", "second", "third"] {
            formats.register(Lines(name: name), for: MediaType(parsing: "text/\(name)") ?? .any)
        }
        #expect(formats.name(for: "text/second") == "second")
        #expect(formats.mediaTypes.map(\.subtype) == ["third", "second", "first"])
    }

    @Test(.parity("N155")) func throwsWhenReadingUnregisteredType() {
        let error = #expect(throws: DocumentError.self) {
            try FormatRegistry().read(Array("secret".utf8), as: .json)
        }
        #expect(error?.code == .unregisteredFormat)
        #expect(
            error?.description
                == "unregisteredFormat: expected a type with a format (none), "
                + "found application/json")
    }

    @Test(.parity("N157")) func throwsWhenWritingUnregisteredType() {
        let error = #expect(throws: DocumentError.self) {
            try FormatRegistry.standard.write(["a": "secret"], as: "text/csv; header=secret")
        }
        #expect(error?.code == .unregisteredFormat)
        #expect(
            error?.description
                == "unregisteredFormat: expected a type with a format (application/json, "
                + "text/json, */*+json, application/x-www-form-urlencoded), found text/csv")
    }

    @Test(.parity("N156", "N158")) func usesRegisteredFormat() throws {
        var formats = FormatRegistry.standard
        formats.register(Lines(name: "lines"), for: "application/bson")
        let bytes = Array("one\ntwo".utf8)
        let document = try formats.read(bytes, as: "application/bson")
        #expect(document.root.debugDescription == #"{"lines":["one","two"]}"#)
        #expect(try formats.write(document, as: "application/bson") == bytes)
        // Errors and limits are those of the format.
        var limits = ParseLimits()
        limits.byteCount = 6
        let error = #expect(throws: DocumentError.self) {
            try formats.read(bytes, as: "application/bson", limits: limits)
        }
        #expect(error?.description == "limitExceeded, line 1, column 7 (byte 6): at most 6 bytes")
        let mistake = #expect(throws: DocumentError.self) {
            try formats.write([1], as: "application/bson")
        }
        #expect(mistake?.code == .unwritableValue)
    }

    @Test(arguments: [
        ("application/json; charset=iso-8859-1", Array(#"{"a":"caf"#.utf8) + [0xE9, 0x22, 0x7D]),
        ("application/json; charset=Windows-1252", Array(#"{"a":"caf"#.utf8) + [0xE9, 0x22, 0x7D]),
        // UTF-8, whatever a server adds by default.
        ("application/json; charset=ISO-8859-1", Array(#"{"a":"café"}"#.utf8)),
        ("application/json; charset=\"\"", Array(#"{"a":"café"}"#.utf8)),
        ("application/json; charset=unknown", Array(#"{"a":"café"}"#.utf8)),
        ("application/json; charset=utf-16", Array(#"{"a":"café"}"#.utf8)),
        ("application/json; charset=utf-16", utf16(#"{"a":"café"}"#)),
        ("application/json; charset=UTF-16LE", utf16(#"{"a":"café"}"#)),
        ("application/json; charset=utf-16", utf16("\u{FEFF}" + #"{"a":"café"}"#)),
    ])
    func readsTextInCharset(type: String, bytes: [UInt8]) throws {
        let type = try #require(MediaType(parsing: type))
        #expect(try FormatRegistry.standard.read(bytes, as: type).root["a"]?.string == "café")
    }

    @Test func readsPlainTextInCharset() throws {
        var formats = FormatRegistry()
        formats.register(TextFormat(), for: "text/plain")
        let bytes: [UInt8] = [0x80, 0xE9, 0x92]
        let text = try formats.read(bytes, as: "text/plain; charset=windows-1252").root.string
        #expect(text == "\u{20AC}é\u{2019}")
        let unknown = #expect(throws: DocumentError.self) {
            try formats.read(bytes, as: "text/plain; charset=koi8-r")
        }
        #expect(unknown?.code == .unsupportedEncoding)
        let lone = #expect(throws: DocumentError.self) {
            try formats.read([0x61, 0, 0, 0xD8], as: "text/plain; charset=utf-16le")
        }
        #expect(lone?.code == .loneSurrogate && lone?.offset == 2)
        let odd = #expect(throws: DocumentError.self) {
            try formats.read([0x61, 0, 0x62], as: "text/plain; charset=utf-16le")
        }
        #expect(odd?.code == .unexpectedEnd)
        var limits = ParseLimits()
        limits.byteCount = 2
        let long = #expect(throws: DocumentError.self) {
            try formats.read(bytes, as: "text/plain; charset=latin1", limits: limits)
        }
        #expect(long?.code == .limitExceeded)
    }

    private static func utf16(_ text: String) -> [UInt8] {
        text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    }

    @Test func usesBuiltInFormats() throws {
        let formats = FormatRegistry.standard
        let document = try formats.read(Array("a=1&a=2".utf8), as: .formURLEncoded)
        #expect(try formats.write(document, as: .json) == Array(#"{"a":["1","2"]}"#.utf8))
        let json = try formats.read(Array(#"{"b":null,"a":[true,1.50]}"#.utf8), as: .json)
        #expect(try formats.write(json, as: .formURLEncoded) == Array("a[]=1&a[]=1.50&b".utf8))
    }

    @Test func listsFirstAcceptedTypeOfEachFormat() {
        var formats = FormatRegistry.standard
        formats.register(Lines(name: "a"), for: "text/a", "text/*")
        formats.register(Lines(name: "b"), for: "text/b", isAccepted: false)
        formats.register(Lines(name: "c"), for: "text/*+c", "text/c")
        #expect(formats.accepted.map(\.description) == ["text/a", "application/json"])
    }
}

extension FormatRegistry {
    fileprivate func name(for type: MediaType) -> String? { (format(for: type) as? Lines)?.name }
}

/// A custom format with one text on each line.
private struct Lines: DocumentFormat {
    let name: String

    func read(_ bytes: [UInt8], limits: ParseLimits) throws(DocumentError) -> Document {
        guard bytes.count <= limits.byteCount else {
            throw DocumentError(
                .limitExceeded, offset: limits.byteCount,
                expected: "at most \(limits.byteCount) bytes")
        }
        let lines = bytes.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
        return ["lines": .array(lines.map { .string($0) })]
    }

    func write(_ document: Document) throws(DocumentError) -> [UInt8] {
        guard let lines = document.root["lines"] else {
            throw DocumentError(.unwritableValue, offset: 0, expected: "an object with lines")
        }
        return Array(lines.elements.compactMap(\.string).joined(separator: "\n").utf8)
    }
}
