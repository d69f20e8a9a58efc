// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import RestXML
import Testing

@Suite struct XMLEntityTests {
    private let lenient = XMLFormat(allowsDocumentType: true)

    private func error(in xml: String, _ format: XMLFormat) throws -> DocumentError {
        try #require(
            #expect(throws: DocumentError.self) { try format.read(Array(xml.utf8)) })
    }

    @Test(arguments: [
        "<!DOCTYPE a>", "<!DOCTYPE a SYSTEM 'x'>", "<!DOCTYPE a [<!ENTITY b 'x'>]>", "<!DOCTYPE",
    ])
    func rejectsDocumentTypes(type: String) throws {
        let error = try error(
            in:
                "<?xml version='1.0'?>\n <!-- <!DOCTYPE x> -->\(type)<a/>", XMLFormat())
        #expect(error.code == .unexpectedByte)
        #expect(error.line == 2 && error.column == 23)
        #expect(error.expected == "expected no document type")
    }

    @Test(arguments: [
        "<!DOCTYPE a>", "<!DOCTYPE\na >", "<!DOCTYPE a SYSTEM \"]>[<\" >",
        "<!DOCTYPE plist PUBLIC '-//Apple//DTD PLIST 1.0//EN'\n\"http://[::1]/'x'\">\n<!-- c -->",
    ])
    func ignoresAllowedDocumentTypes(type: String) throws {
        let xml = "<?xml version='1.0'?>\(type)\n<a>x<![CDATA[<!DOCTYPE a [<!ENTITY]]></a>"
        let document = try lenient.read(Array(xml.utf8))
        #expect(document.root["a"]?.string == "x<!DOCTYPE a [<!ENTITY")
        // For libxml2 the entity is only a warning, as the external type might declare it.
        let error = try self.error(in: "\(type)\n<a>\n&nbsp;</a>", lenient)
        #expect(error.code == .unexpectedByte)
        #expect(error.column == 1)
    }

    @Test(arguments: [
        ("<!DOCTYPE a [<!ENTITY b 'x'>]><a>&b;</a>", 12),
        ("<!DOCTYPE a SYSTEM 'b]>' [\n<!ENTITY % c SYSTEM 'file:///etc/passwd'>]><a/>", 25),
        ("<!DOCTYPE a[]><a/>", 11), ("<!DOCTYPE a SYSTEM><a/>", 18),
        ("<!DOCTYPE a PUBLIC 'p'><a/>", 22), ("<!DOCTYPE a x><a/>", 12),
        ("<!DOCTYPE><a/>", 9), ("<!DOCTYPEa><a/>", 9), ("<!doctype a><a/>", 1),
        ("<!DOCTYPE a><!DOCTYPE a><a/>", 13), ("<a><!DOCTYPE a></a>", 4),
        ("<a><!ENTITY b 'x'></a>", 4),
    ])
    func rejectsDeclarationsInAllowedDocumentTypes(xml: String, offset: Int) throws {
        let error = try self.error(in: xml, lenient)
        #expect(error.code == .unexpectedByte)
        #expect(error.offset == offset, "\(error)")
    }

    /// Exponential and quadratic entity expansion.
    @Test(arguments: [XMLFormat(), XMLFormat(allowsDocumentType: true)])
    func rejectsEntityExpansion(format: XMLFormat) throws {
        var laughs = "<!DOCTYPE l [<!ENTITY l0 'lol'>"
        for level in 1..<20 {
            let body = String(repeating: "&l\(level - 1);", count: 10)
            laughs += "<!ENTITY l\(level) '\(body)'>"
        }
        #expect(try error(in: "\(laughs)]><l>&l19;</l>", format).code == .unexpectedByte)
        let long = String(repeating: "x", count: 100_000)
        let blowUp =
            "<!DOCTYPE a [<!ENTITY b '\(long)'>]><a>\(String(repeating: "&b;", count: 100_000))</a>"
        #expect(try error(in: blowUp, format).code == .unexpectedByte)
    }

    /// The external type declares an entity that would be expanded if the type were loaded.
    @Test func loadsNoExternalFiles() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).dtd")
        try Data("<!ENTITY b 'secret'>".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        for type in ["SYSTEM '\(file.absoluteString)'", "PUBLIC 'p' '\(file.path)'"] {
            let head = "<!DOCTYPE a \(type)>"
            #expect(try lenient.read(Array("\(head)<a>x</a>".utf8)).root["a"]?.string == "x")
            #expect(try error(in: "\(head)<a>&b;</a>", lenient).code == .unexpectedByte)
        }
        let include = """
            <a xmlns:xi="http://www.w3.org/2001/XInclude"><xi:include href="\(file.path)"/></a>
            """
        let document = try lenient.read(Array(include.utf8))
        #expect(document.root["a"]?["xi:include"]?["href"]?.string == file.path)
    }
}
