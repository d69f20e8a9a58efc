// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import RestCommands

@Suite struct ConsoleTests {
    @Test func writesPlainLinesWithoutTerminal() async throws {
        let output = try await OutputCapture.run { console in
            var bar = ProgressBar("airports", total: 2, on: console)
            bar.advance(by: 2)
            bar.finish()
            console.print(console.styled("done", .green))
        }
        #expect(output == "done\n")
    }

    @Test func removesProgressBarBeforeALine() async throws {
        let output = try await OutputCapture.run(progress: true) { console in
            console.showProgress("half")
            console.print("line")
            console.showProgress("more")
            console.showProgress(nil)
        }
        #expect(output == "half\r\u{1B}[Kline\nmore\r\u{1B}[K")
    }

    @Test func appliesStylesWithColours() async throws {
        let output = try await OutputCapture.run(colour: true) { console in
            console.print(console.styled("done", .green))
        }
        #expect(output == "\u{1B}[32mdone\u{1B}[0m\n")
    }

    @Test(arguments: [20, 40, 80, 200])
    func drawsABarThatFits(width: Int) async throws {
        _ = try await OutputCapture.run(progress: true, width: width) { console in
            var bar = ProgressBar("flights", total: 418, on: console)
            bar.advance(by: 100)
            let line = bar.line(after: .milliseconds(500))
            #expect(line.contains("100/418  200/s"))
            #expect(line.count < max(width, 30))
        }
    }

    @Test func continuesAfterClosedPipe() throws {
        let pipe = Pipe()
        try pipe.fileHandleForReading.close()
        signal(SIGPIPE, SIG_IGN)
        let console = Console(
            output: pipe.fileHandleForWriting, diagnostics: pipe.fileHandleForWriting,
            usesColour: false, showsProgress: false)
        console.print("one")
        console.print("two")
    }

    @Test func alignsColumnsByWidth() async throws {
        var table = TextTable(.text("city"), .number("flights"))
        table.add("Oslo", "7")
        table.add("東京", "120")
        table.add(String(repeating: "x", count: 60), "1")
        _ = try await OutputCapture.run { console in
            let cut = String(repeating: "x", count: 43) + "…"
            let pad = String(repeating: " ", count: 40)
            #expect(
                table.lines(on: console) == [
                    "  city\(pad)  flights",
                    "  Oslo\(pad)        7",
                    "  東京\(pad)      120",
                    "  \(cut)        1",
                ])
        }
    }
}
