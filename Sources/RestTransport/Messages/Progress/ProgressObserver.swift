// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// An observer of the progress of one request, set as ``TransportRequest/progress``.
///
/// Reports come at most once in an interval, and in addition when sending begins, when the
/// request's body has been sent, when the response's header has been received, and at the end.
/// Requests without an observer have no overhead.
public final class ProgressObserver: Sendable {
    private struct State {
        var progress = TransportProgress()
        var nextTime: ContinuousClock.Instant?
        var isReporting = false
        var isReportDue = false
        var isFinished = false
    }

    private let interval: Duration
    private let report: @Sendable (TransportProgress) -> Void
    private let finish: @Sendable () -> Void
    private let state = Mutex(State())

    /// Creates an observer that calls a closure.
    ///
    /// - Parameters:
    ///   - interval: The minimum time between two reports of bytes.
    ///   - report: The closure, called for one report at a time, on any thread. The exchange waits
    ///     until it returns.
    public convenience init(
        interval: Duration = .milliseconds(100),
        _ report: @escaping @Sendable (TransportProgress) -> Void
    ) {
        self.init(interval: interval, report: report) {}
    }

    private init(
        interval: Duration, report: @escaping @Sendable (TransportProgress) -> Void,
        finish: @escaping @Sendable () -> Void
    ) {
        self.interval = interval
        self.report = report
        self.finish = finish
    }

    /// Returns an observer and the asynchronous sequence of its reports.
    ///
    /// - Parameter interval: The minimum time between two reports of bytes.
    /// - Returns: The observer and the reports. Only the newest unread report is buffered. The
    ///   sequence ends with the exchange: when the response's body has been read, is released, or
    ///   fails.
    public static func stream(
        interval: Duration = .milliseconds(100)
    ) -> (observer: ProgressObserver, reports: AsyncStream<TransportProgress>) {
        let (reports, continuation) = AsyncStream.makeStream(
            of: TransportProgress.self, bufferingPolicy: .bufferingNewest(1))
        let observer = ProgressObserver(
            interval: interval, report: { continuation.yield($0) }, finish: continuation.finish)
        return (observer, reports)
    }

    deinit {
        finish()
    }

    // MARK: Events

    /// Begins to count a body that is sent, also one that is sent again.
    func beginSending(_ body: MessageBody) {
        update(isUrgent: true) { progress in
            progress.sentByteCount = 0
            progress.expectedSentByteCount = body.byteCount
        }
    }

    /// Counts bytes that the transport has taken.
    func noteSent(_ byteCount: Int) {
        update { progress in
            progress.sentByteCount += byteCount
            return progress.sentByteCount == progress.expectedSentByteCount
        }
    }

    /// Notes that the transport has taken the whole body.
    func noteSendingComplete() {
        update(isUrgent: true) { $0.expectedSentByteCount = $0.sentByteCount }
    }

    /// Notes that the header of the response has been received.
    func beginReceiving(expecting byteCount: Int?) {
        update(isUrgent: true) { $0.expectedReceivedByteCount = byteCount }
    }

    /// Counts bytes that the reader has taken.
    func noteReceived(_ byteCount: Int) {
        update { progress in
            progress.receivedByteCount += byteCount
            return false
        }
    }

    /// Ends the reports.
    func end(isComplete: Bool) {
        let isNew = state.withLock { state in
            defer { state.isFinished = true }
            return !state.isFinished
        }
        guard isNew else { return }
        if isComplete {
            update(isUrgent: true) { $0.isComplete = true }
        }
        finish()
    }

    private func update(isUrgent: Bool, _ change: (inout TransportProgress) -> Void) {
        update { progress in
            change(&progress)
            return isUrgent
        }
    }

    /// Applies a change and reports it, unless the interval since the last report is not over.
    ///
    /// - Parameter change: A closure that changes the progress and returns whether to report it
    ///   regardless of the interval.
    private func update(_ change: (inout TransportProgress) -> Bool) {
        var next = state.withLock { state -> TransportProgress? in
            let isUrgent = change(&state.progress)
            let now = ContinuousClock.now
            guard isUrgent || (state.nextTime ?? now) <= now else { return nil }
            state.nextTime = now + interval
            if state.isReporting {
                state.isReportDue = true
                return nil
            }
            state.isReporting = true
            return state.progress
        }
        while let progress = next {
            report(progress)
            next = state.withLock { state in
                state.isReporting = state.isReportDue
                state.isReportDue = false
                return state.isReporting ? state.progress : nil
            }
        }
    }
}

extension ProgressObserver: Hashable {
    /// Returns a Boolean value that indicates whether two observers are the same instance.
    public static func == (one: ProgressObserver, other: ProgressObserver) -> Bool { one === other }

    /// Hashes the identity of the observer.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
