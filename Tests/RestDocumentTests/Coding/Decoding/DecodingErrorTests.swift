// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import Testing

@Suite struct DecodingErrorTests {
    struct Feed: Decodable {
        var articles: [Article]
        var counts: [String: Int8]?
        var numbers: [Int: Bool]?
        var grid: [[Int]]?
    }

    struct Article: Decodable {
        var id: UInt8
        var author: Author?
        var kind: Kind?
        var when: Date?
    }

    struct Author: Decodable {
        var id: Int
        var site: URL?
    }

    enum Kind: String, Decodable {
        case news
    }

    @Test(
        arguments: [
            (#"{}"#, "articles", "expected a value, found nothing"),
            (#"{"articles":null}"#, "articles", "expected an array, found null"),
            (#"{"articles":7}"#, "articles", "expected an array, found number"),
            (#"[]"#, "", "expected an object, found array"),
            (
                #"{"articles":[{"id":1},{"id":256}]}"#, "articles[1].id",
                "expected a whole number that fits UInt8, found number"
            ),
            (
                #"{"articles":[{"id":1,"author":{"id":"secret"}}]}"#, "articles[0].author.id",
                "expected a whole number that fits Int, found string"
            ),
            (
                #"{"articles":[{"id":1,"author":{"id":null}}]}"#, "articles[0].author.id",
                "expected a whole number that fits Int, found null"
            ),
            (
                #"{"articles":[{"id":1,"author":{"site":"x"}}]}"#, "articles[0].author.id",
                "expected a value, found nothing"
            ),
            (
                #"{"articles":[{"id":1},{"id":2},{"id":1,"kind":"secret"}]}"#, "articles[2].kind",
                "expected a value its type accepts, found string"
            ),
            (
                #"{"articles":[{"id":1,"when":"secret"}]}"#, "articles[0].when",
                "expected a value its type accepts, found string"
            ),
            (
                #"{"articles":[],"counts":{"a.b":1,"c":1.5}}"#, "counts.c",
                "expected a whole number that fits Int8, found number"
            ),
            (
                #"{"articles":[],"numbers":{"1":true,"secret":true}}"#, "numbers.secret",
                "expected a whole number that fits Int, found boolean"
            ),
            (
                #"{"articles":[],"grid":[[1],[2,3,false]]}"#, "grid[1][2]",
                "expected a whole number that fits Int, found boolean"
            ),
        ])
    func locatesErrors(_ text: String, _ path: String, _ expected: String) throws {
        let error = #expect(throws: DocumentError.self) {
            try DocumentDecoder().decode(Feed.self, from: Array(text.utf8))
        }
        #expect(error?.code == .notDecodable)
        #expect(error?.path.description == path)
        #expect(error?.expected == expected)
        #expect(error?.underlying is DecodingError)
        let description = error?.description ?? ""
        #expect(description.hasPrefix("notDecodable"))
        #expect(!description.contains("secret") || path.contains("secret"))
        #expect(!description.contains("\n"))
    }

    @Test func reportsLineAndColumn() throws {
        let text = "{\"articles\": [\n  {\"id\": \"x\"}\n]}"
        let error = #expect(throws: DocumentError.self) {
            try DocumentDecoder().decode(Feed.self, from: Data(text.utf8))
        }
        #expect(error?.line == 2)
        #expect(error?.column == 10)
    }

    @Test func reportsPathsFromDocumentRoot() throws {
        let document = try Document(parsing: #"{"data":[{},{"id":true}]}"#)
        let node = try #require(document.root["data"]?[1])
        let error = #expect(throws: DocumentError.self) {
            try DocumentDecoder().decode(Article.self, from: node)
        }
        #expect(error?.path.description == "data[1].id")
    }

    @Test func rethrowsParserErrors() {
        let error = #expect(throws: DocumentError.self) {
            try DocumentDecoder().decode(Feed.self, from: Array("[1,".utf8))
        }
        #expect(error?.code == .unexpectedEnd)
        var decoder = DocumentDecoder()
        decoder.limits.depth = 1
        #expect(throws: DocumentError.self) {
            try decoder.decode([[Int]].self, from: Array("[[1]]".utf8))
        }
    }

    struct RejectedValue: Error, Equatable {}

    struct Picky: Decodable {
        init(from decoder: any Decoder) throws {
            if try decoder.singleValueContainer().decode(Int.self) > 2 { throw RejectedValue() }
        }
    }

    @Test func wrapsErrorsOfTypes() throws {
        let error = #expect(throws: DocumentError.self) {
            try DocumentDecoder().decode(
                [String: [Picky]].self, from: Array(#"{"a":[1,2,3]}"#.utf8))
        }
        #expect(error?.path.description == "a[2]")
        #expect(error?.underlying as? RejectedValue == RejectedValue())
        #expect(error?.expected == "expected a value its type accepts, found number")
    }

    /// A type that records the coding paths at every kind of container.
    struct Witness: Decodable {
        struct Key: CodingKey {
            var stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        var paths: [String] = []

        init(from decoder: any Decoder) throws {
            func text(_ path: [any CodingKey]) -> String {
                path.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: "/")
            }
            func path(_ error: (any Error)?) -> String {
                switch error as? DecodingError {
                case .typeMismatch(_, let context), .valueNotFound(_, let context),
                    .dataCorrupted(let context):
                    return text(context.codingPath)
                case .keyNotFound(let key, let context):
                    return "\(text(context.codingPath))!\(key.stringValue)"
                default:
                    return "?"
                }
            }
            func failure(_ body: () throws -> Void) -> String {
                do { try body() } catch { return path(error) }
                return "none"
            }
            paths.append(text(decoder.codingPath))
            let container = try decoder.container(keyedBy: Key.self)
            let (list, object) = (Key(stringValue: "list"), Key(stringValue: "object"))
            var elements = try container.nestedUnkeyedContainer(forKey: list)
            paths.append(failure { _ = try elements.decode(String.self) })
            _ = try elements.decode(Int.self)
            let nested = try elements.nestedContainer(keyedBy: Key.self)
            paths.append(text(nested.codingPath))
            // Out of order: the earlier container is used again.
            let other = try container.nestedContainer(keyedBy: Key.self, forKey: object)
            paths.append(failure { _ = try nested.decode(Int.self, forKey: Key(stringValue: "k")) })
            paths.append(
                failure { _ = try other.decode(Bool.self, forKey: Key(stringValue: "no")) })
            paths.append(failure { _ = try elements.decode(Int.self) })
            let absent = try other.superDecoder()
            paths.append(text(absent.codingPath))
            paths.append(failure { _ = try absent.container(keyedBy: Key.self) })
            paths.append(
                failure {
                    _ = try container.superDecoder(forKey: list).singleValueContainer().decode(
                        Int.self)
                })
        }
    }

    @Test func providesCodingPaths() throws {
        let text = #"[0,{"list":[1,{"k":"v"}],"object":{}}]"#
        let node = try #require(try Document(parsing: #"{"x":\#(text)}"#).root["x"])
        struct Pair: Decodable {
            var witness: Witness
            init(from decoder: any Decoder) throws {
                var container = try decoder.unkeyedContainer()
                _ = try container.decode(Int.self)
                witness = try container.decode(Witness.self)
            }
        }
        let paths = try DocumentDecoder().decode(Pair.self, from: node).witness.paths
        #expect(
            paths == [
                "1", "1/list/0", "1/list/1", "1/list/1/k", "1/object!no", "1/list/2",
                "1/object/super", "1/object/super", "1/list",
            ])
    }

    /// A type that tries several types for every element, as lenient models do.
    struct Lenient: Decodable {
        var count = 0

        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            while !container.isAtEnd {
                if (try? container.decode(Int.self)) == nil {
                    _ = try container.decode(String.self)
                }
                count += 1
            }
        }
    }

    @Test func decodesFailedAttemptsInLinearTime() throws {
        // Searching each path from the root would take minutes.
        let count = 200_000
        let document = try DocumentEncoder().encode(Array(repeating: "x", count: count))
        #expect(try DocumentDecoder().decode(Lenient.self, from: document).count == count)
    }
}
