// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import RestDocument
import RestNetworking
import RestOutbox
import RestPersistence
import RestSync
import RestTransport
import Synchronization

/// The sender of the entries of a file, of which there is one at a time.
///
/// It works in passes: a pass reads which objects are ready, and sends their first entries, some at a time. Each
/// step is a transaction: the request is committed before it is sent, and the answer with what follows from it.
final class OutboxSender: Sendable {
    private struct State {
        var isPaused: Bool
        var isClosed = false
        var lease: SenderLease?
        /// The time at which the lease is renewed.
        var renewal: ContinuousClock.Instant?
        /// The principals whose credentials the server does not accept.
        var unauthorized: Set<Principal?> = []
        /// A Boolean value that indicates whether an answer could not be recorded.
        var needsRestart = true
        /// A Boolean value that indicates whether the last pass has found nothing to do, and nothing has changed
        /// since.
        var isIdle = false
        /// The number of changes that may let something be sent.
        var wakeCount = 0
        /// The task that begins to send at a time.
        var timer: Task<Void, Never>?
    }

    let content: StoreContent
    let manager: ObjectManager
    let recorder: OutboxRecorder
    let configuration: OutboxConfiguration
    /// The changes of entries and of the sender.
    let signal = OutboxSignal()
    /// The answers that could not be written.
    private let unrecorded = UnrecordedAnswers()
    private let owner = UUID().uuidString
    private let state: Mutex<State>

    var rules: OutboxRules { recorder.rules }
    private var date: Date { manager.client.clock.date }

    init(
        _ content: StoreContent, _ manager: ObjectManager, _ recorder: OutboxRecorder,
        _ configuration: OutboxConfiguration
    ) {
        self.content = content
        self.manager = manager
        self.recorder = recorder
        self.configuration = configuration
        state = Mutex(State(isPaused: configuration.startsPaused))
    }

    var isPaused: Bool { state.withLock(\.isPaused) }
    private var isStopped: Bool { state.withLock { $0.isPaused || $0.isClosed } }
    var isIdle: Bool { state.withLock { $0.isIdle || $0.isPaused || $0.isClosed } }
    var unauthorized: Set<Principal?> { state.withLock(\.unauthorized) }

    func setPaused(_ isPaused: Bool) {
        state.withLock { $0.isPaused = isPaused }
        wake()
    }

    /// Notes that entries may have changed, or may be sent by now.
    func wake(authorizing principal: Principal?? = nil) {
        state.withLock {
            $0.isIdle = false
            $0.wakeCount += 1
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
    func perform(_ action: any OutboxAction) async throws {
        let content = content
        try await Task { try await content.perform(action) }.value
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

    // MARK: Running

    /// Sends until the task is cancelled, or the store is closed.
    func run() async {
        // Before the first pass, so that no change is missed.
        let changes = changesNow
        let saves = content.commits
        let recognitions = recorder.recognitions.changes
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [self] in
                for await _ in recognitions { wake() }
            }
            group.addTask { [self] in
                for await commit in saves where commit.origin != .outbox { wake() }
                // The content was replaced, or the store closed.
                state.withLock { $0.isClosed = true }
                signal.send()
            }
            group.addTask { [self] in
                for await _ in changes {
                    await work()
                    if Task.isCancelled || state.withLock(\.isClosed) { break }
                }
            }
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

    /// Sends what can be sent, unless nothing has changed.
    private func work() async {
        while !Task.isCancelled {
            let (isIdle, count) = state.withLock { ($0.isIdle || $0.isClosed, $0.wakeCount) }
            if isIdle { return }
            let next = isPaused ? nil : await runPasses()
            let isDone = state.withLock { state in
                guard state.wakeCount == count else { return false }
                state.isIdle = true
                return true
            }
            guard isDone else { continue }
            wake(at: next)
            signal.send()
        }
    }

    /// Begins to send at a time.
    private func wake(at date: Date?) {
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

    /// Runs passes until nothing is ready.
    ///
    /// - Returns: The time at which something will be; `nil` if that depends on others.
    private func runPasses() async -> Date? {
        while !Task.isCancelled, !isStopped {
            do {
                guard let plan = try await nextPlan() else {
                    return date.adding(configuration.leaseDuration)
                }
                if plan.steps.isEmpty { return plan.next }
                await run(plan.steps)
            } catch {
                if (error as? PersistenceError)?.code == .storeClosed {
                    state.withLock { $0.isClosed = true }
                    return nil
                }
                // Such as a full disk, which another pass may find otherwise.
                state.withLock { $0.needsRestart = true }
                return date.adding(configuration.baseDelay)
            }
        }
        return nil
    }

    /// Runs the steps of a pass, some at a time.
    private func run(_ steps: [OutboxPlan.Step]) async {
        await withTaskGroup(of: Void.self) { group in
            var rest = units(of: steps).makeIterator()
            var count = 0
            while count < max(1, configuration.concurrentRequestCount), let unit = rest.next() {
                group.addTask { await self.runUnit(unit) }
                count += 1
            }
            while await group.next() != nil {
                if !isStopped, !Task.isCancelled, let unit = rest.next() {
                    group.addTask { await self.runUnit(unit) }
                }
            }
        }
    }

    /// Returns the steps with those together that one request sends.
    private func units(of steps: [OutboxPlan.Step]) -> [[OutboxPlan.Step]] {
        guard let batch = configuration.batch else { return steps.map { [$0] } }
        var units: [[OutboxPlan.Step]] = []
        var indices: [Int64: Int] = [:]
        for step in steps {
            if let save = step.save, let index = indices[save],
                units[index].count < batch.countLimit
            {
                units[index].append(step)
                continue
            }
            if let save = step.save { indices[save] = units.count }
            units.append([step])
        }
        return units
    }

    private func runUnit(_ steps: [OutboxPlan.Step]) async {
        guard steps.count > 1, let path = configuration.batch?.path,
            let url = try? manager.request(.post, at: path).url
        else {
            for step in steps { await run(step, in: nil) }
            return
        }
        let requests = BatchedRequests(to: url, count: steps.count, clock: manager.client.clock)
        await withTaskGroup(of: Void.self) { group in
            for step in steps { group.addTask { await self.run(step, in: requests) } }
        }
    }

    private func run(_ step: OutboxPlan.Step, in requests: BatchedRequests?) async {
        if isStopped {
            requests?.leave(nil)
            return
        }
        do {
            switch step.kind {
            case .send: try await send(step.object, in: requests)
            case .probe: try await probe(step.object)
            case .read: try await read(step.object)
            }
        } catch {
            state.withLock { $0.needsRestart = true }
        }
        signal.send()
    }

    // MARK: Passes

    /// Begins a pass: ends what has expired, and returns what can be sent; `nil` if another process sends.
    func nextPlan() async throws -> OutboxPlan? {
        guard try await acquireLease() else { return nil }
        if state.withLock(\.needsRestart) { try await restart() }
        try await expire()
        try await removeUnusedFiles()
        return try await plan()
    }

    private func acquireLease() async throws -> Bool {
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
    private func loseLease(_ lease: SenderLease) {
        state.withLock { if $0.lease == lease { $0.lease = nil } }
    }

    /// Gives the requests that were in progress when a sender ended no answer.
    private func restart() async throws {
        let rules = rules
        // The system continues uploads when a process has ended.
        let uploads = recorder.files.uploadedAttempts()
        for (attempt, action) in unrecorded.actions {
            try await perform(action)
            unrecorded.remove(attempt)
        }
        let action = QueueAction<Void>(nil) { (queue, context) throws(PersistenceError) in
            let keys = try context.tables.sendingKeys(except: uploads)
            let loaded = try context.tables.load(keys)
            var restarted = rules.queue(loaded, next: queue.next)
            var generator = rules.random
            restarted.restart(at: context.date, using: &generator)
            try context.tables.store(restarted, since: loaded, at: context.date)
            queue.load([:], predecessors: [:], next: restarted.next)
        }
        try await perform(action)
        state.withLock { $0.needsRestart = false }
    }

    /// Ends the entries whose time has passed.
    private func expire() async throws {
        let (recorder, now, rules) = (recorder, date, rules)
        let keys = try await content.database.readSnapshot {
            try recorder.tables($0).expiredKeys(at: now)
        }
        if keys.isEmpty { return }
        let action = QueueAction<Void>(nil) { (queue, context) throws(PersistenceError) in
            let loaded = try context.tables.load(keys)
            var expired = rules.queue(loaded, next: queue.next)
            let entries = expired.expire(at: now)
            expired.endAbandoned(at: now)
            for (object, edits) in loaded.objects {
                for entry in edits.entries
                where entries.contains(where: { $0.sequence == entry.sequence }) {
                    try context.tables.note(
                        "expired", detail: nil, of: entry, object, at: context.date)
                }
            }
            try context.tables.store(expired, since: loaded, at: context.date)
        }
        try await perform(action)
    }

    /// Removes the files of entries that have ended.
    private func removeUnusedFiles() async throws {
        let files = recorder.files
        guard files.takeNotice() else { return }
        try await perform(
            QueueAction<Void>(nil) { (_, context) throws(PersistenceError) in
                try files.removeUnused(context.tables)
            })
    }

    private func plan() async throws -> OutboxPlan {
        let (recorder, principal) = (recorder, manager.client.principal)
        let (unauthorized, date) = (unauthorized, date)
        return try await content.database.readSnapshot { database in
            let tables = recorder.tables(database)
            return try OutboxPlan(tables, recorder.rules, principal, unauthorized, at: date)
        }
    }

    // MARK: Sending

    /// Freezes the request of an object's first entry, sends it, and records the answer.
    ///
    /// - Parameters:
    ///   - object: The object.
    ///   - requests: The group with which the request is sent; `nil` to send it alone.
    /// - Throws: `PersistenceError` if the answer cannot be recorded.
    private func send(_ object: EditedObject, in requests: BatchedRequests?) async throws {
        var member: BatchedRequests.Member?
        defer { requests?.leave(member) }
        guard let start = try await start(object), let attempt = start.entry.attempt,
            let declaration = rules.declarations[object.entity]
        else { return }
        signal.send()
        if let requests, attempt.request.isBatchable {
            member = BatchedRequests.Member(requests, fields: attempt.request.fields)
        }
        try await transmit(start, of: object, attempt, declaration, as: member)
    }

    /// Sends the request of an attempt, and records the answer.
    func transmit(
        _ start: Start, of object: EditedObject, _ attempt: OutboxAttempt,
        _ declaration: SentDeclaration, as member: BatchedRequests.Member?
    ) async throws {
        let kind = start.entry.kind
        let reader = RepresentationReader(declaration, rules.model)
        let client = manager.client
        let (entity, answers) = (object.entity, rules.answers)
        let recorded = LastAnswer()
        func answer(_ response: OutboxAnswer.Response, body: [UInt8] = []) -> AnswerAction {
            AnswerAction(
                .response(response), of: object, attempt: attempt.number, kind: kind, body: body)
        }
        do {
            var request = try attempt.request.transportRequest(for: start.entry.principal)
            if let parts = start.entry.command?.parts, !parts.isEmpty {
                do {
                    request.body = try recorder.files.body(
                        of: parts, contentType: attempt.request.fields["Content-Type"] ?? "")
                } catch {
                    return try await perform(
                        QueueAction<Void>(object) { (queue, _) throws(PersistenceError) in
                            queue.refuse(object)
                        })
                }
            }
            let sent = request
            try await BatchedRequests.$member.withValue(member) {
                try await manager.sendFrozen(
                    sent, of: kind == .deletion ? nil : start.id, as: declaration.type,
                    into: content,
                    importing: { response in
                        let answer = OutboxAnswer.Response(
                            status: response.head.status.code, body: response.document)
                        let rule = answers.rule(for: answer, to: kind, of: entity)
                        return rule.map { $0.meaning == .accepted } ?? true
                    }
                ) { response in
                    var answer = OutboxAnswer.Response(
                        status: response.head.status.code, body: response.document,
                        identity: reader.identity(in: response),
                        version: reader.version(in: response))
                    if let path = answers.rule(for: answer, to: kind, of: entity)?.identityPath {
                        answer.identity = response.document.flatMap {
                            reader.identity(at: path, in: $0.root)
                        }
                    }
                    return recorded.note(
                        AnswerAction(
                            .response(answer), of: object, attempt: attempt.number, kind: kind,
                            body: response.body ?? [], keepsTag: declaration.precondition.isOfField)
                    )
                }
            }
        } catch let error as NetworkingError {
            if let head = error.head {
                let delay = rules.timing.delays.imposedDelay(of: head, at: client.clock.date)
                var response = OutboxAnswer.Response(
                    status: head.status.code, body: try? Document(parsing: error.body),
                    imposedDelay: delay)
                if let path = answers.rule(for: response, to: kind, of: entity)?.identityPath {
                    response.identity = response.body.flatMap {
                        reader.identity(at: path, in: $0.root)
                    }
                }
                try await record(answer(response, body: error.body), attempt.number)
                let meaning = answers.meaning(of: response, to: kind, of: entity)
                if meaning == .unauthorized {
                    state.withLock { _ = $0.unauthorized.insert(start.entry.principal) }
                }
            } else {
                if let action = recorded.action {
                    unrecorded.keep(action, of: attempt.number)
                    throw error
                }
                let lost = (error.underlying as? TransportError).map(OutboxAnswer.init) ?? .lost
                try await perform(
                    AnswerAction(lost, of: object, attempt: attempt.number, kind: kind))
            }
        } catch is CancellationError {
            try await perform(
                AnswerAction(.lost, of: object, attempt: attempt.number, kind: kind))
        } catch {
            // The server has answered, but the file cannot be written, as when the disk is full.
            if let action = recorded.action { unrecorded.keep(action, of: attempt.number) }
            throw error
        }
    }

    /// Records the answer to an attempt, and keeps it in memory if that fails.
    private func record(_ action: AnswerAction, _ attempt: Int64) async throws {
        do {
            try await perform(action)
        } catch {
            unrecorded.keep(action, of: attempt)
            throw error
        }
    }

    /// The first entry of an object with its attempt.
    struct Start: Sendable {
        let entry: OutboxEntry
        /// The object; `nil` if its row is deleted.
        let id: ManagedObjectID?
    }

    func start(_ object: EditedObject) async throws -> Start? {
        guard let lease = state.withLock(\.lease) else { return nil }
        let (recorder, manager, rules) = (recorder, manager, rules)
        let principal = manager.client.principal
        return try await content.write { context -> Start? in
            let now = manager.client.clock.date
            var queue: OutboxQueue?
            var request: FrozenRequest?
            var failure: (any Error)?
            var isHeld = true
            try context.rows.read { database in
                let tables = recorder.tables(database)
                guard try tables.holds(lease) else {
                    isHeld = false
                    return
                }
                let plan = try OutboxPlan.queue(tables, rules, of: [object.key])
                queue = plan
                guard plan.ready(for: principal, at: now).contains(where: { $0.object == object }),
                    let edits = plan.objects[object], let entry = edits.entries.first,
                    entry.attempt == nil
                else { return }
                guard let draft = plan.draft(of: object) else { return }
                let writer = RequestWriter(
                    rules: rules, manager: manager, tables: tables, context: context)
                do {
                    request = try writer.request(for: object, edits, draft)
                } catch {
                    failure = error
                }
            }
            if !isHeld { loseLease(lease) }
            guard let queue, let edits = queue.objects[object], let entry = edits.entries.first,
                queue.ready(for: principal, at: now).contains(where: { $0.object == object })
            else { return nil }
            if failure != nil {
                try context.rows.perform(
                    QueueAction<Void>(object) { (queue, _) throws(PersistenceError) in
                        queue.refuse(object)
                    })
                return nil
            }
            let frozen = request ?? entry.attempt?.request
            let action = QueueAction<OutboxEntry?>(object) {
                (queue, context) throws(PersistenceError) in
                let others = try OutboxPlan.queue(context.tables, rules, of: [object.key])
                queue.load(
                    others.objects.filter { $0.key != object }, predecessors: others.predecessors,
                    next: queue.next)
                guard let frozen else { return nil }
                let attempt = queue.startSend(of: object, at: now) { _ in frozen }
                return attempt == nil ? nil : queue.objects[object]?.entries.first
            }
            try context.rows.perform(action)
            guard let started = action.result ?? nil else { return nil }
            let isOfMember = started.isMemberRequest(in: edits.entity)
            guard edits.local != nil, !isOfMember, let index = rules.model.index(of: object.entity)
            else {
                return Start(entry: started, id: nil)
            }
            return Start(
                entry: started,
                id: ManagedObjectID(
                    key: object.key, layout: rules.model.layouts[index],
                    store: context.content.database.identity))
        }
    }
}
