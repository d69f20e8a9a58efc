// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import TestSupport
import Testing

/// The code of the DocC articles, with expectations for what the articles describe.
@Suite struct ArticleTests {
    private let text = #"{"articles": [{"id": 1, "title": "New"}, {"id": 2, "title": null}]}"#

    /// Every line of code in the articles, except comments, is in this file.
    @Test func containsEveryLineOfArticles() throws {
        let code = try ArticleCode(of: "RestDocument", besides: #filePath)
        #expect(code.articleCount > 5)
        #expect(try code.lines(missingIn: #filePath).isEmpty)
    }

    @Test func landingPage() throws {
        let text = #"{"articles": [{"id": 1, "title": "New"}, {"id": 2, "title": null}]}"#
        let document = try Document(parsing: text)
        #expect(document.root["articles"]?[0]?["title"]?.string == "New")
    }

    @Test func readingDocuments() throws {
        let bytes = Array(#"{"id": 42, "tags": ["new", "long"], "author": {"name": "Ann"}}"#.utf8)
        let article = try Document(parsing: bytes)
        #expect(article.root.kind == .object)
        #expect(article.root["id"]?.int64 == 42)
        #expect(article.root["id"]?.string == nil)
        #expect(article.root["missing"] == nil)
        #expect(article.root["author"]?["name"]?.string == "Ann")
        var printed: [String] = []
        func print(_ key: String, _ kind: NodeKind) { printed.append("\(key) \(kind)") }
        for (key, value) in article.root.members {
            print(key, value.kind)
        }
        #expect(printed == ["id number", "tags array", "author object"])
        let tags = article.root["tags"]?.elements.map(\.string)
        #expect(tags == ["new", "long"])
        let list = try Document(parsing: #"{"friends": [{"name": "A"}, {}, {"name": "B"}]}"#)
        #expect(list.root["friends[2].name" as DocumentPath]?.string == "B")
        #expect(list.root.values(at: "friends.name").map(\.string) == ["A", "B"])
        #expect(list.root["friends"]?[2]?.path.description == "friends[2]")
        let repeated = try Document(parsing: #"{"role": "reader", "role": "owner"}"#)
        #expect(repeated.root["role"]?.string == "owner")
        #expect(repeated.issues.map(\.path.description) == ["role"])
    }

    @Test func writingDocuments() throws {
        let (topic, authorID, name, tags) = ("maps", 7, "Ann", ["a", "b"])
        let draft: Document = [
            "title": "On \(topic)",
            "author": ["id": .number(authorID), "name": .string(name)],
            "tags": .array(tags.map { .string($0) }),
            "isDraft": true,
            "publishedAt": nil,
        ]
        var builder = DocumentBuilder()
        builder.beginObject()
        builder.key("squares")
        builder.beginArray()
        for number in 1...4 { builder.number(number * number) }
        builder.end()
        builder.end()
        let squares = builder.finish()
        #expect(JSONWriter.compact.text(of: squares) == #"{"squares":[1,4,9,16]}"#)
        #expect(JSONWriter.pretty.bytes(of: squares.root).count { $0 == 0x0A } == 7)
        #expect(
            JSONWriter(layout: .compact, sortsKeys: true).text(of: draft)
                == #"{"author":{"id":7,"name":"Ann"},"isDraft":true,"publishedAt":null,"#
                + #""tags":["a","b"],"title":"On maps"}"#)
    }

    @Test func streaming() async throws {
        let text = #"{"data": {"articles": [{"title": "a"}, {"title": "b"}]}, "total": 2}"#
        let chunks = AsyncStream([UInt8].self) { continuation in
            for byte in text.utf8 { continuation.yield([byte]) }
            continuation.finish()
        }
        var titles: [String?] = []
        let framing = DocumentFraming.elements(at: "data.articles")
        for try await article in DocumentStream(chunks, framing) {
            titles.append(article.root["title"]?.string)
        }
        #expect(titles == ["a", "b"])

        var reader = ElementReader(.lines)
        reader.append(Array("{\"id\":1}\n{\"id\"".utf8))
        let first = try reader.next()?.root["id"]?.int64
        let second = try reader.next()
        #expect(first == 1 && second == nil)
        reader.append(Array(":2}".utf8))
        reader.finish()
        let third = try reader.next()?.root["id"]?.int64
        #expect(third == 2)

        let bounded = DocumentStream(chunks, .lines, totalByteCount: 1 << 30)
        for try await _ in bounded { Issue.record("the chunks were taken before") }
    }

    @Test func codableTypes() throws {
        struct Article: Codable {
            let id: Int
            var publishedAt: Date?
        }

        var decoder = DocumentDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let body = Array(#"{"id": 42, "published_at": "1970-01-01T00:00:10Z"}"#.utf8)
        let article = try decoder.decode(Article.self, from: body)
        #expect(article.id == 42 && article.publishedAt == Date(timeIntervalSince1970: 10))
        let list = try Document(parsing: #"{"total": 2, "articles": [{"id": 1}, {"id": 2}]}"#)
        let first = try decoder.decode(Article.self, from: list.root["articles"]?[0] ?? list.root)
        #expect(first.id == 1)

        var encoder = DocumentEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        let document = try encoder.encode(article)
        let json = try encoder.bytes(of: article)
        #expect(json == Array(#"{"id":42,"published_at":"1970-01-01T00:00:10Z"}"#.utf8))
        let form = try FormFormat().text(of: document)
        #expect(form == "id=42&published_at=1970-01-01T00%3A00%3A10Z")
        let mistake = Array(#"[{"id": 1}, {"id": "secret"}]"#.utf8)
        #expect(throws: DocumentError.self) { try decoder.decode([Article].self, from: mistake) }
        do {
            _ = try decoder.decode(
                [Article].self, from: Array(#"[{"id": 1}, {"id": "secret"}]"#.utf8))
        } catch {
            #expect(error.code == .notDecodable)
            #expect(error.path.description == "[1].id")
            #expect(!error.description.contains("secret"))
        }
    }

    @Test func formsAndFormats() throws {
        let form = FormFormat()
        let query = try form.text(
            of: ["q": "a b", "page": 2, "tags": ["x", "y"], "by": ["name": "Ann"]])
        #expect(query == "by[name]=Ann&page=2&q=a%20b&tags[]=x&tags[]=y")
        let style = FormStyle(lists: .commas, booleans: .words, nulls: .omitted)
        let styled =
            try FormFormat(style: style).text(of: ["tags": ["x", "y"], "draft": true, "by": nil])
        #expect(styled == "draft=true&tags=x,y")
        let read = try form.read("q=a+b&tag=x&tag=y&draft")
        #expect(read.root.debugDescription == #"{"q":"a b","tag":["x","y"],"draft":null}"#)
        let page = try form.read(queryOf: "/articles?page=2").root["page"]?.string
        #expect(page == "2")

        let type = MediaType(parsing: "application/problem+json; charset=utf-8")
        #expect(type?.matches(.json) == true)
        #expect(type?.matches("application/*+json") == true)
        #expect(MediaType(fileName: "blake.png")?.description == "image/png")

        var texts = FormatRegistry.standard
        texts.register(TextFormat(), for: "text/plain", "text/*")
        let html = try texts.read(Array("<p>Hello</p>".utf8), as: "text/html").root.string
        #expect(html == "<p>Hello</p>")

        var formats = FormatRegistry.standard
        formats.register(LinesFormat(), for: "text/x-lines", "text/*")
        let lines = try formats.read(Array("one\ntwo".utf8), as: "text/x-lines")
        let json = try formats.write(lines, as: .json)
        #expect(json == Array(#"["one","two"]"#.utf8))
        #expect(try formats.write(lines, as: "text/plain") == Array("one\ntwo".utf8))
        formats.unregister(LinesFormat.self)
        #expect(formats.format(for: "text/x-lines") == nil)
    }

    @Test func limits() throws {
        var limits = ParseLimits()
        limits.byteCount = 64 * 1024
        limits.depth = 8
        let small = try Document(parsing: text, limits: limits)
        #expect(small.root.count == 1)
        var printed: DocumentError?
        func print(_ error: DocumentError) { printed = error }
        do {
            limits.depth = 1
            _ = try Document(parsing: "[[1]]", limits: limits)
        } catch {
            print(error)
        }
        #expect(
            printed?.description
                == "limitExceeded at [0], line 1, column 2 (byte 1): "
                + "at most 1 nested containers")
    }

    @Test func numbers() throws {
        let numbers = try Document(
            parsing: "[9007199254740993, 18446744073709551615, 1.10, 1e2, 1e400]")
        #expect(numbers.root[0]?.int64 == 9_007_199_254_740_993)
        #expect(numbers.root[1]?.int64 == nil)
        #expect(numbers.root[1]?.uint64 == 18_446_744_073_709_551_615)
        #expect(numbers.root[2]?.decimal == Decimal(string: "1.1"))
        #expect(numbers.root[2]?.numberText == "1.10")
        #expect(numbers.root[3]?.int64 == 100)
        #expect(numbers.root[4]?.double == nil)
        #expect(numbers.root[4]?.numberText == "1e400")
        var builder = DocumentBuilder()
        try builder.number(text: "0.1000000000000000000000000000000000000001")
        let exact = builder.finish()
        #expect(exact.root.numberText == "0.1000000000000000000000000000000000000001")
    }

    @Test func errors() {
        do {
            _ = try Document(parsing: #"{"articles": [{"id": 1}, {"id": tru}]}"#)
        } catch {
            #expect(error.code == .unexpectedByte)
            #expect(error.path.description == "articles[1].id")
            #expect(error.offset == 32)
            #expect(
                error.description
                    == "unexpectedByte at articles[1].id, line 1, column 33 (byte 32): "
                    + "expected a value")
            return
        }
        Issue.record("read what is no document")
    }
}

struct LinesFormat: DocumentFormat {
    func read(_ bytes: [UInt8], limits: ParseLimits) throws(DocumentError) -> Document {
        guard bytes.count <= limits.byteCount else {
            throw DocumentError(
                .limitExceeded, offset: limits.byteCount,
                expected: "at most \(limits.byteCount) bytes")
        }
        let lines = bytes.split(separator: UInt8(ascii: "\n"))
        return .array(lines.map { .string(String(decoding: $0, as: UTF8.self)) })
    }

    func write(_ document: Document) throws(DocumentError) -> [UInt8] {
        Array(document.root.elements.compactMap(\.string).joined(separator: "\n").utf8)
    }
}
