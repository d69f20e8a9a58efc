// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDefinition
import RestKit
import RestMirror
import Synchronization

/// The printing of the events of a run: a bar for each active resource on a terminal, plain lines otherwise, or JSON.
///
/// A class, so that the tasks of a run share the line of progress.
final class MirrorReporter: Sendable {
    private struct State {
        var progress = RunProgress()
        var lastLine = ContinuousClock.now
    }

    private let console: Console
    private let printsJSON: Bool
    private let state = Mutex(State())

    /// The time between two lines without a terminal.
    private static let interval = Duration.seconds(2)
    private static let redrawInterval = Duration.milliseconds(50)

    init(_ console: Console, printsJSON: Bool) {
        self.console = console
        self.printsJSON = printsJSON
    }

    func report(_ event: MirrorEvent) {
        if printsJSON {
            console.print(JSONWriter.compact.text(of: event.document))
            return
        }
        let now = ContinuousClock.now
        let progress: [String] = state.withLock { state in
            state.progress.note(event, at: now)
            return lines(&state, at: now)
        }
        if let line = Self.line(for: event) { console.report(TerminalText.escaped(line)) }
        guard !progress.isEmpty else { return }
        if console.showsProgress {
            console.showProgress(
                progress.map { TerminalText.fitted($0, to: console.width - 1) })
        } else {
            for line in progress { console.report(TerminalText.escaped(line)) }
        }
    }

    /// Returns the lines of progress, if the last ones are old enough.
    private func lines(
        _ state: inout State, at now: ContinuousClock.Instant
    ) -> [String] {
        let interval = console.showsProgress ? Self.redrawInterval : Self.interval
        guard now - state.lastLine >= interval else { return [] }
        state.lastLine = now
        return state.progress.lines(at: now)
    }

    /// Reports the columns that a change of the schema adds or changes.
    func report(evolutionOf old: Definition, to new: Definition) {
        for entity in new.entities {
            for attribute in entity.attributes {
                let known = old.entity(named: entity.name)?.attribute(named: attribute.name)
                if known?.type == attribute.type { continue }
                let change = known.map { "was \($0.type.rawValue)" } ?? "new"
                let line =
                    "\(entity.name).\(attribute.name): \(attribute.type.rawValue) (\(change))"
                if printsJSON {
                    console.print(
                        JSONWriter.compact.text(
                            of: .object([("event", "schema"), ("change", .string(line))])))
                } else {
                    console.report(TerminalText.escaped(line))
                }
            }
        }
    }

    /// Returns the line that an event causes; `nil` for those that are only counted.
    private static func line(for event: MirrorEvent) -> String? {
        switch event {
        case .started, .response, .page: nil
        case .waiting(let resource, let seconds, let reason):
            seconds < 1
                ? nil : "\(resource): waits \(Int(seconds.rounded(.up))) s (\(reason))"
        case .deleted(let entity, let count): "\(entity): \(count) deleted"
        case .warning(let warning): "\(warning)"
        case .finished(let summary): text(of: summary)
        }
    }

    /// Removes the lines of progress.
    func finish() { console.showProgress([]) }

    private static func text(of summary: ResourceSummary) -> String {
        let rows = summary.rows
        var text =
            "\(summary.resource): \(summary.recordCount) records, \(rows.inserted) new, "
            + "\(rows.updated) changed, \(summary.requestCount) requests"
        if summary.unmodifiedPageCount > 0 {
            text += ", \(summary.unmodifiedPageCount) of \(summary.pageCount) pages unchanged"
        }
        if let failure = summary.failure { text += "; incomplete: \(failure)" }
        return text
    }
}
