// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import RestCommands

@Suite struct TerminalTextTests {
    @Test(arguments: [
        ("Oslo", "Oslo"),
        ("São Paulo–Guarulhos 東京 🛫", "São Paulo–Guarulhos 東京 🛫"),
        ("\u{1B}[2J", "\\u{1B}[2J"),
        ("a\r\n\tb\u{0}", "a\\r\\n\\tb\\u{0}"),
        ("\u{7F}\u{85}\u{9B}31m", "\\u{7F}\\u{85}\\u{9B}31m"),
        ("a\u{AD}b\u{200B}c\u{FEFF}d\u{E0041}", "a\\u{AD}b\\u{200B}c\\u{FEFF}d\\u{E0041}"),
        ("👩‍✈️ می‌خواهم C:\\new", "👩‍✈️ می‌خواهم C:\\new"),
        ("user\u{202E}txt.exe\u{2066}\u{2028}", "user\\u{202E}txt.exe\\u{2066}\\u{2028}"),
    ])
    func escapesWhatATerminalObeys(text: String, shown: String) {
        #expect(TerminalText.escaped(text) == shown)
    }

    @Test func escapingIsIdempotent() {
        let once = TerminalText.escaped("\u{1B}]0;title\u{7}")
        #expect(TerminalText.escaped(once) == once)
    }

    @Test(arguments: [
        ("", 0), ("Oslo", 4), ("é", 1), ("e\u{301}", 1), ("東京", 4), ("🛫", 2), ("👩‍✈️", 2),
        ("ﾊ", 1), ("한국", 4),
    ])
    func countsTheColumnsOfATerminal(text: String, width: Int) {
        #expect(TerminalText.width(of: text) == width)
    }

    @Test(arguments: [
        ("Oslo", 4, "Oslo"), ("Gardermoen", 5, "Gard…"), ("東京国際", 5, "東京…"), ("東京", 2, "…"),
        ("\u{1B}[31mred", 6, "\\u{1B…"), ("Oslo", 0, ""),
    ])
    func cutsWhatDoesNotFit(text: String, width: Int, shown: String) {
        #expect(TerminalText.fitted(text, to: width) == shown)
        #expect(TerminalText.width(of: shown) <= width)
    }

    /// Covers every output of server text: tables, titles of progress bars, errors.
    @Test(
        .threat("T30"), .enabled(if: SharedFiles.isAvailable, "shared corpus not found"))
    func outputContainsNoControlCharacters() async throws {
        let data = try SharedFiles.data("suites/naughty-strings/blns.json")
        let texts =
            try JSONDecoder().decode([String].self, from: data)
            + (0..<0xA0).map { "\(Character(Unicode.Scalar(UInt8($0))))[31m" }
        let output = try await OutputCapture.run { console in
            for text in texts {
                var table = TextTable(.text(""), .number(""))
                table.add(text, text)
                table.lines(on: console).forEach(console.print)
                console.print(ProgressBar(text, total: 1, on: console).line(after: .seconds(1)))
                console.print("\(ToolError(.fileFailed, text, advice: text))")
                console.report(TerminalText.escaped(text))
            }
        }
        let harmful = output.unicodeScalars.filter {
            $0 != "\n" && ($0.value < 0x20 || (0x7F...0x9F).contains($0.value))
        }
        #expect(harmful.isEmpty)
        // As many lines as were printed: no text added a line break.
        #expect(
            output.split(separator: "\n", omittingEmptySubsequences: false).count
                == texts.count * 5 + 1)
    }
}
