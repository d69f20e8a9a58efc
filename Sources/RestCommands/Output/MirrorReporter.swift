// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDefinition
import RestKit
import RestMirror
import Synchronization

/// The printing of the events of a run: a bar on a terminal, plain lines otherwise, or JSON.
///
/// A class, so that the tasks of a run share the line of progress.
final class MirrorReporter: Sendable {
    private struct Progress {
        var pages = 0
        var records = 0
        var total: Int?
        var lists = 0
    }

    private struct State {
        var progress: [String: Progress] = [:]
        var order: [String] = []
        var requests = 0
        var bytes = 0
        var lastLine = ContinuousClock.now
    }

    private let console: Console
    private let printsJSON: Bool
    private let start = ContinuousClock.now
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
        let line: Line? = state.withLock { self.line(for: event, &$0) }
        guard let line else { return }
        let text = TerminalText.escaped(line.text)
        if line.isProgress, console.showsProgress {
            console.showProgress(TerminalText.fitted(text, to: console.width - 1))
        } else {
            console.report(text)
        }
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

    /// A line of the output.
    private struct Line {
        let text: String
        let isProgress: Bool

        init(_ text: String, isProgress: Bool = false) {
            self.text = text
            self.isProgress = isProgress
        }
    }

    /// Notes an event, and returns the line that it causes.
    private func line(for event: MirrorEvent, _ state: inout State) -> Line? {
        let now = ContinuousClock.now
        switch event {
        case .started(let resource):
            state.progress[resource] = Progress()
            state.order.append(resource)
            return nil
        case .response(let response):
            state.requests += 1
            state.bytes += response.byteCount
            state.progress[response.resource]?.requests += 1
            state.remaining = response.remainingRequestCount ?? state.remaining
            return nil
        case .page(let page):
            var progress = state.progress[page.resource] ?? Progress()
            progress.pages += 1
            progress.records += page.recordCount
            progress.total = page.total ?? progress.total
            if page.number == 1 { progress.lists += 1 }
            state.progress[page.resource] = progress
            let interval = console.showsProgress ? Self.redrawInterval : Self.interval
            guard now - state.lastLine >= interval else { return nil }
            state.lastLine = now
            return Line(text(of: state, now - start), isProgress: true)
        case .waiting(let resource, let seconds, let reason):
            guard seconds >= 1 else { return nil }
            return Line("\(resource): waits \(Int(seconds.rounded(.up))) s (\(reason))")
        case .deleted(let entity, let count): return Line("\(entity): \(count) deleted")
        case .warning(let warning): return Line("\(warning)")
        case .finished(let summary):
            state.progress[summary.resource] = nil
            state.order.removeAll { $0 == summary.resource }
            return Line(Self.text(of: summary))
        }
    }

    /// Removes the line of progress.
    func finish() { console.showProgress(nil) }

    private func text(of state: State, _ elapsed: Duration) -> String {
        let seconds = max(elapsed / .seconds(1), 0.001)
        let records = state.progress.values.reduce(0) { $0 + $1.records }
        let parts = state.order.prefix(3).compactMap { name -> String? in
            guard let progress = state.progress[name], progress.pages > 0 else { return nil }
            guard let total = progress.total, total > 0, progress.lists == 1 else {
                return "\(name) \(progress.records)"
            }
            let filled = min(10, progress.records * 10 / total)
            let bar =
                String(repeating: "━", count: filled) + String(repeating: "─", count: 10 - filled)
            return "\(name) \(bar) \(progress.records)/\(total)"
        }
        return parts.joined(separator: "  ") + "  \(Int(Double(records) / seconds)) records/s  "
            + "\(Int(Double(state.requests) / seconds)) requests/s"
    }

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

extension MirrorEvent {
    /// The event as a JSON document.
    var document: Document {
        func object(_ event: String, _ members: [(String, Document)]) -> Document {
            .object([("event", .string(event))] + members)
        }
        switch self {
        case .started(let resource): return object("started", [("resource", .string(resource))])
        case .response(let response):
            return object(
                "response",
                [
                    ("resource", .string(response.resource)),
                    ("status", .number(response.status)), ("bytes", .number(response.byteCount)),
                    (
                        "remaining_requests",
                        response.remainingRequestCount.map { .number($0) } ?? nil
                    ),
                ])
        case .page(let page):
            return object(
                "page",
                [
                    ("resource", .string(page.resource)), ("parent", .string(page.parent)),
                    ("page", .number(page.number)), ("records", .number(page.recordCount)),
                    ("unmodified", .bool(page.isUnmodified)),
                ] + page.rows.members)
        case .waiting(let resource, let seconds, let reason):
            return object(
                "waiting",
                [
                    ("resource", .string(resource)),
                    ("seconds", (try? .number(seconds)) ?? nil), ("reason", .string(reason)),
                ])
        case .deleted(let entity, let count):
            return object("deleted", [("entity", .string(entity)), ("rows", .number(count))])
        case .warning(let warning):
            return object(
                "warning",
                [
                    ("resource", .string(warning.resource)),
                    ("kind", .string(warning.kind.rawValue)),
                    ("message", .string(warning.message)),
                    ("incomplete", .bool(warning.isIncomplete)),
                ])
        case .finished(let summary):
            return object(
                "finished",
                [
                    ("resource", .string(summary.resource)),
                    ("records", .number(summary.recordCount)),
                    ("pages", .number(summary.pageCount)),
                    ("unmodified_pages", .number(summary.unmodifiedPageCount)),
                    ("requests", .number(summary.requestCount)),
                    ("bytes", .number(summary.byteCount)),
                    ("failure", summary.failure.map { .string($0) } ?? nil),
                ] + summary.rows.members)
        }
    }
}

extension RowCounts {
    fileprivate var members: [(String, Document)] {
        [
            ("inserted", .number(inserted)), ("updated", .number(updated)),
            ("unchanged", .number(unchanged)), ("deleted", .number(deleted)),
        ]
    }
}
