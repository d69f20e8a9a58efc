// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import RestXML
import TestSupport
import Testing

@Suite struct XMLMistakeTests {
    private func mistake(_ bytes: [UInt8], _ limits: ParseLimits = .default) -> DocumentError? {
        #expect(throws: DocumentError.self) { try XMLFormat().read(bytes, limits: limits) }
    }

    @Test(
        arguments: [
            ("", .unexpectedEnd, 1, 1),
            ("  ", .unexpectedEnd, 1, 3),
            ("<a>\n <b>x</b>\n", .unexpectedEnd, 3, 1),
            ("<a>\n <b>x</c>\n</a>", .unexpectedByte, 2, 11),
            ("<a>\n  <b c=1/>\n</a>", .unexpectedByte, 2, 8),
            ("<a>\n<b c='1' c='2'/></a>", .duplicateKey, 2, 18),
            ("<a>\n&nbsp;</a>", .unexpectedByte, 2, 7),
            ("<a/>\n<b/>", .unexpectedByte, 2, 1),
            ("<a>\n\u{1}</a>", .unexpectedByte, 2, 1),
            ("{\"a\": 1}", .unexpectedByte, 1, 1),
        ] as [(String, DocumentError.Code, Int, Int)])
    func saysWhere(xml: String, code: DocumentError.Code, line: Int, column: Int) throws {
        let error = try #require(mistake(Array(xml.utf8)))
        #expect(error.code == code, "\(error)")
        #expect(error.line == line, "\(error)")
        #expect(error.column == column, "\(error)")
        #expect(!error.description.contains("\n"))
    }

    @Test func namesTheElementThatIsOpen() throws {
        let error = try #require(mistake(Array("<a><b><c>secret".utf8)))
        #expect(error.path == DocumentPath([.key("a"), .key("b"), .key("c")]))
        #expect(error.description.hasSuffix("expected the end of element c"))
        #expect(!error.description.contains("secret"))
    }

    @Test func refusesWhatIsNotUTF8() throws {
        let bytes = Array("<a>\n x".utf8) + [0xE9] + Array("</a>".utf8)
        let error = try #require(mistake(bytes))
        #expect(error.code == .invalidUTF8)
        #expect((error.line, error.column) == (2, 3))
    }

    @Test(
        arguments: [
            Array("<?xml version='1.0' encoding='UTF-7'?><a/>".utf8),
            Array("<?xml version='1.0' encoding=\"EBCDIC-US\"?><a/>".utf8),
            [0xFF, 0xFE, 0x3C, 0, 0x61, 0, 0x2F, 0, 0x3E, 0], [0, 0x3C, 0, 0x61, 0, 0x2F, 0, 0x3E],
            [0x3C, 0, 0x61, 0, 0x2F, 0, 0x3E, 0],
        ] as [[UInt8]])
    func refusesOtherEncodings(bytes: [UInt8]) {
        #expect(mistake(bytes)?.code == .unsupportedEncoding)
    }

    @Test(arguments: [
        "<!DOCTYPE a [<!ENTITY b 'x'>]><a>&b;</a>",
        "<!DOCTYPE a SYSTEM \"b]>\" [\n<!ENTITY % c SYSTEM 'file:///etc/passwd'>]><a/>",
        "<?xml version='1.0'?>\n<!-- <!DOCTYPE x> -->\n<!DOCTYPE a [<!ELEMENT a ANY>]><a/>",
    ])
    func refusesDeclarations(xml: String) throws {
        let error = try #require(mistake(Array(xml.utf8)))
        #expect(error.code == .unexpectedByte)
        #expect(error.expected == "a document type without declarations of its own")
        #expect(xml.utf8.dropFirst(error.offset).first == UInt8(ascii: "["))
    }

    /// A billion laughs, and a long entity often: neither grows nor takes time.
    @Test func refusesBombs() throws {
        var laughs = "<!DOCTYPE l [<!ENTITY l0 'lol'>"
        for level in 1..<20 {
            let body = String(repeating: "&l\(level - 1);", count: 10)
            laughs += "<!ENTITY l\(level) '\(body)'>"
        }
        laughs += "]><l>&l19;</l>"
        #expect(mistake(Array(laughs.utf8))?.code == .unexpectedByte)
    }

    /// What a document names outside is not loaded: the file holds what would make a mistake.
    @Test func loadsNothingFromOutside() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).dtd")
        try Data("<!ENTITY b 'secret'> <".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let head = "<!DOCTYPE a SYSTEM '\(file.absoluteString)'>"
        let document = try XMLFormat().read(Array("\(head)<a>x</a>".utf8), limits: .default)
        #expect(document.root["a"]?.string == "x")
        #expect(mistake(Array("\(head)<a>&b;</a>".utf8)) != nil)
    }

    @Test func takesAPublicDocumentTypeAndItsWordsElsewhere() throws {
        let plist = """
            <?xml version="1.0"?><!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://[::1]/x">
            <plist><![CDATA[<!DOCTYPE a [<!ENTITY]]></plist>
            """
        let document = try XMLFormat().read(Array(plist.utf8), limits: .default)
        #expect(document.root["plist"]?.string == "<!DOCTYPE a [<!ENTITY")
    }

    @Test func holdsEachLimitAtItsValue() throws {
        func isWithin(_ xml: String, _ change: (inout ParseLimits) -> Void) -> Bool {
            var limits = ParseLimits()
            change(&limits)
            do {
                _ = try XMLFormat().read(Array(xml.utf8), limits: limits)
                return true
            } catch {
                #expect(error.code == .limitExceeded)
                return false
            }
        }
        let xml = "<a><b c='123'>12345</b><b/></a>"
        for (limit, isEnough) in [(xml.utf8.count, true), (xml.utf8.count - 1, false)] {
            #expect(isWithin(xml) { $0.byteCount = limit } == isEnough)
        }
        for (limit, isEnough) in [(5, true), (4, false)] {
            #expect(isWithin(xml) { $0.stringByteCount = limit } == isEnough)
        }
        for (limit, isEnough) in [(2, true), (1, false)] {
            #expect(isWithin(xml) { $0.memberCount = limit } == isEnough)
        }
        #expect(isWithin(xml) { $0.nodeCount = 20 })
        #expect(!isWithin(xml) { $0.nodeCount = 10 })
        for depth in [1, 5, 200] {
            let nested =
                String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
            #expect(isWithin(nested) { $0.depth = depth + 1 })
            #expect(!isWithin(nested) { $0.depth = depth })
        }
        let deep = String(repeating: "<a>", count: 100_000)
        #expect(!isWithin(deep) { $0.depth = .max })
    }

    /// Whatever is cut off or changed, there is a document or a typed error with a place in it.
    @Test(.tags(.slow))
    func endsForAnyBytes() throws {
        let xml = Array(
            """
            <?xml version="1.0" encoding="UTF-8"?><!DOCTYPE a SYSTEM "x"><!-- c -->
            <a b="1" c='é'>x &amp; y<d/><![CDATA[<z>]]><d e="&lt;">&#65;</d></a>
            """.utf8)
        var random = SystemRandomNumberGenerator()
        for place in xml.indices {
            for replacement in [[], [UInt8.random(in: 0...255, using: &random)], [0x3C], [0x5B]] {
                let changed = Array(xml[..<place]) + replacement + Array(xml[(place + 1)...])
                for bytes in [changed, Array(xml[..<place])] {
                    do {
                        _ = try XMLFormat().read(bytes, limits: .default)
                    } catch {
                        #expect((0...bytes.count).contains(error.offset))
                        #expect(error.line >= 1 && error.column >= 1)
                    }
                }
            }
        }
    }
}
