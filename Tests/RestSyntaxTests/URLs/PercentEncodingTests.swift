// SPDX-License-Identifier: Apache-2.0

import RestSyntax
import TestSupport
import Testing

@Suite(.tags(.specification)) struct PercentEncodingTests {
    @Test(arguments: [
        ("aZ09-._~", "aZ09-._~"), ("a b/c", "a%20b%2Fc"), ("é%", "%C3%A9%25"), ("", ""),
    ])
    func encodesAllButUnreservedCharacters(text: String, encoded: String) {
        var bytes: [UInt8] = []
        PercentEncoding.appendEncoded(text.utf8, to: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self) == encoded)
        #expect(PercentEncoding.decoded(encoded.utf8) == text)
    }

    @Test(arguments: [
        ("/a%2fb", "/a%2Fb"), ("/%zz%", "/%25zz%25"), ("/a b<>", "/a%20b%3C%3E"),
        ("/[x]?", "/[x]?"),
    ])
    func normalizesSpelling(text: String, normalized: String) {
        var bytes: [UInt8] = []
        PercentEncoding.appendNormalized(text.utf8, to: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self) == normalized)
    }

    @Test(arguments: [
        ("/a%2fb?c=d:@!$&'()*+,;=", "/a%2fb?c=d:@!$&'()*+,;="), ("/[x]", "/%5Bx%5D"),
        ("/%4", "/%254"), ("/é", "/%C3%A9"), ("%", "%25"), ("%4G", "%254G"),
    ])
    func encodesWhatPathsDoNotAllow(text: String, canonical: String) {
        let bytes = PercentEncoding.canonical(Array(text.utf8)[...])
        #expect(String(decoding: bytes, as: UTF8.self) == canonical)
    }

    @Test(arguments: ["%", "a%4", "%4G", "%FF", "%+1"])
    func returnsInvalidEncodingUnchanged(text: String) {
        #expect(PercentEncoding.decoded(text.utf8) == text)
    }

    @Test(arguments: [("+", " ", 1), ("%41", "A", 3), ("%4", "%", 1), ("a", "a", 1)])
    func decodesFormBytes(text: String, byte: Unicode.Scalar, length: Int) {
        let decoded = PercentEncoding.formByte(of: Array(text.utf8)[...])
        #expect(decoded.byte == UInt8(ascii: byte))
        #expect(decoded.length == length)
    }
}
