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
        let type = try #require(MediaType(text))
        #expect(type.description == expected)
        #expect(MediaType(type.description) == type)
    }

    @Test(
        arguments: [
            "", "json", "application", "application/", "/json", "*/json", "a b/c", "a/b c",
            "a/b; c", "a/b; c=", "a/b; c=\"x", "a/b; =x", "a/b, c/d", "a/b; c=d e", "a/b\r\nX: y",
            "a/b; c=\"\n\"",
        ])
    func refusesWhatIsNone(_ text: String) {
        #expect(MediaType(text) == nil)
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
            ("image/svg+xml", "image/xml", true), ("application/jsonx", "application/json", false),
        ])
    func matchesRanges(_ type: String, _ range: String, _ expected: Bool) throws {
        #expect(try #require(MediaType(type)).matches(#require(MediaType(range))) == expected)
    }
}
