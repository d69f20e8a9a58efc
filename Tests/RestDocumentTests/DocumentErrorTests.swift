// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import Testing

@Suite struct DocumentErrorTests {
    static let codes: [DocumentError.Code] = [
        .unexpectedEnd, .unexpectedByte, .invalidNumber, .invalidString, .invalidEscape,
        .loneSurrogate, .invalidUTF8, .unsupportedEncoding, .trailingContent, .limitExceeded,
        .duplicateKey, .missingArray, .invalidPath, .unwritableValue, .unregisteredFormat,
        .unreadableFile, .notDecodable, .notEncodable,
    ]

    @Test func localizedDescriptionsAreDistinctSentences() {
        let texts = Self.codes.map { code in
            (DocumentError(code, offset: 3, expected: "") as any Error).localizedDescription
        }
        #expect(Set(texts).count == Self.codes.count)
        for (code, text) in zip(Self.codes, texts) {
            #expect(text.hasPrefix("The ") && text.hasSuffix("."), "\(text)")
            #expect(!text.contains("(\(code))"), "\(text)")
        }
    }

    @Test func localizedDescriptionHasLocationAndReason() {
        let error = #expect(throws: DocumentError.self) {
            try Document(parsing: #"{"articles": [{"id": 01}]}"#)
        }
        #expect(
            error?.localizedDescription
                == "The document has an invalid number at articles[0].id, in line 1, column 23: "
                + "no digit after a leading zero.")
        let empty = #expect(throws: DocumentError.self) { try Document(parsing: "") }
        #expect(
            empty?.localizedDescription
                == "The document ends too early in line 1, column 1: expected a value.")
    }

    @Test(arguments: codes, ["", "a.b"])
    func descriptionsHaveNoEmptyParts(_ code: DocumentError.Code, _ path: String) throws {
        let path = try DocumentPath(parsing: path)
        for expected in ["", "a reason"] {
            let error = DocumentError(code, offset: 3, path: path, expected: expected)
            for text in [error.description, error.localizedDescription] {
                #expect(!text.contains("  ") && !text.contains(" :"), "\(text)")
                #expect(!text.contains("at ,") && !text.contains("at (") && !text.hasSuffix(":"))
                #expect(!text.hasSuffix(": ") && !text.contains(": ."), "\(text)")
            }
        }
    }
}
