// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Where the tool writes: results to standard output, progress and errors to standard error.
///
/// Colours and progress are for terminals only. What callers pass must be safe to show: text that
/// comes from a server goes through ``TerminalText/escaped(_:)`` first.
final class Console: Sendable {
    private struct State {
        /// Whether an unfinished progress line is on the screen.
        var hasProgress = false
        /// Whether the reader of the output went away.
        var isClosed = false
    }

    private let output: FileHandle
    private let diagnostics: FileHandle
    private let usesColour: Bool
    private let state = Mutex(State())

    /// Whether progress is shown.
    let showsProgress: Bool
    /// Columns of the terminal.
    let width: Int

    /// Makes a console over two files.
    init(
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
    /// - Source: <https://no-color.org>: a `NO_COLOR` that is not empty turns colours off.
    static func standard(
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

    /// The text in a style, where there are colours.
    func styled(_ text: String, _ style: Style) -> String {
        usesColour ? style.applied(to: text) : text
    }

    /// Writes a line.
    func print(_ line: String = "") {
        state.withLock { state in
            clearProgress(&state)
            write(line + "\n", to: output, &state)
        }
    }

    /// Writes a line to standard error.
    func report(_ line: String) {
        state.withLock { state in
            clearProgress(&state)
            write(line + "\n", to: diagnostics, &state)
        }
    }

    /// Shows a line of progress in place of the one before; `nil` removes it.
    func showProgress(_ line: String?) {
        guard showsProgress else { return }
        state.withLock { state in
            clearProgress(&state)
            guard let line else { return }
            write(line, to: diagnostics, &state)
            state.hasProgress = true
        }
    }

    private func clearProgress(_ state: inout State) {
        guard state.hasProgress else { return }
        state.hasProgress = false
        // Back to the first column, then erase to the end of the line.
        write("\r\u{1B}[K", to: diagnostics, &state)
    }

    private func write(_ text: String, to file: FileHandle, _ state: inout State) {
        guard !state.isClosed else { return }
        do {
            try file.write(contentsOf: Data(text.utf8))
        } catch {
            // Nobody reads any more: the work goes on, its result is the exit code.
            state.isClosed = file === output
        }
    }
}

/// How large a terminal is.
enum TerminalSize {
    /// Columns of the terminal behind a file descriptor; `nil` if there is none.
    static func columns(of descriptor: Int32) -> Int? {
        var size = winsize()
        let request = UInt(TIOCGWINSZ)
        guard unsafe ioctl(descriptor, request, &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }
}
