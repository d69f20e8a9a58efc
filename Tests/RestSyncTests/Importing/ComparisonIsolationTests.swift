// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import RestKit
import RestTesting
import Synchronization
import TestSupport
import Testing

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The isolation of the comparison of a response with the stored one.
@MainActor @Suite(.tags(.socket, .concurrency)) struct ComparisonIsolationTests {
    /// An executor of a task's nonisolated work that measures the processor time of its jobs.
    private final class MeasuringExecutor: TaskExecutor {
        private let queue = DispatchQueue(label: "MeasuringExecutor", attributes: .concurrent)
        private let longest = Mutex<Duration?>(nil)

        /// The longest processor time of a job that began after the measurement; `nil` without one.
        var longestJob: Duration? { longest.withLock(\.self) }

        func beginMeasuring() { longest.withLock { $0 = .zero } }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async {
                let isMeasured = self.longestJob != nil
                let start = processorTime()
                unsafe job.runSynchronously(on: self.asUnownedTaskExecutor())
                let time = processorTime() - start
                if isMeasured { self.longest.withLock { $0 = max($0 ?? .zero, time) } }
            }
        }
    }

    /// JSON whose reader tells its end.
    private struct TellingFormat: DocumentFormat {
        let end: @Sendable () -> Void

        func read(_ bytes: [UInt8], limits: ParseLimits) throws(DocumentError) -> Document {
            defer { end() }
            return try JSONFormat().read(bytes, limits: limits)
        }

        func write(_ document: Document) throws(DocumentError) -> [UInt8] {
            try JSONFormat().write(document)
        }
    }

    /// The comparison writes the document, which takes its time on the executor of nonisolated work.
    @Test func comparesEqualResponseOutsideOfMainActor() async throws {
        let note = String(repeating: "a \\n ", count: 40_000)
        let body = #"[{"id":1,"name":"a","note":"\#(note)"}]"#
        let answer = LoopbackResponse.json(body, headers: [("ETag", "\"one\"")])
        try await HumanFixture.run(answering: answer) { fixture in
            let executor = MeasuringExecutor()
            try fixture.api.add(ResponseDescriptor(HumanMappings.human))
            let context = fixture.store.mainContext
            let first = try await fixture.api.getObjects(Human.self, at: "humans", in: context)
            fixture.api.configure {
                $0.formats.register(
                    TellingFormat(end: { executor.beginMeasuring() }), for: "application/json")
            }
            let second = try await withTaskExecutorPreference(executor) {
                try await fixture.api.getObjects(at: "humans", in: context)
            }
            #expect(second.isNotModified)
            #expect(second.objectIDs == first.map(\.objectID))
            let document = try JSONFormat().read(Array(body.utf8), limits: .default)
            let start = processorTime()
            let written = JSONWriter.compact.bytes(of: document)
            let comparison = processorTime() - start
            #expect(written.count > note.utf8.count / 2)
            let longest = try #require(executor.longestJob)
            #expect(longest > comparison / 2)
        }
    }
}

/// The processor time of the current thread.
private func processorTime() -> Duration {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}
