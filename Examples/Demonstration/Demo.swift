// SPDX-License-Identifier: Apache-2.0

#if Macros
import RestCommands
import RestKit

/// The demonstration: runs its steps in order and prints their outcomes.
struct Demo: Sendable {
    let steps: [DemoStep]
    /// The server's port; 0 for any free port.
    let port: UInt16
    let console: Console

    /// Runs the steps until one fails.
    ///
    /// - Throws: `CancellationError` only; other errors are part of the summary.
    func run(with file: DatabaseFile) async throws -> DemoSummary {
        var summary = DemoSummary(database: file.path)
        let start = ContinuousClock.now
        do {
            summary.steps = try await DemoServer.run(port: port) { server in
                let session = try await DemoSession(server: server, file: file, console: console)
                console.print("A REST API at \(server.baseURL), a database at \(file.path)")
                console.print()
                let steps = try await run(in: session)
                try session.store.close()
                return steps
            }
        } catch let failure as DemoFailure {
            summary.steps = failure.steps
            summary.error = TerminalText.escaped("\(failure.name): \(failure.underlying)")
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            summary.error = TerminalText.escaped("\(error)")
        }
        conclude(summary, file, after: ContinuousClock.now - start)
        return summary
    }

    private func run(in session: DemoSession) async throws -> [DemoSummary.Step] {
        var done: [DemoSummary.Step] = []
        for step in steps {
            try Task.checkCancellation()
            let before = session.server.traffic
            let start = ContinuousClock.now
            let outcome: DemoStep.Outcome
            do {
                outcome = try await step.run(session)
            } catch {
                console.showProgress(nil)
                // An error that a cancellation caused is reported as cancellation.
                try Task.checkCancellation()
                throw DemoFailure(name: step.name, steps: done, underlying: error)
            }
            let elapsed = ContinuousClock.now - start
            let traffic = session.server.traffic - before
            done.append(
                DemoSummary.Step(
                    name: step.name, seconds: elapsed / .seconds(1), requests: traffic.requests,
                    bytes: traffic.bytes, changes: outcome.changes))
            show(step, outcome, after: elapsed)
        }
        return done
    }

    private func show(_ step: DemoStep, _ outcome: DemoStep.Outcome, after elapsed: Duration) {
        let mark = console.styled("✓", .green)
        let name = console.styled(step.name.padded(to: 10), .bold)
        let time = console.styled(elapsed.shortText, .dim)
        console.print("\(mark) \(name)  \(outcome.summary)  \(time)")
        guard !outcome.details.isEmpty else { return }
        console.print()
        outcome.details.forEach { console.print($0) }
        console.print()
    }

    private func conclude(_ summary: DemoSummary, _ file: DatabaseFile, after elapsed: Duration) {
        if let error = summary.error {
            console.report("\(console.styled("✗", .red)) \(error)")
            return
        }
        let requests = summary.steps.reduce(0) { $0 + $1.requests }
        let bytes = summary.steps.reduce(0) { $0 + $1.bytes }
        console.print()
        console.print(
            "All steps succeeded: \(requests) requests, \(bytes) bytes, \(elapsed.shortText).")
        console.print(
            file.isKept
                ? "The database is kept: sqlite3 '\(file.path)' .schema"
                : "The database was temporary; --database PATH keeps it.")
    }
}

/// The error of a step, with the summaries of the steps before it.
private struct DemoFailure: Error {
    let name: String
    let steps: [DemoSummary.Step]
    let underlying: any Error
}

extension Duration {
    /// The duration in seconds, or in milliseconds below one second, independent of the locale.
    fileprivate var shortText: String {
        self < .seconds(1)
            ? "\(rounded(self / .milliseconds(1), to: 10)) ms"
            : "\(rounded(self / .seconds(1), to: 100)) s"
    }

    private func rounded(_ value: Double, to parts: Double) -> Double {
        (value * parts).rounded() / parts
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}
#endif
