// SPDX-License-Identifier: Apache-2.0

package import Foundation
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The tool's output: results on standard output, progress and errors on standard error.
///
/// Colours and progress appear on terminals only. Arguments must be escaped: text from a server
/// goes through ``TerminalText/escaped(_:)`` first.
package final class Console: Sendable {
    private struct State {
        /// The number of progress lines on the screen.
        var progressLineCount = 0
        /// A Boolean value that indicates whether the reader closed the output.
        var isClosed = false
    }

    private let output: FileHandle
    private let diagnostics: FileHandle
    private let usesColour: Bool
    private let state = Mutex(State())

    /// A Boolean value that indicates whether progress is shown.
    package let showsProgress: Bool
    /// The width of the terminal, in columns.
    package let width: Int

    /// Creates a console that writes to two file handles.
    package init(
        output: FileHandle, diagnostics: FileHandle, usesColour: Bool, showsProgress: Bool,
        width: Int = 80
    ) {
        self.output = output
        self.diagnostics = diagnostics
        self.usesColour = usesColour
        self.showsProgress = showsProgress
        self.width = width
    }

    /// The console of this process.
    ///
    /// - Source: <https://no-color.org>: a non-empty `NO_COLOR` disables colours.
    package static func standard(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> Console {
        let isDumb = environment["TERM"] == "dumb"
        let wantsColour = environment["NO_COLOR", default: ""].isEmpty && !isDumb
        return Console(
            output: .standardOutput, diagnostics: .standardError,
            usesColour: wantsColour && isatty(STDOUT_FILENO) == 1,
            showsProgress: !isDumb && isatty(STDERR_FILENO) == 1,
            width: TerminalSize.columns(of: STDERR_FILENO) ?? 80)
    }

    /// Returns the text in a style, or unchanged without colours.
    package func styled(_ text: String, _ style: Style) -> String {
        usesColour ? style.applied(to: text) : text
    }

    /// Writes a line to standard output.
    package func print(_ line: String = "") {
        state.withLock { state in
            clearProgress(&state)
            write(line + "\n", to: output, &state)
        }
    }

    /// Writes a line to standard error.
    package func report(_ line: String) {
        state.withLock { state in
            clearProgress(&state)
            write(line + "\n", to: diagnostics, &state)
        }
    }

    /// A Boolean value that indicates whether a person can answer a question.
    package var canAsk: Bool { showsProgress && isatty(STDIN_FILENO) == 1 }

    /// Asks a question with the answers yes and no.
    ///
    /// A thread of its own waits for the answer, because a person can take longer than the tasks that share the
    /// threads of the pool. Cancellation ends the wait: the answer is then no.
    ///
    /// - Parameters:
    ///   - question: The question.
    ///   - read: A function that blocks its thread until there is a line; the end of the input is a `nil`.
    /// - Returns: A Boolean value that indicates whether the answer is yes.
    package func ask(
        _ question: String, reading read: @escaping @Sendable () -> String? = { readLine() }
    ) async -> Bool {
        state.withLock { state in
            clearProgress(&state)
            write("\(question) [y/N] ", to: diagnostics, &state)
        }
        let answer = PendingAnswer()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard answer.wait(continuation) else { return }
                Thread.detachNewThread {
                    let line = read()?.lowercased() ?? ""
                    answer.give(line == "y" || line == "yes")
                }
            }
        } onCancel: {
            answer.give(false)
        }
    }

    /// Replaces the progress line; `nil` removes it.
    package func showProgress(_ line: String?) { showProgress(line.map { [$0] } ?? []) }

    /// Replaces the progress lines, none of which may be wider than the terminal.
    package func showProgress(_ lines: [String]) {
        guard showsProgress else { return }
        state.withLock { state in
            clearProgress(&state)
            if lines.isEmpty { return }
            write(lines.joined(separator: "\n"), to: diagnostics, &state)
            state.progressLineCount = lines.count
        }
    }

    private func clearProgress(_ state: inout State) {
        guard state.progressLineCount > 0 else { return }
        // Back to the first column, then erase to the end of the line, and so on with the lines above.
        write(
            "\r\u{1B}[K"
                + String(repeating: "\u{1B}[1A\u{1B}[K", count: state.progressLineCount - 1),
            to: diagnostics, &state)
        state.progressLineCount = 0
    }

    private func write(_ text: String, to file: FileHandle, _ state: inout State) {
        guard !state.isClosed else { return }
        do {
            try file.write(contentsOf: Data(text.utf8))
        } catch {
            // The reader closed the pipe: the command continues, and its exit code is the result.
            state.isClosed = file === output
        }
    }
}

/// An answer that a task waits for; the first one counts.
private final class PendingAnswer: Sendable {
    private struct State {
        var continuation: CheckedContinuation<Bool, Never>?
        var isGiven = false
    }

    private let state = Mutex(State())

    /// Waits for the answer.
    ///
    /// - Returns: A Boolean value that indicates whether there is none yet.
    func wait(_ continuation: CheckedContinuation<Bool, Never>) -> Bool {
        let isGiven = state.withLock { state in
            if !state.isGiven { state.continuation = continuation }
            return state.isGiven
        }
        if isGiven { continuation.resume(returning: false) }
        return !isGiven
    }

    /// Gives the answer; a later one has no effect.
    func give(_ value: Bool) {
        let continuation = state.withLock { state in
            let waiting = state.isGiven ? nil : state.continuation
            state.isGiven = true
            state.continuation = nil
            return waiting
        }
        continuation?.resume(returning: value)
    }
}

/// The size of a terminal.
enum TerminalSize {
    /// Returns the width of the terminal behind a file descriptor, in columns; `nil` if it is none.
    static func columns(of descriptor: Int32) -> Int? {
        var size = winsize()
        let request = UInt(TIOCGWINSZ)
        guard unsafe ioctl(descriptor, request, &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }
}
