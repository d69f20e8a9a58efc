// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import TestSupport
import Testing

/// UTF-8 stress cases, naughty strings and public documents, with chunks that end inside characters.
@Suite(.enabled(if: SharedFiles.isAvailable, "shared corpus not found"))
struct StreamingTextTests {
    @Test(.threat("T04"), arguments: TextSuiteTests.cases, Wrapper.all)
    func readsOnlyWellFormedText(_ item: TextSuiteTests.Case, _ wrapper: Wrapper) throws {
        let string = [0x22] + item.content + [0x22]
        let forms = [
            string, Array("{".utf8) + string + Array(":1}".utf8),
            Array("{\"k\":[\"é\",".utf8) + string + Array("]}".utf8),
        ]
        for text in forms {
            try expectSame(wrapper.wrap(text), as: text, wrapper.framing)
            try expectSame(text, as: text, .lines)
        }
    }

    @Test(arguments: TextSuiteTests.cases)
    func validatesSkippedText(_ item: TextSuiteTests.Case) throws {
        let string = [0x22] + item.content + [0x22]
        let items = DocumentFraming.elements(at: "items")
        for (before, after) in [
            ("{\"a\":", ",\"items\":[1]}"), ("{\"a\":[{", ":0}],\"items\":[1]}"),
        ] {
            let text = Array(before.utf8) + string + Array(after.utf8)
            for cut in [1, 2, 3, 7, .max] {
                let streamed = StreamedText(text, cut: cut, items)
                if item.isValid {
                    #expect(streamed.error == nil)
                    #expect(streamed.texts == ["1"])
                } else {
                    #expect(streamed.documents.isEmpty)
                    // A document is validated as a whole, so its error has no path.
                    var expected = wholeError(text)
                    expected?.path = before.contains("[") ? "a[0]" : "a"
                    #expect(streamed.error == expected)
                }
            }
        }
    }

    private func expectSame(
        _ text: [UInt8], as element: [UInt8], _ framing: DocumentFraming
    ) throws {
        let document = try? Document(parsing: element)
        for cut in [1, 2, 3, 7, .max] {
            let streamed = StreamedText(text, cut: cut, framing)
            #expect(streamed.documents == (document.map { [$0] } ?? []))
            guard document == nil else {
                #expect(streamed.error == nil)
                continue
            }
            let (error, expected) = (streamed.error, wholeError(text))
            #expect(error?.code == .invalidUTF8)
            #expect(error?.offset == expected?.offset)
            #expect(error?.column == expected?.column)
            #expect(error?.line == expected?.line)
        }
    }

    private func wholeError(_ text: [UInt8]) -> DocumentError? {
        guard case .failure(let error) = StreamingSuiteTests.verdict(text) else { return nil }
        return error
    }

    @Test func preservesNaughtyStrings() throws {
        let bytes = [UInt8](try SharedFiles.data("suites/naughty-strings/blns.json"))
        let whole = try Document(parsing: bytes).root.elements.map { Array(($0.string ?? "").utf8) }
        for cut in StreamedText.cuts {
            let streamed = StreamedText(bytes, cut: cut)
            #expect(streamed.error == nil)
            #expect(streamed.documents.map { Array(($0.root.string ?? "").utf8) } == whole)
        }
    }

    @Test(arguments: CorpusTests.files, [7, 4096])
    func readsPublicDocuments(_ path: String, _ cut: Int) throws {
        let bytes = [UInt8](try SharedFiles.data(path))
        let document = try Document(parsing: bytes)
        for wrapper in Wrapper.all {
            let streamed = StreamedText(wrapper.wrap(bytes), cut: cut, wrapper.framing)
            #expect(streamed.error == nil)
            #expect(streamed.documents == [document])
        }
        let line = JSONWriter.compact.bytes(of: document)
        #expect(
            StreamedText(line + [0x0A] + line, cut: cut, .lines).documents == [document, document])
        // The arrays of the document, if there are any.
        let arrays = document.root.members.filter { $0.value.kind == .array }
        for (key, array) in arrays {
            let path = DocumentPath.root.appending(key: key)
            let streamed = StreamedText(bytes, cut: cut, .elements(at: path))
            #expect(streamed.error == nil)
            #expect(streamed.documents.map(\.root) == Array(array.elements))
        }
        if document.root.kind == .array {
            let streamed = StreamedText(bytes, cut: cut)
            #expect(streamed.documents.map(\.root) == Array(document.root.elements))
        }
    }
}
