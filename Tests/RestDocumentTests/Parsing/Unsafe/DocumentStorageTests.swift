// SPDX-License-Identifier: Apache-2.0

import RestDocument
import Testing

@Suite struct DocumentStorageTests {
    /// Returns a buffer as a transport fills it: with space for the padding, which is not yet zero.
    private func received(_ text: String) -> UnsafeMutablePointer<UInt8> {
        let count = text.utf8.count
        let bytes = unsafe allocateBytes(count + DocumentStorage.padding)
        unsafe bytes.update(repeating: 0x31, count: count + DocumentStorage.padding)
        for (position, byte) in text.utf8.enumerated() { unsafe bytes[position] = byte }
        return unsafe bytes
    }

    @Test func adoptsBytesWithoutCopying() throws {
        let text = #"{"a":[1,2]}"#
        let bytes = unsafe received(text)
        let document = try unsafe Document(adopting: bytes, byteCount: text.utf8.count)
        #expect(document.root["a"]?.count == 2)
        #expect(unsafe document.storage.bytes == UnsafePointer(bytes))
    }

    @Test(arguments: ["", "1", "[1", "12", "\"a", "[\"\\", "tru", "-", "1e"])
    func ignoresBytesAfterTheEnd(_ text: String) throws {
        let bytes = unsafe received(text)
        let adopted = unsafe try? Document(adopting: bytes, byteCount: text.utf8.count)
        #expect(adopted == (try? Document(parsing: text)))
    }

    @Test func parsesRawBytes() throws {
        let text = Array("[null]".utf8)
        let document = try unsafe text.withUnsafeBytes { try unsafe Document(parsing: $0) }
        #expect(document.root[0]?.isNull == true)
        #expect(throws: DocumentError.self) {
            try unsafe Document(parsing: UnsafeRawBufferPointer(start: nil, count: 0))
        }
    }
}
