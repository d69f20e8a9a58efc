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

    @Test(arguments: [("y", true), ("YES", true), ("n", false), ("", false), (nil, false)])
    func readsAnswers(_ line: String?, _ isYes: Bool) async throws {
        let output = try await OutputCapture.run { console in
            let answer = await console.ask("Continue?", reading: { line })
            #expect(answer == isYes)
        }
        #expect(output == "Continue? [y/N] ")
    }

    /// More questions than the pool has threads wait for answers that a task gives.
    @Test func questionBlocksNoThreadOfThePool() async throws {
        let count = 4 * ProcessInfo.processInfo.activeProcessorCount
        let answers = DispatchSemaphore(value: 0)
        let overdue = DispatchTime.now() + .seconds(60)
        _ = try await OutputCapture.run { console in
            let yes = await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<count {
                    group.addTask {
                        await console.ask("Continue?") {
                            answers.wait(timeout: overdue) == .success ? "y" : nil
                        }
                    }
                }
                group.addTask {
                    for _ in 0..<count { answers.signal() }
                    return true
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(yes == count + 1)
        }
    }

    @Test func cancellationAnswersNo() async throws {
        _ = try await OutputCapture.run { console in
            let end = DispatchSemaphore(value: 0)
            let task = Task {
                await console.ask("Continue?") {
                    end.wait()
                    return "y"
                }
            }
            task.cancel()
            let answer = await task.value
            #expect(!answer)
            end.signal()
        }
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
