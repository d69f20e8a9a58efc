// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import RestNetworking
import TestSupport
import Testing

@Suite struct PathPatternInterpolationTests {
    @Test(.parity("N015")) func interpolatesValuesOfObject() throws {
        let pattern = try PathPattern("/people/:name/:age")
        let made = try pattern.interpolated(from: Person(name: "CuddleGuts", age: 6))
        #expect(made.path == "/people/CuddleGuts/6")
        #expect(made.parameters == ["name": "CuddleGuts", "age": 6])
    }

    @Test func interpolatesValuesOfDocument() throws {
        let pattern = try PathPattern("/:name/:born.year/:alive")
        let document: Document = ["name": "a/b", "born": ["year": 1815], "alive": false]
        let made = try pattern.interpolated(from: document)
        #expect(made.path == "/a%2Fb/1815/false")
        #expect(made.parameters == ["name": "a/b", "born.year": 1815, "alive": false])
        let missing = #expect(throws: NetworkingError.self) {
            try pattern.interpolated(from: ["name": nil, "born": ["year": []], "alive": true])
        }
        #expect(missing?.causes.count == 2)
    }

    @Test(.parity("N016")) func interpolatesValuesOfDictionary() throws {
        let pattern = try PathPattern("/people/:name/:age")
        let values: [String: any CustomStringConvertible] = ["name": "CuddleGuts", "age": 6]
        #expect(try pattern.interpolated(with: values).path == "/people/CuddleGuts/6")
    }

    @Test(.parity("N017")) func encodesValuesButNotLiterals() throws {
        let pattern = try PathPattern("/people/:group/:name?password=:password")
        #expect(
            try pattern.interpolated(with: joe).path
                == "/people/15/Joe%20Bob%20Briggs?password=JUICE%7CBOX%26121")
    }

    @Test(.parity("N018")) func writesValuesVerbatim() throws {
        let pattern = try PathPattern("/people/:group/:name?password=:password")
        #expect(
            try pattern.interpolated(with: joe, encoding: .verbatim).path
                == "/people/15/Joe Bob Briggs?password=JUICE|BOX&121")
    }

    @Test(.parity("N019")) func endsParameterAtEscapedDot() throws {
        let pattern = try PathPattern(#"/directory/:filename\.json"#)
        #expect(
            try pattern.interpolated(with: ["filename": "Resources"]).path
                == "/directory/Resources.json")
        #expect(pattern.arguments(in: "/directory/Resources.json") == ["filename": "Resources"])
    }

    @Test(.parity("N020")) func returnsValuesWithoutEncoding() throws {
        let made = try PathPattern("/names/:name").interpolated(with: ["name": "Blake Watters"])
        #expect(made.path == "/names/Blake%20Watters")
        #expect(made.arguments == ["name": "Blake Watters"])
    }

    @Test func interpolatesKeyPath() throws {
        let pattern = try PathPattern("/authors/:author.name/articles/:id")
        #expect(pattern.parameters == ["author.name", "id"])
        var asked: [String] = []
        let made = try pattern.interpolated { name in
            asked.append(name)
            return "7"
        }
        #expect(made.path == "/authors/7/articles/7")
        #expect(asked == ["author.name", "id"])
    }

    @Test(.parity("S002")) func interpolatesKeyPathAmongOtherParameters() throws {
        let values: [String: any CustomStringConvertible] = [
            "category.name": "RestKit", "articleID": 12345,
        ]
        #expect(
            try PathPattern("/categories/:category.name/articles/:articleID")
                .interpolated(with: values).path == "/categories/RestKit/articles/12345")
        let article = Article(id: 12345, title: "a", author: Author(name: "RestKit"))
        #expect(
            try PathPattern("/categories/:author.name/articles/:id")
                .interpolated(from: article).path == "/categories/RestKit/articles/12345")
    }

    @Test(.parity("S003")) func unescapedDotContinuesKeyPath() throws {
        #expect(
            try PathPattern("/categories/:categoryID.json").parameters == ["categoryID.json"])
        #expect(
            try PathPattern(#"/categories/:categoryID\.json"#).parameters == ["categoryID"])
    }

    @Test(arguments: [
        (#"/a\:b/\@c/d\.e/f\\g"#, "/a:b/@c/d.e/f%5Cg"),
        ("/: /:-x", "/:%20/:-x"),
        ("/größe", "/gr%C3%B6%C3%9Fe"),
        ("/a%2fb%zz", "/a%2Fb%25zz"),
    ])
    func normalizesLiterals(text: String, path: String) throws {
        let pattern = try PathPattern(text)
        #expect(pattern.parameters.isEmpty)
        #expect(try pattern.interpolated(with: [:]).path == path)
        #expect(pattern.matches(path))
    }

    @Test func reportsEveryParameterWithoutValue() throws {
        let pattern = try PathPattern("/a/:one/:two/:three")
        let error = #expect(throws: NetworkingError.self) {
            try pattern.interpolated(with: ["two": 2])
        }
        #expect(error?.code == .invalidRequest)
        #expect(error?.causes.count == 2)
        #expect(error?.description.contains(":one") == true)
        #expect(error?.description.contains(":three") == true)
    }

    @Test func interpolatesPropertiesOfObject() throws {
        let article = Article(id: 12, title: "a/b", author: Author(name: "Ann Lee"))
        let made = try PathPattern("/by/:author.name/:id/:title").interpolated(from: article)
        #expect(made.path == "/by/Ann%20Lee/12/a%2Fb")
        #expect(made.arguments["author.name"] == "Ann Lee")
    }

    @Test func reportsUnknownPropertiesAndMissingValues() throws {
        let article = Article(id: 12, title: "a", author: nil)
        let unknown = #expect(throws: NetworkingError.self) {
            try PathPattern("/:identifier/:titel/:id").interpolated(from: article)
        }
        #expect(unknown?.code == .invalidRequest)
        #expect(unknown?.causes.count == 2)
        #expect(unknown?.description.contains("did you mean 'title'") == true)
        let missing = #expect(throws: NetworkingError.self) {
            try PathPattern("/:author.name").interpolated(from: article)
        }
        #expect(missing?.description.contains(":author.name\" has no value") == true)
    }

    // MARK: Segments

    @Test(.threat("T31"), arguments: ["", ".", ".."])
    func rejectsDotSegmentsAsValues(value: String) throws {
        let pattern = try PathPattern("/files/:name/meta")
        #expect(
            code {
                try pattern.interpolated(with: ["name": value])
            } == .invalidRequest)
        #expect(
            try PathPattern("/files?name=:name").interpolated(with: ["name": value]).path
                == "/files?name=" + value)
    }

    @Test(.threat("T31"), arguments: [("/a/.:x", "."), ("/a/:x%2e", "."), (#"/a/:x\.:y"#, ".")])
    func rejectsValuesThatFormDotSegments(text: String, value: String) throws {
        let pattern = try PathPattern(text)
        #expect(
            code {
                try pattern.interpolated { _ in value }
            } == .invalidRequest)
    }

    @Test(arguments: ["a/../b", "a/%2e%2E/b", "..", "a/."])
    func rejectsDotSegmentsInVerbatimValues(value: String) throws {
        let pattern = try PathPattern("/files/:name")
        #expect(
            code { try pattern.interpolated(encoding: .verbatim) { _ in value } }
                == .invalidRequest)
    }

    @Test(
        .threat("T31"),
        arguments: [
            "../", "/", "?", "#", "%2e%2e", "%00", "\0", "a/b", "a?b=c#d", "%", "+", "\r\n",
        ])
    func keepsHostileValueInsideItsSegment(value: String) throws {
        try expectOneSegment(value)
    }

    @Test(.threat("T31"), .enabled(if: SharedFiles.isAvailable, "shared corpus not found"))
    func keepsEveryNaughtyStringInsideItsSegment() throws {
        let data = try SharedFiles.data("suites/naughty-strings/blns.json")
        let strings = try JSONDecoder().decode([String].self, from: data)
        #expect(strings.count > 500)
        for string in strings where !["", ".", ".."].contains(string) {
            try expectOneSegment(string)
        }
    }

    @Test(.threat("T31")) func keepsRandomTextInsideItsSegment() throws {
        var generator = SystemRandomNumberGenerator()
        let alphabet: [Unicode.Scalar] = [
            "/", ".", "%", "?", "#", "2", "e", "F", "\\", ";", "é", "🙂",
        ]
        let pattern = try PathPattern("/files/:name/meta")
        for _ in 0..<100_000 {
            var value = ""
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                value.unicodeScalars.append(alphabet.randomElement(using: &generator) ?? "x")
            }
            guard value != ".", value != ".." else { continue }
            let path = try pattern.interpolated { _ in value }.path
            guard path.utf8.count(where: { $0 == UInt8(ascii: "/") }) == 3,
                path.utf8.allSatisfy({ isUnreserved($0) || $0 == 0x25 || $0 == 0x2F }),
                pattern.arguments(in: path)?["name"] == value
            else {
                Issue.record("\(value.debugDescription) became \(path)")
                return
            }
        }
    }

    // MARK: Values

    private var joe: [String: any CustomStringConvertible] {
        ["group": 15, "name": "Joe Bob Briggs", "password": "JUICE|BOX&121"]
    }

    private func expectOneSegment(_ value: String) throws {
        let pattern = try PathPattern("/files/:name/meta")
        let path = try pattern.interpolated(with: ["name": value]).path
        #expect(path.split(separator: "/", omittingEmptySubsequences: false).count == 4)
        #expect(path.utf8.allSatisfy { isUnreserved($0) || $0 == 0x25 || $0 == 0x2F })
        let segment = path.dropFirst("/files/".count).dropLast("/meta".count)
        #expect(bytes(ofEscaped: segment) == Array(value.utf8))
        #expect(pattern.arguments(in: path)?["name"] == value)
    }

    private func isUnreserved(_ byte: UInt8) -> Bool {
        let character = Character(Unicode.Scalar(byte))
        return character.isASCII && (character.isLetter || character.isNumber)
            || "-._~".contains(character)
    }
}
