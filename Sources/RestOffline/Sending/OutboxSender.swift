// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestNetworking
import RestOutbox
import RestPersistence
import RestTransport
import Synchronization

/// The sender of the entries of a file, of which there is one at a time.
///
/// Requests that may begin are written in one transaction, and are sent after its commit. Each answer is recorded as
/// soon as it arrives, with the others that arrive during the commit before it.
final class OutboxSender: Sendable {
    struct State {
        var isPaused: Bool
        var isClosed = false
        var lease: SenderLease?
        /// The time at which the lease is renewed.
        var renewal: ContinuousClock.Instant?
        /// The principals whose credentials the server does not accept.
        var unauthorized: Set<Principal?> = []
        /// A Boolean value that indicates whether an answer could not be recorded.
        var needsRestart = true
        /// A Boolean value that indicates whether no edit can be sent, and nothing has changed since.
        var isIdle = false
        /// A Boolean value that indicates whether, besides, no object is read.
        var isSettled = false
        /// The number of changes that may let something be sent.
        var wakeCount = 0
        /// A Boolean value that indicates whether any entry may be ready since the last scan began.
        var needsScan = true
        /// The numbers of the attempts whose answers are awaited.
        var attempts: Set<Int64> = []
        /// The objects whose steps have ended, and whether these have failed.
        var ended: [(object: EditedObject, hasFailed: Bool)] = []
        /// The number of requests that have ended.
        var endedRequestCount = 0
        /// The task that begins to send at a time.
        var timer: Task<Void, Never>?
    }

    let content: StoreContent
    let manager: ObjectManager
    let recorder: OutboxRecorder
    let configuration: OutboxConfiguration
    /// The readers of responses that are not imported, by the name of the entity.
    let readers: [String: RepresentationReader]
    /// The changes of entries and of the sender.
    let signal = OutboxSignal()
    /// The answers that wait to be recorded.
    let answers: AnswerQueue
    /// The warnings about weak entity tags.
    let weakTags = WeakTagWarnings()
    /// The answers that could not be written.
    let unrecorded = UnrecordedAnswers()
    let owner = UUID().uuidString
    let state: Mutex<State>

    var rules: OutboxRules { recorder.rules }
    var date: Date { manager.client.clock.date }

    init(
        _ content: StoreContent, _ manager: ObjectManager, _ recorder: OutboxRecorder,
        _ configuration: OutboxConfiguration
    ) {
        self.content = content
        self.manager = manager
        self.recorder = recorder
        self.configuration = configuration
        let model = recorder.rules.model
        readers = recorder.rules.declarations.mapValues { RepresentationReader($0, model) }
        answers = AnswerQueue(content)
        state = Mutex(State(isPaused: configuration.startsPaused))
    }

    var isPaused: Bool { state.withLock(\.isPaused) }
    var isStopped: Bool { state.withLock { $0.isPaused || $0.isClosed } }
    var isIdle: Bool { state.withLock { $0.isIdle || $0.isPaused || $0.isClosed } }
    var isSettled: Bool { state.withLock { $0.isSettled || $0.isPaused || $0.isClosed } }
    var unauthorized: Set<Principal?> { state.withLock(\.unauthorized) }

    func setPaused(_ isPaused: Bool) {
        state.withLock { $0.isPaused = isPaused }
        wake()
    }

    /// Notes that entries may have changed, or may be sent by now.
    ///
    /// - Parameters:
    ///   - principal: A principal whose credentials are valid again.
    ///   - needsScan: `false` for a change that old entries seldom wait for.
    func wake(authorizing principal: Principal?? = nil, needsScan: Bool = true) {
        state.withLock {
            $0.isIdle = false
            $0.isSettled = false
            $0.wakeCount += 1
            if needsScan { $0.needsScan = true }
            if let principal { $0.unauthorized.remove(principal) }
        }
        signal.send()
    }

    /// Stops beginning requests, so that the sender ends after those in progress.
    func close() {
        state.withLock { $0.isClosed = true }
        signal.send()
    }

    /// Acts in a transaction, also if the task was cancelled: what the server has answered is recorded.
    func perform(_ action: any OutboxAction) async throws { try await content.perform(action) }

    // MARK: The lease

    /// Takes the lease of the file, or renews it after half of its time.
    ///
    /// - Returns: `false` if another process sends.
    func acquireLease() async throws -> Bool {
        // The wall clock may be set forward or back; the number of the lease guards the starts of sends.
        let now = manager.client.clock.now
        let half = configuration.leaseDuration / 2
        if let renewal = state.withLock({ $0.lease == nil ? nil : $0.renewal }), now < renewal {
            return true
        }
        let (owner, duration) = (owner, configuration.leaseDuration)
        let action = QueueAction<SenderLease?>(nil) { (_, context) throws(PersistenceError) in
            try context.tables.acquireLease(owner, for: duration, at: context.date)
        }
        try await perform(action)
        let lease = action.result ?? nil
        state.withLock { state in
            if state.lease?.fence != lease?.fence { state.needsRestart = true }
            state.lease = lease
            state.renewal = now.advanced(by: half)
        }
        return lease != nil
    }

    /// Notes that another sender has taken the file over.
    func loseLease(_ lease: SenderLease) {
        state.withLock { if $0.lease == lease { $0.lease = nil } }
    }

    /// Gives the file to another sender.
    func releaseLease() async throws {
        let lease = state.withLock { $0.lease.take() }
        guard let lease else { return }
        try await perform(
            QueueAction<Void>(nil) { (_, context) throws(PersistenceError) in
                try context.tables.releaseLease(lease.owner)
            })
    }
}
