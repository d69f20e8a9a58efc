// SPDX-License-Identifier: Apache-2.0

import RestDocument
import TestSupport
import Testing

/// UTF-8 stress cases and naughty strings.
@Suite(.enabled(if: SharedFiles.isAvailable, "shared corpus not found"))
struct TextSuiteTests {
    /// A line of the UTF-8 suite.
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let isValid: Bool
        let bytes: [UInt8]

        var testDescription: String { name }

        /// The bytes that may occur unescaped in a JSON string.
        var content: [UInt8] { bytes.filter { $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C } }
    }

    static let cases: [Case] = {
        guard let data = try? SharedFiles.data("suites/utf8/utf8tests-dev.txt") else { return [] }
        return String(decoding: data, as: UTF8.self).split(separator: "\n").compactMap { line in
            let parts = line.split(separator: ":", omittingEmptySubsequences: false)
            guard !line.hasPrefix("#"), parts.count >= 3 else { return nil }
            var bytes = Array(parts[2].utf8)
            if parts[1].hasSuffix("hex") {
                let digits = parts[2].filter { $0 != " " }
                bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap { start in
                    UInt8(digits.dropFirst(start).prefix(2), radix: 16)
                }
            }
            return Case(
                name: String(parts[0]), isValid: parts[1].hasPrefix("valid"), bytes: bytes)
        }
    }()

    @Test(.threat("T04"), arguments: cases)
    func readsOnlyWellFormedText(_ item: Case) throws {
        // At the start, and after more than two vectors of ASCII.
        for prefix in [0, 5, 16, 35] {
            let lead = [UInt8](repeating: 0x61, count: prefix)
            let text = [0x22] + lead + item.content + [0x22]
            if item.isValid {
                let string = try #require(try Document(parsing: text).root.string)
                #expect(Array(string.utf8) == lead + item.content)
                let keyed = Array(#"{"#.utf8) + text + Array(#":1}"#.utf8)
                #expect(try Document(parsing: keyed).root[string]?.int64 == 1)
            } else {
                let error = #expect(throws: DocumentError.self) { try Document(parsing: text) }
                #expect(error?.code == .invalidUTF8)
                #expect(error?.offset == firstInvalid(text))
            }
        }
    }

    /// Returns the length of the longest prefix that the standard library accepts.
    private func firstInvalid(_ bytes: [UInt8]) -> Int? {
        (0...bytes.count).last { String(validating: bytes.prefix($0), as: UTF8.self) != nil }
    }

    @Test func preservesNaughtyStrings() throws {
        let data = try SharedFiles.data("suites/naughty-strings/blns.json")
        let document = try Document(parsing: [UInt8](data))
        let strings = document.root.elements.compactMap(\.string)
        #expect(strings.count == document.root.count)
        #expect(strings.count == 515)
        for string in strings {
            var builder = DocumentBuilder()
            builder.beginObject()
            builder.key(string)
            builder.string(string)
            builder.end()
            let built = builder.finish()
            #expect(built.root[string]?.string.map { Array($0.utf8) } == Array(string.utf8))
            let read = try Document(parsing: JSONWriter.pretty.bytes(of: built))
            #expect(read.root[string]?.string.map { Array($0.utf8) } == Array(string.utf8))
            let path = DocumentPath([.key(string), .index(7), .key(string)])
            #expect(try DocumentPath(parsing: path.description) == path)
        }
    }
}
