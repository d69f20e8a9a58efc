// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestDocument
import RestNetworking
import RestOutbox
import RestPersistence
import RestSync
import RestTransport
import Synchronization

extension OutboxSender {
    /// Sends requests that were written: one alone, or several as a batch.
    func send(_ unit: [Start]) async {
        var requests: BatchedRequests?
        let members = unit.count > 1 ? unit.filter(\.attempt.request.isBatchable) : []
        if members.count > 1, let path = configuration.batch?.path,
            let url = try? manager.request(.post, at: path).url
        {
            requests = BatchedRequests(to: url, count: members.count, clock: manager.client.clock)
        }
        if unit.count == 1 {
            await send(unit[0], in: nil)
        } else {
            await withDiscardingTaskGroup { [requests] group in
                for start in unit { group.addTask { await self.send(start, in: requests) } }
            }
        }
        state.withLock { $0.endedRequestCount += 1 }
        signal.send()
    }

    private func send(_ start: Start, in requests: BatchedRequests?) async {
        var member: BatchedRequests.Member?
        if let requests, start.attempt.request.isBatchable {
            member = BatchedRequests.Member(requests, fields: start.attempt.request.fields)
        }
        var hasFailed = false
        do {
            try await transmit(start, as: member)
        } catch {
            // The next scan records the answer.
            hasFailed = true
        }
        if let member { requests?.leave(member) }
        state.withLock { state in
            if hasFailed { state.needsRestart = true }
            state.attempts.remove(start.attempt.number)
            state.ended.append((start.object, false))
        }
        signal.send()
    }

    /// Sends the request of an attempt, and records the answer.
    ///
    /// - Parameters:
    ///   - start: The attempt.
    ///   - member: The place in a batch; `nil` to send the request alone.
    /// - Throws: `PersistenceError` if the answer cannot be recorded.
    func transmit(_ start: Start, as member: BatchedRequests.Member?) async throws {
        guard let declaration = rules.declarations[start.object.entity],
            let reader = readers[start.object.entity]
        else { return }
        let (object, attempt, kind) = (start.object, start.attempt, start.entry.kind)
        let client = manager.client
        let (entity, answers) = (object.entity, rules.answers)
        let (recorded, weakTags) = (LastAnswer(), weakTags)
        func answer(_ response: OutboxAnswer.Response, body: [UInt8] = []) -> AnswerAction {
            AnswerAction(
                .response(response), of: object, attempt: attempt.number, kind: kind, body: body)
        }
        do {
            var request = try attempt.request.transportRequest(for: start.entry.principal)
            if let parts = start.entry.command?.parts(of: attempt), !parts.isEmpty {
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
                    },
                    recording: { [queue = self.answers] in try await queue.record($0) }
                ) { [manager] response in
                    weakTags.note(response, of: declaration, reader, by: manager)
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
                            body: response.bodyPrefix, keepsTag: declaration.precondition.isOfField,
                            isBlank: response.bodyPrefix.isEmpty)
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
                try await self.answers.record(
                    AnswerAction(lost, of: object, attempt: attempt.number, kind: kind))
            }
        } catch is CancellationError {
            try await perform(
                recorded.action
                    ?? AnswerAction(.lost, of: object, attempt: attempt.number, kind: kind))
        } catch {
            // The server has answered, but the file cannot be written, as when the disk is full.
            if let action = recorded.action { unrecorded.keep(action, of: attempt.number) }
            throw error
        }
    }

    /// Records the answer to an attempt, and keeps it in memory if that fails.
    private func record(_ action: AnswerAction, _ attempt: Int64) async throws {
        do {
            try await answers.record(action)
        } catch {
            unrecorded.keep(action, of: attempt)
            throw error
        }
    }
}
