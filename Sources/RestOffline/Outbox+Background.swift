// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RestNetworking
import RestOutbox
import RestPersistence
import RestTransport

#if canImport(BackgroundTasks)
public import BackgroundTasks
#endif

extension Outbox {
    /// Sends until nothing can be sent at this time, or a time has come, such as in the background time that a
    /// system grants.
    ///
    /// At the end of the time, the outbox begins no more requests, as after ``pause()``, and another process may
    /// send. A request in progress is continued, and counts as unanswered if the system suspends or ends the
    /// process. The file has no lock then. ``resume()`` continues.
    ///
    /// ```swift
    /// let summary = try await outbox.drain(until: .now + 25)
    /// ```
    ///
    /// - Parameter deadline: The time at which the outbox stops.
    /// - Returns: The numbers of entries that are left.
    /// - Throws: `CancellationError` if the task is cancelled, after the outbox has stopped; `PersistenceError` of
    ///   the store.
    @discardableResult
    public func drain(until deadline: Date) async throws -> OutboxSummary {
        let clock = manager.client.clock
        let delay = max(0, deadline.timeIntervalSince(clock.date))
        let instant = clock.now.advanced(by: .seconds(delay))
        let isDrained = await withTaskGroup(of: Bool?.self) { group in
            group.addTask { (try? await self.drain()) != nil ? true : nil }
            group.addTask { (try? await clock.sleep(until: instant)) != nil ? false : nil }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first ?? false
        }
        if !isDrained {
            pause()
            try await sender.releaseLease()
        }
        try Task.checkCancellation()
        return try await summary()
    }
}

#if canImport(BackgroundTasks)
@available(macOS, unavailable)
extension Outbox {
    /// Sends in the time of a background task, and completes the task.
    ///
    /// Call it in the launch handler that is registered with `BGTaskScheduler`. If the time of the task expires,
    /// the outbox stops as ``drain(until:)`` says. The task is successful if no entry is left that could have
    /// been sent.
    ///
    /// ```swift
    /// BGTaskScheduler.shared.register(forTaskWithIdentifier: "send", using: nil) { task in
    ///     outbox.drain(in: task)
    /// }
    /// ```
    ///
    /// - Parameter task: The task.
    public func drain(in task: BGTask) {
        let work = Task { try await self.drain(until: .distantFuture) }
        task.expirationHandler = { work.cancel() }
        let completion = BackgroundCompletion(task)
        Task {
            let isSuccessful = (try? await work.value) != nil
            completion.complete(isSuccessful)
        }
    }
}

/// The completion of a background task, once.
///
/// Invariant: only `setTaskCompleted(success:)` is called, which is safe on any thread.
@available(macOS, unavailable)
private final class BackgroundCompletion: @unchecked Sendable {
    private let task: BGTask

    init(_ task: BGTask) { self.task = task }

    func complete(_ isSuccessful: Bool) { task.setTaskCompleted(success: isSuccessful) }
}
#endif
