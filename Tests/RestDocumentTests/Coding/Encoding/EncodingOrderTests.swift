// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import TestSupport
import Testing

/// Containers that are stored and written to in any order.
@Suite struct EncodingOrderTests {
    struct Key: CodingKey, ExpressibleByStringLiteral {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init(stringLiteral value: String) { stringValue = value }
        init?(intValue: Int) { nil }
    }

    /// A value that is encoded by a closure.
    struct Value: Encodable {
        var body: (any Encoder) throws -> Void
        init(_ body: @escaping (any Encoder) throws -> Void) { self.body = body }
        func encode(to encoder: any Encoder) throws { try body(encoder) }
    }

    private func text(_ body: @escaping (any Encoder) throws -> Void) throws -> String {
        let value = Value(body)
        let bytes = try DocumentEncoder().bytes(of: value)
        #expect(try DocumentEncoder().encode(value) == Document(parsing: bytes))
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Compares with Foundation as documents, which ignore the order of members.
    private func compareWithFoundation(_ body: @escaping (any Encoder) throws -> Void) throws
        -> String
    {
        let ours = try text(body)
        let theirs = try JSONEncoder().encode(Value(body))
        #expect(try Document(parsing: ours) == Document(parsing: theirs))
        return ours
    }

    @Test func resumesNestedContainers() throws {
        let text = try compareWithFoundation { encoder in
            var outer = encoder.container(keyedBy: Key.self)
            var first = outer.nestedContainer(keyedBy: Key.self, forKey: "first")
            var list = outer.nestedUnkeyedContainer(forKey: "list")
            try first.encode(1, forKey: "a")
            var inner = list.nestedContainer(keyedBy: Key.self)
            try list.encode("x")
            try first.encode([true], forKey: "b")
            try inner.encode(2.5, forKey: "c")
            try outer.encode(3, forKey: "last")
            var deep = first.nestedUnkeyedContainer(forKey: "deep")
            try list.encode("y")
            try deep.encode(4)
            try inner.encodeNil(forKey: "d")
            try deep.encode(5)
            try first.encode(6, forKey: "e")
        }
        #expect(
            text
                == #"{"first":{"a":1,"b":[true],"deep":[4,5],"e":6},"list":[{"c":2.5,"d":null},"x","y"],"last":3}"#
        )
    }

    @Test func preservesOrderOfSuperEncoders() throws {
        let text = try compareWithFoundation { encoder in
            var outer = encoder.container(keyedBy: Key.self)
            let first = outer.superEncoder()
            let never = outer.superEncoder(forKey: "never")
            var list = outer.nestedUnkeyedContainer(forKey: "list")
            let second = list.superEncoder()
            let third = list.superEncoder()
            try list.encode(1)
            try third.singleValueContainerEncode("three")
            var inside = second.unkeyedContainer()
            try inside.encode(2)
            var object = first.container(keyedBy: Key.self)
            try object.encode("a", forKey: "a")
            try inside.encode(3)
            _ = never.codingPath
        }
        #expect(text == #"{"super":{"a":"a"},"never":{},"list":[[2,3],"three",1]}"#)
    }

    @Test func continuesAfterUnusedSuperEncoder() throws {
        let text = try compareWithFoundation { encoder in
            var outer = encoder.unkeyedContainer()
            var object = outer.nestedContainer(keyedBy: Key.self)
            let inner = object.superEncoder(forKey: "inner")
            try outer.encode(1)
            try object.encode(2, forKey: "after")
            var late = inner.unkeyedContainer()
            try late.encode(3)
        }
        #expect(text == #"[{"inner":[3],"after":2},1]"#)
    }

    @Test func sharesObjectBetweenContainers() throws {
        let text = try compareWithFoundation { encoder in
            var first = encoder.container(keyedBy: Key.self)
            try first.encode(1, forKey: "a")
            var second = encoder.container(keyedBy: Key.self)
            try second.encode(2, forKey: "b")
            var nested = first.nestedContainer(keyedBy: Key.self, forKey: "attributes")
            try nested.encode(3, forKey: "c")
            var again = second.nestedContainer(keyedBy: Key.self, forKey: "attributes")
            try again.encode(4, forKey: "d")
            var list = first.nestedUnkeyedContainer(forKey: "list")
            try list.encode(5)
            try first.encode(6, forKey: "e")
            var more = second.nestedUnkeyedContainer(forKey: "list")
            try more.encode(7)
        }
        #expect(text == #"{"a":1,"b":2,"attributes":{"c":3,"d":4},"list":[5,7],"e":6}"#)
    }

    @Test func keepsLastOfRepeatedKeys() throws {
        #expect(
            try compareWithFoundation { encoder in
                var container = encoder.container(keyedBy: Key.self)
                try container.encode(1, forKey: "a")
                try container.encode(["x": 1], forKey: "b")
                try container.encode(["y": [1, 2]], forKey: "a")
                try container.encode(3, forKey: "c")
            } == #"{"b":{"x":1},"a":{"y":[1,2]},"c":3}"#)
        let many = try compareWithFoundation { encoder in
            var container = encoder.container(keyedBy: Key.self)
            for number in 0..<300 {
                try container.encode(number, forKey: Key(stringValue: "\(number % 200)"))
            }
        }
        #expect(try Document(parsing: many).root.count == 200)
        #expect(try Document(parsing: many).root["7"]?.int64 == 207)
    }

    @Test func discardsFailedValues() throws {
        let text = try text { encoder in
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(1, forKey: "a")
            try? container.encode(Double.nan, forKey: "nan")
            try? container.encode([1, 2, .infinity], forKey: "list")
            let failing = Value { encoder in
                var inner = encoder.container(keyedBy: Key.self)
                var list = inner.nestedUnkeyedContainer(forKey: "list")
                try inner.encode("half", forKey: "half")
                try list.encode("late")
                _ = list.superEncoder()
                throw CancellationError()
            }
            try? container.encode(failing, forKey: "failing")
            var list = container.nestedUnkeyedContainer(forKey: "elements")
            try? list.encode(failing)
            try list.encode("whole")
            try? list.encode(Double.nan)
            try list.encode(
                Value { encoder in
                    var single = encoder.singleValueContainer()
                    do { try single.encode(failing) } catch { try single.encode("instead") }
                })
            try container.encode(2, forKey: "b")
        }
        #expect(text == #"{"a":1,"elements":["whole","instead"],"b":2}"#)
    }

    @Test func writesEmptyObjectForEmptyValue() throws {
        #expect(try text { _ in } == "{}")
        #expect(
            try compareWithFoundation { encoder in
                var container = encoder.unkeyedContainer()
                try container.encode(Value { _ in })
                try container.encode(Value { _ = $0.container(keyedBy: Key.self) })
                try container.encode(Value { _ = $0.unkeyedContainer() })
            } == "[{},{},[]]")
    }

    @Test func locatesFailures() throws {
        let error = #expect(throws: DocumentError.self) {
            try text { encoder in
                var container = encoder.container(keyedBy: Key.self)
                var list = container.nestedUnkeyedContainer(forKey: "list\"s")
                try list.encode(1)
                try list.encode([["k": Double.nan]])
            }
        }
        #expect(error?.code == .notEncodable)
        #expect(error?.path == DocumentPath([.key("list\"s"), .index(1), .index(0), .key("k")]))
        #expect(error?.underlying is EncodingError)
        let other = #expect(throws: DocumentError.self) {
            try DocumentEncoder().encode(["a": [Value { _ in throw CancellationError() }]])
        }
        #expect(other?.path.description == "a[0]")
        #expect(other?.underlying is CancellationError)
    }

    @Test func providesCodingPaths() throws {
        _ = try text { encoder in
            #expect(encoder.codingPath.isEmpty)
            var outer = encoder.container(keyedBy: Key.self)
            var list = outer.nestedUnkeyedContainer(forKey: "list")
            #expect(list.codingPath.map(\.stringValue) == ["list"])
            try list.encode(0)
            try list.encode(
                Value { encoder in
                    #expect(encoder.codingPath.map(\.stringValue) == ["list", "Index 1"])
                    #expect(encoder.codingPath.last?.intValue == 1)
                    try encoder.singleValueContainerEncode(1)
                })
            #expect(list.count == 2)
            #expect(outer.superEncoder().codingPath.map(\.stringValue) == ["super"])
        }
    }

    @Test(.enabled(if: SharedFiles.isAvailable, "shared corpus not found"))
    func preservesNaughtyStrings() throws {
        for file in try SharedFiles.files(in: "suites/naughty-strings", suffix: ".txt") {
            let lines = String(decoding: try SharedFiles.data(file), as: UTF8.self)
                .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            let members = Dictionary(lines.map { ($0, [$0]) }, uniquingKeysWith: { $1 })
            let bytes = try DocumentEncoder().bytes(of: members)
            #expect(try DocumentDecoder().decode([String: [String]].self, from: bytes) == members)
            #expect(try JSONDecoder().decode([String: [String]].self, from: Data(bytes)) == members)
            for line in lines {
                let text = try text { encoder in
                    var container = encoder.container(keyedBy: Key.self)
                    try container.encode(line, forKey: Key(stringValue: line))
                }
                #expect(try Document(parsing: text).root[line]?.string == line)
            }
        }
    }
}

extension Encoder {
    /// Encodes one value as the whole document.
    fileprivate func singleValueContainerEncode(_ value: some Encodable) throws {
        var container = singleValueContainer()
        try container.encode(value)
    }
}
