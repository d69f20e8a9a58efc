// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestXML
import TestSupport
import Testing

@Suite struct XMLBytesTests {
    private static let seeds = [
        """
        <?xml version="1.0" encoding="UTF-8"?><!-- c --><a b="1" c='é'>x &amp; y<d/>\
        <![CDATA[<z>]]><d e="&lt;">&#65;</d><?p q?></a><!-- e -->
        """,
        "<!DOCTYPE r SYSTEM \"x\">\r\n<r xmlns='u' xmlns:p=\"q\"><p:a p:b='1'/><p:a/><c>]]</c></r>",
        "<a>\n <b>1</b>\n <c>2</c><b x='y'>3</b> t <!-- k --> <?u?><é>\u{1F600}</é></a>",
    ].map { Array($0.utf8) }

    private static let pieces: [[UInt8]] =
        [
            "<", ">", "/", "&", ";", "\"", "'", "=", "<!--", "-->", "<?", "?>", "<![CDATA[", "]]>",
            "a", ":", " ", "\n", "\r", "&amp;", "&#65;", "&#x", "</a>", "<a>", "<b/>", "\0", "é",
            "xmlns:p='u'", "xml", "!DOCTYPE", "[", "-", "\u{FFFE}", " b='1'",
        ].map { Array($0.utf8) } + [[0xFF], [0xC3]]

    /// Reading a part of a text ends with a document or a located error.
    @Test func readsEveryPrefixAndSuffix() throws {
        for seed in Self.seeds {
            for end in seed.indices {
                try XMLInvariants.check(Array(seed[..<end]))
                try XMLInvariants.check(Array(seed[end...]))
            }
        }
    }

    /// The mutations are the same in each run.
    @Test(.tags(.slow))
    func readsMutatedTexts() throws {
        var random = SplitMix(state: 27)
        var accepted = 0
        for _ in 0..<20_000 {
            var text = Self.seeds[Int.random(in: 0..<Self.seeds.count, using: &random)]
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let start = Int.random(in: 0...text.count, using: &random)
                let length = Int.random(in: 0...3, using: &random)
                let end = min(text.count, start + length)
                let piece = Self.pieces.randomElement(using: &random) ?? []
                text.replaceSubrange(start..<end, with: length == 3 ? [] : piece)
            }
            if try XMLInvariants.check(text) { accepted += 1 }
        }
        // Otherwise too few documents were compared.
        #expect(accepted > 500)
    }
}

/// A generator with the same numbers in each run.
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
