// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Hears how far one request has come, set as ``TransportRequest/progress``.
///
/// Reports come at most once in an interval, and besides that when a sending begins, when the
/// request's body has been sent, when the response's header has come, and at the end. A request
/// without an observer pays nothing.
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

    /// Makes an observer that calls a closure.
    ///
    /// - Parameters:
    ///   - interval: Shortest time between two reports of bytes.
    ///   - report: Called one report at a time, on any thread; what it does holds up the exchange.
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

    /// Makes an observer with a sequence of its reports.
    ///
    /// - Parameter interval: Shortest time between two reports of bytes.
    /// - Returns: The observer, and the reports. Of those that nobody has taken only the newest is
    ///   kept. They end with the exchange: when the response's body has been read, is let go, or
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

    // MARK: What the client tells

    /// A sending of a body begins.
    func beginSending(_ body: MessageBody) {
        update(isUrgent: true) { progress in
            progress.sentByteCount = 0
            progress.expectedSentByteCount = body.byteCount
        }
    }

    /// The transport has taken bytes.
    func noteSent(_ byteCount: Int) {
        update { progress in
            progress.sentByteCount += byteCount
            return progress.sentByteCount == progress.expectedSentByteCount
        }
    }

    /// The transport has taken the whole body.
    func noteSendingComplete() {
        update(isUrgent: true) { $0.expectedSentByteCount = $0.sentByteCount }
    }

    /// The header of the response has come.
    func beginReceiving(expecting byteCount: Int?) {
        update(isUrgent: true) { $0.expectedReceivedByteCount = byteCount }
    }

    /// The reader has taken bytes.
    func noteReceived(_ byteCount: Int) {
        update { progress in
            progress.receivedByteCount += byteCount
            return false
        }
    }

    /// The exchange is over.
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

    /// Notes a change and reports it, unless the last report is too fresh.
    ///
    /// - Parameter change: Changes the progress, and says whether it is reported in any case.
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
    /// Observers are equal when they are the same one.
    public static func == (one: ProgressObserver, other: ProgressObserver) -> Bool { one === other }

    /// Hashes the observer's identity.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
