// SPDX-License-Identifier: Apache-2.0

/// A progress bar, drawn on terminals only.
///
/// Not `Sendable`: the task that reports progress owns it.
package struct ProgressBar {
    private let console: Console
    private let title: String
    private let total: Int
    private let start = ContinuousClock.now
    private var lastDrawn: ContinuousClock.Instant?
    package private(set) var completed = 0

    /// The maximum number of redraws per second.
    private static let rate = 25

    /// Creates a bar without drawing it.
    package init(_ title: String, total: Int, on console: Console) {
        self.title = TerminalText.escaped(title)
        self.total = total
        self.console = console
    }

    /// Adds completed units.
    package mutating func advance(by count: Int) {
        completed += count
        guard console.showsProgress else { return }
        let now = ContinuousClock.now
        if let lastDrawn, completed < total, now - lastDrawn < .seconds(1) / Self.rate { return }
        lastDrawn = now
        console.showProgress(line(after: now - start))
    }

    /// Removes the bar from the terminal.
    package func finish() { console.showProgress(nil) }

    /// The bar as text, fitted to the width of the terminal.
    package func line(after elapsed: Duration) -> String {
        let seconds = elapsed / .seconds(1)
        let rate = seconds > 0 ? Int(Double(completed) / seconds) : 0
        let share = total > 0 ? min(1, Double(completed) / Double(total)) : 0
        let tail = "\(completed)/\(total)  \(rate)/s"
        let room = max(0, min(40, console.width - title.count - tail.count - 7))
        let filled = Int(share * Double(room))
        let bar =
            console.styled(String(repeating: "━", count: filled), .green)
            + console.styled(String(repeating: "─", count: room - filled), .dim)
        return "  \(title)  \(bar)  \(tail)"
    }
}
