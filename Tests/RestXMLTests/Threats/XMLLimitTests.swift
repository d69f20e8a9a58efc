// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestXML
import TestSupport
import Testing

@Suite struct XMLLimitTests {
    /// Returns the error of a text that exceeds a limit, or `nil` if it exceeds none.
    private func excess(
        _ xml: String, _ change: (inout ParseLimits) -> Void = { _ in }
    ) throws -> DocumentError? {
        var limits = ParseLimits()
        change(&limits)
        do {
            _ = try XMLFormat().read(Array(xml.utf8), limits: limits)
            return nil
        } catch {
            try #require(error.code == .limitExceeded, "\(error)")
            return error
        }
    }

    enum Limit {
        case byteCount
        case depth
        case stringByteCount
        case memberCount
        case nodeCount

        func set(_ value: Int, in limits: inout ParseLimits) {
            switch self {
            case .byteCount: limits.byteCount = value
            case .depth: limits.depth = value
            case .stringByteCount: limits.stringByteCount = value
            case .memberCount: limits.memberCount = value
            case .nodeCount: limits.nodeCount = value
            }
        }
    }

    /// The text is accepted at the limit, and rejected with an error at the offset one below it.
    @Test(
        arguments: [
            ("<a>é</a>", .byteCount, 9, 8, ""),
            ("<a><b><c/></b><b/></a>", .depth, 3, 6, "a.b.c"),
            ("<a b='12&lt;3'/>", .stringByteCount, 7, 0, ""),
            ("<a><b>12345</b><b>1234</b></a>", .stringByteCount, 5, 6, "a.b"),
            ("<a><b>12<c/>34<![CDATA[5]]></b></a>", .stringByteCount, 5, 14, "a.b"),
            ("<a b='1' c='2'><d/><d/></a>", .memberCount, 4, 19, "a"),
            ("<a><b c='1' d='2' e='3'/></a>", .memberCount, 3, 3, "a.b"),
            ("<a b='1'><c/><c/></a>", .nodeCount, 8, 13, "a.c"),
        ] as [(String, Limit, Int, Int, DocumentPath)])
    func enforcesEachLimitAtItsValue(
        xml: String, limit: Limit, value: Int, offset: Int, path: DocumentPath
    ) throws {
        #expect(try excess(xml) { limit.set(value, in: &$0) } == nil)
        let error = try #require(try excess(xml) { limit.set(value - 1, in: &$0) })
        #expect(error.offset == offset, "\(error)")
        #expect(error.path == path, "\(error)")
        #expect(error.expected.contains("at most \(value - 1) "), "\(error)")
    }

    private static func nested(_ depth: Int) -> String {
        String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
    }

    @Test func readsElementsUpToDepthLimit() async throws {
        #expect(try excess(Self.nested(512)) == nil)
        let error = try #require(try excess(Self.nested(513)))
        #expect(error.offset == 512 * 3)
        #expect(error.path.components.count == 512)
        // Neither nested elements nor nested lists cause recursion.
        let lists =
            "<r>" + String(repeating: "<a/><a>", count: 50_000)
            + String(repeating: "</a>", count: 50_000) + "</r>"
        let objectCounts = try await onStack(of: 256 << 10) {
            var limits = ParseLimits()
            limits.depth = .max
            return try [Self.nested(200_000), lists].map { xml in
                let document = try XMLFormat().read(Array(xml.utf8), limits: limits)
                return JSONWriter.compact.bytes(of: document).count { $0 == UInt8(ascii: "{") }
            }
        }
        #expect(objectCounts == [200_000, 50_001])
    }

    @Test func limitsAttributesAndNames() throws {
        func attributes(_ count: Int, _ name: String) -> String {
            (0..<count).map { " \(name)\($0)='u'" }.joined()
        }
        #expect(
            try excess("<r><a\(attributes(1024, "b"))/><a\(attributes(1024, "b"))/></r>") == nil)
        #expect(try excess("<r><a\(attributes(1025, "b"))/></r>")?.offset == 3)
        let open = "<r\(attributes(1023, "xmlns:n"))>"
        #expect(try excess("\(open)<a b=''/><a b=''/></r>") == nil)
        #expect(try excess("\(open)<a b='' c=''/></r>")?.offset == open.utf8.count)

        func names(_ count: Int, _ text: (Int) -> String) -> String {
            "<r>" + (0..<count).map(text).joined() + "</r>"
        }
        #expect(try excess(names(65_535) { "<a\($0)/>" }) == nil)
        #expect(try excess(names(65_536) { "<a\($0)/>" })?.path == "r.a65535")
        #expect(try excess(names(65_536) { "<?a\($0)?>" })?.path == "r")
        #expect(try excess(names(65_536) { "<a xmlns='u:\($0)'/>" })?.path == "r.a")
        #expect(try excess(names(65_536) { _ in "<a xmlns='u:'/>" }) == nil)

        let name = String(repeating: "n", count: 50_001)
        for xml in ["<r><\(name)/></r>", "<r><a \(name)=''/></r>"] {
            #expect(try excess(xml.replacing(name, with: name.dropLast())) == nil)
            #expect(try excess(xml)?.offset == 3)
        }
    }

    @Test(
        .tags(.slow),
        arguments: [
            ("<a b='", "x", "'/>"), ("<!--", "x", "-->"), ("<![CDATA[", "x", "]]>"),
            ("</r", " ", ">"),
        ])
    func limitsMarkupLength(start: String, filler: String, end: String) throws {
        let length = 8 << 20
        let content = String(
            repeating: filler, count: length - start.utf8.count - end.utf8.count + 1)
        let error = try #require(try excess("<r>\(start)\(content)\(end)</r>"))
        #expect(error.offset == 3)
        #expect(error.expected == "at most \(length) bytes in a tag or comment")
        // libxml2 rejects values that are slightly longer than this one.
        if start == "<a b='" {
            #expect(try excess("<r>\(start)\(content.dropLast())\(end)</r>") == nil)
        }
    }
}
