// SPDX-License-Identifier: Apache-2.0

import RestDocument
import TestSupport
import Testing

@Suite(.tags(.specification)) struct MediaTypeTests {
    @Test(
        arguments: [
            ("application/json", "application/json"),
            ("Application/JSON; Charset=UTF-8", "application/json; charset=UTF-8"),
            ("text/html;charset=\"utf-8\"", "text/html; charset=utf-8"),
            ("  text/plain ; a=1;; b=\"x \\\"y\\\\\" ", #"text/plain; a=1; b="x \"y\\""#),
            ("*/*", "*/*"), ("text/*;q=0.5", "text/*; q=0.5"),
            ("application/vnd.api+json", "application/vnd.api+json"),
            ("text/plain; a=\"\"", "text/plain; a=\"\""),
            ("text/plain; a=1; A=2", "text/plain; a=1"),
        ])
    func readsAndWrites(_ text: String, _ expected: String) throws {
        let type = try #require(MediaType(parsing: text))
        #expect(type.description == expected)
        #expect(MediaType(parsing: type.description) == type)
    }

    @Test(
        arguments: [
            "", "json", "application", "application/", "/json", "*/json", "a b/c", "a/b c",
            "a/b; c", "a/b; c=", "a/b; c=\"x", "a/b; =x", "a/b, c/d", "a/b; c=d e", "a/b\r\nX: y",
            "a/b; c=\"\n\"",
        ])
    func rejectsMalformedTypes(_ text: String) {
        #expect(MediaType(parsing: text) == nil)
    }

    @Test(
        arguments: [
            ("application/json; charset=", "application/json"),
            ("application/json; charset=; v=1", "application/json; v=1"),
            ("application/json;", "application/json"), ("a/b; c=d e; f=g", "a/b; c=d; f=g"),
            ("application/json; utf-8", "application/json"), ("a/b; c=\"x", "a/b"),
            ("application/json, application/json", "application/json"),
            ("text/html, application/json", "application/json"),
            ("text/html; charset=a, text/html", "text/html; charset=a"),
            ("text/html; charset=a, text/plain", "text/plain"),
            ("a/b; c=\"x, y/z\", d/e", "d/e"), ("a/b, */*", "a/b"), (", nonsense, a/b,, ", "a/b"),
            ("a/b; c=\"x, y\"", "a/b; c=\"x, y\""), ("APPLICATION/JSON", "application/json"),
            ("a/b; x \"y", "a/b"), ("\"x, a/b", nil), ("a/b; \"x, c/d\", e/f", "e/f"),
            ("", nil), ("nonsense", nil), (",", nil), ("*/*", nil), ("a/, /b", nil),
        ] as [(String, String?)])
    func readsTypesAsServersWriteThem(_ text: String, _ expected: String?) {
        #expect(MediaType(received: text)?.description == expected)
    }

    @Test func readsWhatItWritesOfAnyInput() {
        let parts = [
            "a", "/", "b+json", ";", ",", "=", "\"", "\\", " ", "charset", "é", "\u{1}", "*",
        ]
        var state: UInt64 = 1
        for _ in 0..<20_000 {
            var text = ""
            for _ in 0..<12 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                text += parts[Int(state >> 33) % parts.count]
            }
            guard let type = MediaType(received: text) else { continue }
            #expect(MediaType(received: type.description) == type)
            #expect(MediaType(parsing: type.description) == type)
        }
    }

    @Test(
        arguments: [
            ("application/json", "application/json", true),
            ("application/json; charset=utf-8", "application/json", true),
            ("application/json", "application/json; charset=utf-8", false),
            ("application/json; charset=UTF-8", "application/json; charset=utf-8", true),
            ("application/json; charset=utf-16", "application/json; charset=utf-8", false),
            ("application/problem+json", "application/json", true),
            ("application/json", "application/problem+json", false),
            ("application/problem+json", "application/problem+json", true),
            ("application/problem+json", "text/json", false),
            ("text/html", "application/json", false), ("text/html", "text/*", true),
            ("text/html", "*/*", true), ("text/html", "application/*", false),
            ("text/html; level=1", "text/html; level=1; q=0.3", true),
            ("text/html; level=2", "text/html; level=1", false),
            ("image/svg+xml", "image/xml", true), ("a/b+json", "*/*+json", true),
            ("a/json", "*/*+json", false), ("a/+json", "a/*+json", true),
            ("a/b+json", "a/b+*", true), ("a/b", "a/b+*", false), ("a/bc", "a/b*bc", false),
            ("a/bxyz", "a/b*z", true), ("a/b+json", "c/*+json", false),
            ("a/b*+json", "a/*+json", true), ("a/b+json; v=1", "a/*+json; v=2", false),
            ("application/jsonx", "application/json", false),
        ])
    func matchesRanges(_ type: String, _ range: String, _ expected: Bool) throws {
        #expect(
            try #require(MediaType(parsing: type)).matches(#require(MediaType(parsing: range)))
                == expected)
    }

    @Test(.parity("N152", "N153", "N154")) func matchesAnyOfSeveralRanges() throws {
        let types: [MediaType] = ["application/xml", "application/json", "text/html"]
        for type in types { #expect(type.matches(anyOf: types)) }
        let ranges: [MediaType] = ["application/xml+*", "text/*"]
        #expect(try #require(MediaType(parsing: "application/xml+whatever")).matches(anyOf: ranges))
        #expect(try #require(MediaType(parsing: "text/plain")).matches(anyOf: ranges))
        #expect(try !#require(MediaType(parsing: "application/xml")).matches(anyOf: ranges))
        #expect(
            try !#require(MediaType(parsing: "application/invalid")).matches(anyOf: types + ranges))
        #expect(MediaType(parsing: "invalid") == nil)
        #expect(!MediaType.json.matches(anyOf: []))
    }

    @Test(.parity("N172")) func knowsTypeOfXMLFiles() {
        #expect(MediaType(fileName: "/path/to/file.xml")?.description == "application/xml")
    }

    @Test(.parity("N173")) func knowsTypeOfJSONFiles() {
        #expect(MediaType(fileName: "/path/to/file.json") == .json)
    }

    @Test(
        arguments: [
            ("blake.png", "image/png"), ("a.tar.GZ", "application/gzip"), ("ü.jpeg", "image/jpeg"),
            ("a.b/c.svg", "image/svg+xml"), (" .txt", "text/plain"), (".json", nil), ("json", nil),
            ("a.json/b", nil), ("a.", nil), ("", nil), ("/", nil), ("a.unheard-of", nil),
            ("a.json/", nil), ("dir/.json", nil), ("..json", "application/json"),
        ])
    func knowsTypesOfCommonFiles(_ name: String, _ expected: String?) {
        #expect(MediaType(fileName: name)?.description == expected)
    }
}
