// SPDX-License-Identifier: Apache-2.0

import RestTransport
import Testing

@Suite struct EscapedTextTests {
    @Test func escapesUnambiguously() {
        #expect(EscapedText.of("grüße 👋🏽 日本") == "grüße 👋🏽 日本")
        #expect(EscapedText.of("👩‍✈️ می‌خواهم") == "👩‍✈️ می‌خواهم")
        #expect(EscapedText.of("a\\b") == "a\\\\b")
        #expect(EscapedText.of("\u{1B}\r\n\t") == "\\u{1B}\\r\\n\\t")
        #expect(EscapedText.of("\\u{1b}") == "\\\\u{1b}")
    }
}
