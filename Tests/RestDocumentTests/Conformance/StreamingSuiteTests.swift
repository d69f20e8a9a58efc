// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import TestSupport
import Testing

/// The conformance files as elements that arrive in chunks.
@Suite(.tags(.specification), .enabled(if: SharedFiles.isAvailable, "shared corpus not found"))
struct StreamingSuiteTests {
    static let files: [String] =
        ["test_parsing", "jsonchecker", "roundtrip", "test_transform"].flatMap {
            JSONSuiteTests.files($0, prefix: "")
        }

    static func verdict(_ bytes: [UInt8]) -> Result<Document, DocumentError> {
        Result { () throws(DocumentError) in try Document(parsing: bytes) }
    }

    @Test(arguments: files, Wrapper.all)
    func readsElementsAsDocuments(_ path: String, _ wrapper: Wrapper) throws {
        let bytes = [UInt8](try SharedFiles.data(path))
        let text = wrapper.wrap(bytes)
        for cut in StreamedText.cuts + [.max] {
            let streamed = StreamedText(text, cut: cut, wrapper.framing)
            switch Self.verdict(bytes) {
            case .success(let document):
                #expect(streamed.error == nil)
                #expect(streamed.documents == [document])
                let written = streamed.documents.map { JSONWriter.compact.bytes(of: $0) }
                #expect(try written.map { try Document(parsing: $0) } == [document])
                #expect(streamed.documents.first?.issues.count == document.issues.count)
            case .failure(let error):
                try expect(streamed, wrapping: error, of: bytes, in: wrapper)
            }
        }
    }

    /// A rejected element has the same error at the same location, unless the text around it supplies
    /// what it lacks.
    private func expect(
        _ streamed: StreamedText, wrapping error: DocumentError, of bytes: [UInt8],
        in wrapper: Wrapper
    ) throws {
        let whole = Self.verdict(wrapper.wrap(bytes))
        if case .success(let document) = whole {
            // For example `1,2` or an empty text.
            #expect(error.code == .trailingContent || error.code == .unexpectedEnd)
            #expect(streamed.error == nil)
            let array = try #require(document.root[arrayPath(wrapper)])
            #expect(streamed.documents.map(\.root) == Array(array.elements))
            return
        }
        guard case .failure(let expected) = whole else { return }
        let found = try #require(streamed.error)
        if expected.code == .unsupportedEncoding, expected.code != found.code {
            // The encoding is only detected at the start of the stream.
            return
        }
        if expected.code == .invalidUTF8 {
            // A document is validated as UTF-8 before it is parsed; a stream reports the first error.
            #expect(found.offset <= expected.offset)
            if found.offset < expected.offset {
                let prefix = Array(wrapper.wrap(bytes).prefix(expected.offset))
                guard case .failure(let first) = Self.verdict(prefix) else { return }
                #expect(found.offset == first.offset)
                #expect(found.code == first.code || first.code == .unexpectedEnd)
            } else {
                #expect(found.code == .invalidUTF8)
                #expect((found.line, found.column) == (expected.line, expected.column))
            }
            return
        }
        #expect(found == expected)
        // Otherwise the wrapper changes the error: it ends the text, adds depth, or begins the text.
        let wrapperDecides: [DocumentError.Code] = [
            .trailingContent, .unexpectedEnd, .limitExceeded, .unsupportedEncoding,
        ]
        if !wrapperDecides.contains(error.code), bytes.first != UInt8(ascii: "]") {
            #expect(found.code == error.code)
            #expect(found.offset == wrapper.prefix.utf8.count + error.offset)
            #expect(found.path.components.starts(with: wrapper.path.components))
        }
    }

    private func arrayPath(_ wrapper: Wrapper) -> DocumentPath {
        DocumentPath(wrapper.path.components.dropLast())
    }

    @Test(arguments: files)
    func readsRootArrays(_ path: String) throws {
        let bytes = [UInt8](try SharedFiles.data(path))
        for cut in StreamedText.cuts {
            let streamed = StreamedText(bytes, cut: cut)
            switch Self.verdict(bytes) {
            case .success(let document):
                guard document.root.kind == .array else {
                    #expect(streamed.error?.code == .missingArray)
                    continue
                }
                #expect(streamed.error == nil)
                #expect(streamed.documents.map(\.root) == Array(document.root.elements))
            case .failure(let error):
                let found = try #require(streamed.error)
                if found.code == .missingArray {
                    #expect(found.offset <= error.offset)
                } else if error.code == .invalidUTF8 {
                    #expect(found.offset <= error.offset)
                } else {
                    #expect(found == error)
                }
            }
        }
    }

    @Test(arguments: files)
    func readsLines(_ path: String) throws {
        let bytes = [UInt8](try SharedFiles.data(path))
        let line = bytes.filter { $0 != 0x0A }
        let isBlank = line.allSatisfy { [0x20, 0x09, 0x0D].contains($0) }
        let leading = line.prefix { [0x20, 0x09, 0x0D].contains($0) }.count
        for cut in StreamedText.cuts {
            for end in ["\n", "\r\n", ""] {
                let text = Array("[1]\n \n".utf8) + line + Array(end.utf8)
                let streamed = StreamedText(text, cut: cut, .lines)
                #expect(streamed.texts.first == "[1]")
                switch Self.verdict(Array(line.dropFirst(leading))) {
                case .success(let document):
                    #expect(streamed.error == nil)
                    #expect(streamed.documents.dropFirst() == [document])
                case .failure where isBlank:
                    #expect(streamed.error == nil)
                case .failure(let error):
                    let found = try #require(streamed.error)
                    #expect(found.line == 3)
                    #expect(found.path == error.path)
                    // An unterminated string contains the carriage return.
                    if end == "\r\n", error.code == .unexpectedEnd { continue }
                    #expect(found.code == error.code)
                    #expect(found.offset == error.offset + 6 + leading)
                }
            }
        }
    }
}
