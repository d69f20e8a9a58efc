// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestNetworking
import RestOutbox
import RestPersistence
import RestTransport
import Synchronization

extension OutboxSender {
    /// Sends until the task is cancelled, or the store is closed.
    func run() async {
        // Before the first scan, so that no change is missed.
        let changes = changesNow
        let saves = content.commits
        let recognitions = recorder.recognitions.changes
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [self] in
                for await commit in saves where commit.origin != .outbox {
                    wake(needsScan: !commit.origin.isResponse)
                }
                // The content was replaced, or the store closed.
                close()
            }
            group.addTask { [self] in
                for await _ in recognitions { wake() }
            }
            group.addTask { [self] in await work(changes) }
            await group.next()
            group.cancelAll()
        }
        state.withLock { state in
            state.isClosed = true
            state.timer?.cancel()
        }
        try? await releaseLease()
        signal.finish()
    }

    /// Begins what can be sent whenever something has changed, and ends after the requests in progress.
    private func work(_ changes: AsyncStream<Void>) async {
        var window = SendingWindow(limit: max(1, configuration.concurrentRequestCount))
        await withDiscardingTaskGroup { group in
            for await _ in changes {
                await advance(&window, &group)
                if Task.isCancelled || state.withLock(\.isClosed) { break }
            }
        }
    }

    /// Begins as many requests as there may be.
    private func advance(
        _ window: inout SendingWindow, _ group: inout DiscardingTaskGroup
    ) async {
        while !Task.isCancelled {
            let wakeCount = takeChanges(&window)
            if isStopped { return }
            if window.isFinished || window.isSuspended {
                if noteEnd(of: window, wakeCount) { return }
                continue
            }
            guard window.hasSlots else { return }
            do {
                guard try await acquireLease() else {
                    suspend(&window, wakeCount, until: configuration.leaseDuration)
                    return
                }
                if state.withLock(\.needsRestart) {
                    try await restart()
                    window.noteChange()
                }
                if try await prepareSteps(&window) {
                    try await begin(&window, &group)
                } else {
                    // Edits do not wait for the objects that are read after them.
                    noteEnd(of: window, wakeCount, reads: true)
                    if try await beginReading(&window, &group) { continue }
                    let next = try await nextDate(window)
                    window.isFinished = true
                    setTimer(next)
                }
            } catch {
                if (error as? PersistenceError)?.code == .storeClosed { return close() }
                // Such as a full disk, which another attempt may find otherwise.
                state.withLock { $0.needsRestart = true }
                suspend(&window, wakeCount, until: configuration.baseDelay)
                return
            }
        }
    }

    /// Begins nothing for some time, or until others change something.
    private func suspend(
        _ window: inout SendingWindow, _ wakeCount: Int, until delay: Duration
    ) {
        window.isSuspended = true
        setTimer(date.adding(delay))
        noteEnd(of: window, wakeCount)
    }

    /// Takes what has changed since the last call into the window.
    ///
    /// - Returns: The number of changes.
    private func takeChanges(_ window: inout SendingWindow) -> Int {
        let (ended, count, needsScan, wakeCount) = state.withLock { state in
            defer { (state.ended, state.endedRequestCount, state.needsScan) = ([], 0, false) }
            return (state.ended, state.endedRequestCount, state.needsScan, state.wakeCount)
        }
        if needsScan { window.restart(at: wakeCount) } else { window.noteChanges(wakeCount) }
        for (object, hasFailed) in ended { window.end(object, hasFailed: hasFailed) }
        window.endRequests(count)
        return wakeCount
    }

    /// Notes that no edit can be sent and, unless objects may be read, that nothing else can begin.
    ///
    /// - Returns: `false` if something has changed meanwhile.
    @discardableResult
    private func noteEnd(
        of window: SendingWindow, _ wakeCount: Int, reads: Bool = false
    ) -> Bool {
        let (isEnd, isNew) = state.withLock { state in
            guard state.wakeCount == wakeCount, state.ended.isEmpty else { return (false, false) }
            let (isIdle, isSettled) = (!window.isSending, !window.isBusy && !reads)
            defer { (state.isIdle, state.isSettled) = (isIdle, isSettled) }
            return (true, state.isIdle != isIdle || state.isSettled != isSettled)
        }
        if isNew { signal.send() }
        return isEnd
    }

    /// Begins the steps of edits.
    private func begin(
        _ window: inout SendingWindow, _ group: inout DiscardingTaskGroup
    ) async throws {
        let selection = window.select(batchLimit: configuration.batch?.countLimit)
        for step in selection.others {
            group.addTask { [self] in await run(step.kind, step.object) }
        }
        if selection.sends.isEmpty { return }
        let starts = try await start(
            selection.sends.map(\.object),
            limit: configuration.batch == nil ? selection.limit : selection.sends.count)
        if starts.isWithoutLease { return window.noteChange() }
        let rest = Set(starts.rest)
        window.putBack(selection.sends.filter { rest.contains($0.object) })
        for (object, others) in starts.blocked { window.block(object, by: others) }
        for object in starts.failed { window.fail(object) }
        if starts.hasOtherChanges { window.noteChange() }
        let units = units(of: starts.started)
        window.begin(starts.started.map(\.object), requestCount: units.count)
        if !units.isEmpty { signal.send() }
        for unit in units { group.addTask { [self] in await send(unit) } }
    }

    /// Begins to read objects without edits, whose answers have said nothing of their values.
    ///
    /// - Returns: `false` if there are none.
    private func beginReading(
        _ window: inout SendingWindow, _ group: inout DiscardingTaskGroup
    ) async throws -> Bool {
        if window.needsUnread { window.take(unread: try await unreadObjects()) }
        let objects = window.selectUnread()
        for object in objects { group.addTask { [self] in await run(.read, object) } }
        return !objects.isEmpty
    }

    /// Reads an object, or searches for it.
    private func run(_ step: OutboxQueue.Step, _ object: EditedObject) async {
        var hasFailed = false
        do {
            if step == .probe { try await probe(object) } else { try await read(object) }
        } catch {
            hasFailed = true
        }
        state.withLock { state in
            if hasFailed { state.needsRestart = true }
            state.ended.append((object, hasFailed))
            state.endedRequestCount += 1
        }
        signal.send()
    }

    // MARK: Time

    /// Wakes the sender at a time.
    private func setTimer(_ date: Date?) {
        let clock = manager.client.clock
        let timer = date.map { date in
            let delay = max(0, date.timeIntervalSince(clock.date))
            let instant = clock.now.advanced(by: .seconds(delay))
            return Task { [weak self] in
                guard (try? await clock.sleep(until: instant)) != nil else { return }
                self?.wake()
            }
        }
        state.withLock { state in
            state.timer?.cancel()
            state.timer = timer
        }
    }

    /// Returns the time at which the next object can be ready; `nil` if that depends on others.
    private func nextDate(_ window: SendingWindow) async throws -> Date? {
        let (recorder, date) = (recorder, window.scanDate)
        let next = try await content.database.readSnapshot {
            try OutboxPlan.nextDate(recorder.tables($0), recorder.rules.timing, after: date)
        }
        guard window.hasFailures || state.withLock(\.needsRestart) else { return next }
        let retry = self.date.adding(configuration.baseDelay)
        return next.map { min($0, retry) } ?? retry
    }
}
