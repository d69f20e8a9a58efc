// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import TestSupport
import Testing

/// The number lists of other parsers, with the expected bits of every double.
@Suite(.tags(.specification), .enabled(if: SharedFiles.isAvailable, "shared corpus not found"))
struct NumberSuiteTests {
    static func files(_ folder: String, where isWanted: (String) -> Bool) -> [String] {
        let all = (try? SharedFiles.files(in: "suites/json-numbers/\(folder)")) ?? []
        return all.filter { isWanted($0.split(separator: "/").last.map(String.init) ?? "") }
    }

    static func lines(_ path: String) throws -> [String] {
        String(decoding: try SharedFiles.data(path), as: UTF8.self)
            .split(separator: "\n").map(String.init).filter { !$0.hasPrefix("#") }
    }

    @Test(arguments: files("fxx") { $0.hasSuffix(".txt") })
    func readsExpectedBits(_ path: String) throws {
        var count = 0
        for line in try Self.lines(path) where line.utf8.count > 31 {
            let text = String(line.dropFirst(31))
            guard text.wholeMatch(of: /-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/) != nil
            else { continue }
            let bits = try #require(UInt64(line.dropFirst(14).prefix(16), radix: 16))
            try expect(text, is: Double(bitPattern: bits))
            count += 1
        }
        #expect(count > 0)
    }

    @Test(
        arguments: files("yyjson-num") {
            $0.hasPrefix("int") && !$0.contains("fail") || $0.hasPrefix("real_")
                || $0 == "real(inf).txt"
        })
    func readsEveryNumber(_ path: String) throws {
        for text in try Self.lines(path) { try unsafe expect(text, is: strtod(text, nil)) }
    }

    @Test(
        arguments: files("yyjson-num") {
            $0.hasPrefix("literal") || $0.hasPrefix("hex") || $0.contains("(ext)")
                || $0.contains("(fail)")
        })
    func rejectsMalformedNumbers(_ path: String) throws {
        for text in try Self.lines(path) {
            #expect(throws: DocumentError.self, "\(text)") { try Document(parsing: text) }
        }
    }

    private func expect(_ text: String, is expected: Double) throws {
        let root = try Document(parsing: text).root
        #expect(root.numberText == text)
        if expected.isInfinite {
            #expect(root.double == nil, "\(text)")
        } else if let double = root.double, double == 0, expected == 0, root.int64 == 0 {
            #expect(double.sign == expected.sign, "\(text)")
        } else {
            #expect(root.double?.bitPattern == expected.bitPattern, "\(text)")
        }
    }
}
