// SPDX-License-Identifier: Apache-2.0

#if XML

import Foundation
import RestDocument
import RestXML
import Testing

@Suite struct XMLEntityTests {
    private let lenient = XMLFormat(allowsDocumentType: true)

    private func mistake(_ xml: String, _ format: XMLFormat) throws -> DocumentError {
        try #require(
            #expect(throws: DocumentError.self) { try format.read(Array(xml.utf8)) })
    }

    @Test(arguments: [
        "<!DOCTYPE a>", "<!DOCTYPE a SYSTEM 'x'>", "<!DOCTYPE a [<!ENTITY b 'x'>]>", "<!DOCTYPE",
    ])
    func refusesDocumentTypes(type: String) throws {
        let error = try mistake(
            "<?xml version='1.0'?>\n <!-- <!DOCTYPE x> -->\(type)<a/>", XMLFormat())
        #expect(error.code == .unexpectedByte)
        #expect(error.line == 2 && error.column == 23)
        #expect(error.expected == "expected no document type")
    }

    @Test(arguments: [
        "<!DOCTYPE a>", "<!DOCTYPE\na >", "<!DOCTYPE a SYSTEM \"]>[\" >",
        "<!DOCTYPE plist PUBLIC '-//Apple//DTD PLIST 1.0//EN'\n\"http://[::1]/'x'\">\n<!-- c -->",
    ])
    func passesOverOneThatIsAllowed(type: String) throws {
        let xml = "<?xml version='1.0'?>\(type)\n<a>x<![CDATA[<!DOCTYPE a [<!ENTITY]]></a>"
        let document = try lenient.read(Array(xml.utf8))
        #expect(document.root["a"]?.string == "x<!DOCTYPE a [<!ENTITY")
        // libxml2 would only warn of such an entity, as the type might declare it.
        let error = try mistake("\(type)\n<a>\n&nbsp;</a>", lenient)
        #expect(error.code == .unexpectedByte)
        #expect(error.column == 1)
    }

    @Test(arguments: [
        ("<!DOCTYPE a [<!ENTITY b 'x'>]><a>&b;</a>", 12),
        ("<!DOCTYPE a SYSTEM 'b]>' [\n<!ENTITY % c SYSTEM 'file:///etc/passwd'>]><a/>", 25),
        ("<!DOCTYPE a[]><a/>", 11), ("<!DOCTYPE a SYSTEM><a/>", 18),
        ("<!DOCTYPE a PUBLIC 'p'><a/>", 22), ("<!DOCTYPE a x><a/>", 12),
        ("<!DOCTYPE><a/>", 9), ("<!doctype a><a/>", 1),
        ("<!DOCTYPE a><!DOCTYPE a><a/>", 13), ("<a><!DOCTYPE a></a>", 4),
        ("<a><!ENTITY b 'x'></a>", 4),
    ])
    func refusesDeclarationsEvenThen(xml: String, offset: Int) throws {
        let error = try mistake(xml, lenient)
        #expect(error.code == .unexpectedByte)
        #expect(error.offset == offset, "\(error)")
    }

    /// A billion laughs, and a long entity many times over: nothing grows.
    @Test(arguments: [XMLFormat(), XMLFormat(allowsDocumentType: true)])
    func refusesBombs(format: XMLFormat) throws {
        var laughs = "<!DOCTYPE l [<!ENTITY l0 'lol'>"
        for level in 1..<20 {
            let body = String(repeating: "&l\(level - 1);", count: 10)
            laughs += "<!ENTITY l\(level) '\(body)'>"
        }
        #expect(try mistake("\(laughs)]><l>&l19;</l>", format).code == .unexpectedByte)
        let long = String(repeating: "x", count: 100_000)
        let blowUp =
            "<!DOCTYPE a [<!ENTITY b '\(long)'>]><a>\(String(repeating: "&b;", count: 100_000))</a>"
        #expect(try mistake(blowUp, format).code == .unexpectedByte)
    }

    /// The file that a document names declares an entity: were it loaded, there would be a text.
    @Test func loadsNothingFromOutside() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).dtd")
        try Data("<!ENTITY b 'secret'>".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        for type in ["SYSTEM '\(file.absoluteString)'", "PUBLIC 'p' '\(file.path)'"] {
            let head = "<!DOCTYPE a \(type)>"
            #expect(try lenient.read(Array("\(head)<a>x</a>".utf8)).root["a"]?.string == "x")
            #expect(try mistake("\(head)<a>&b;</a>", lenient).code == .unexpectedByte)
        }
        let include = """
            <a xmlns:xi="http://www.w3.org/2001/XInclude"><xi:include href="\(file.path)"/></a>
            """
        let document = try lenient.read(Array(include.utf8))
        #expect(document.root["a"]?["xi:include"]?["href"]?.string == file.path)
    }
}

#endif
