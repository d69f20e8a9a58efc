// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import RestCommands
@testable import RestMirror

/// The lines of progress of a run.
@Suite struct RunProgressTests {
    private static func page(
        _ resource: String, _ number: Int, _ count: Int, total: Int? = nil
    ) -> MirrorEvent {
        .page(
            MirrorEvent.Page(
                resource: resource, parent: "", number: number, recordCount: count,
                rows: RowCounts(), total: total, isUnmodified: false))
    }

    private static func response(_ resource: String, remaining: Int? = nil) -> MirrorEvent {
        .response(
            MirrorEvent.Response(
                resource: resource, status: 200, byteCount: 10, remainingRequestCount: remaining))
    }

    @Test func activeResourcesHaveALineEach() {
        var progress = RunProgress()
        let start = ContinuousClock.now
        progress.note(.started(resource: "items"), at: start)
        progress.note(.started(resource: "owners"), at: start)
        #expect(progress.lines(at: start) == [])
        progress.note(Self.response("items", remaining: 4_980), at: start)
        progress.note(Self.page("items", 1, 100, total: 400), at: start)
        progress.note(Self.response("owners"), at: start)
        progress.note(Self.page("owners", 1, 30), at: start)
        let lines = progress.lines(at: start + .seconds(10))
        #expect(
            lines == [
                "items   ━━━━━───────────────  100/400  10 rows/s  0 requests/s  30 s left",
                "owners  30 rows  3 rows/s  0 requests/s",
                "4980 requests left",
            ])
        progress.note(.finished(ResourceSummary("items")), at: start)
        #expect(progress.lines(at: start + .seconds(10)).count == 2)
    }

    /// The total of a list is not that of all lists of a resource.
    @Test func listsOfParentsHaveNoBar() {
        var progress = RunProgress()
        let start = ContinuousClock.now
        progress.note(.started(resource: "items"), at: start)
        for _ in 0..<2 {
            progress.note(Self.response("items"), at: start)
            progress.note(Self.page("items", 1, 10, total: 20), at: start)
        }
        #expect(
            progress.lines(at: start + .seconds(2)) == ["items  20 rows  10 rows/s  1 requests/s"])
    }

    @Test func linesReplaceEachOther() async throws {
        let output = try await OutputCapture.run(progress: true) { console in
            console.showProgress(["one", "two"])
            console.report("line")
            console.showProgress(["three"])
            console.showProgress([])
        }
        #expect(output == "one\ntwo\r\u{1B}[K\u{1B}[1A\u{1B}[Kline\nthree\r\u{1B}[K")
    }
}
