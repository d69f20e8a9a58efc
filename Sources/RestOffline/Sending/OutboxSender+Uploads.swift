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

extension OutboxSender {
    /// Freezes requests whose turn it is, and returns them for others to send.
    func beginUploads(limit: Int) async throws -> [OutboxUpload] {
        guard try await acquireLease() else { return [] }
        if state.withLock(\.needsRestart) { try await restart() }
        try await endExpired()
        var uploads: [OutboxUpload] = []
        var position: Int64? = 0
        while let begin = position, uploads.count < limit {
            let plan = try await plan(after: begin)
            position = plan.end
            for step in plan.steps where step.kind == .send && uploads.count < limit {
                let starts = try await start([step.object], limit: 1, isOfUser: true)
                for start in starts.started {
                    defer { state.withLock { _ = $0.attempts.remove(start.attempt.number) } }
                    if let upload = try await beginUpload(start) { uploads.append(upload) }
                }
            }
        }
        signal.send()
        return uploads
    }

    /// Returns the request of an attempt for others to send; `nil` if it cannot be captured.
    private func beginUpload(_ start: Start) async throws -> OutboxUpload? {
        guard let declaration = rules.declarations[start.object.entity] else { return nil }
        let attempt = start.attempt
        let exchange = SuppliedExchange(nil)
        let files = recorder.files
        let parts = start.entry.command?.parts(of: attempt) ?? []
        let file = try await files.writeBody(of: attempt.request, parts, attempt: attempt.number)
        let request = try attempt.request.transportRequest(for: start.entry.principal)
        let content = content
        try? await SuppliedExchange.$current.withValue(exchange) {
            // It ends with the request that the transport would have sent.
            try await manager.sendFrozen(
                request, of: nil, as: declaration.type, into: content
            ) { _ in QueueAction<Void>(nil) { (_, _) throws(PersistenceError) in } }
        }
        guard let captured = exchange.request else {
            files.removeBody(ofAttempt: attempt.number)
            try await perform(
                AnswerAction(
                    .unsent, of: start.object, attempt: attempt.number, kind: start.entry.kind))
            return nil
        }
        return OutboxUpload(captured, attempt: attempt.number, file: file)
    }

    /// Records the answer to a request that others have sent; `nil` if there is none.
    ///
    /// - Returns: `false` if the attempt has ended.
    func endUpload(
        _ number: Int64, with answer: SuppliedExchange.Answer?, mayBeExecuted: Bool
    ) async throws -> Bool {
        let (recorder, rules, identity) = (recorder, rules, content.database.identity)
        let found = try await content.database.readSnapshot {
            database -> Start? in
            let tables = recorder.tables(database)
            guard let key = try tables.key(ofAttempt: number) else { return nil }
            for (object, edits) in try tables.load([key]).objects {
                guard let entry = edits.entries.first, let attempt = entry.attempt,
                    attempt.number == number
                else { continue }
                var id: ManagedObjectID?
                if edits.local != nil, !entry.isMemberRequest(in: edits.entity),
                    let index = rules.model.index(of: object.entity)
                {
                    id = ManagedObjectID(
                        key: object.key, layout: rules.model.layouts[index], store: identity)
                }
                return Start(object, entry, attempt, id: id)
            }
            return nil
        }
        // A restart must not take the attempt for that of another process.
        state.withLock { _ = $0.attempts.insert(number) }
        defer { state.withLock { _ = $0.attempts.remove(number) } }
        recorder.files.removeBody(ofAttempt: number)
        guard let start = found, rules.declarations[start.object.entity] != nil else {
            return false
        }
        if let answer {
            try await SuppliedExchange.$current.withValue(SuppliedExchange(answer)) {
                try await transmit(start, as: nil)
            }
        } else {
            try await perform(
                AnswerAction(
                    mayBeExecuted ? .lost : .unsent, of: start.object, attempt: number,
                    kind: start.entry.kind))
        }
        wake()
        return true
    }
}
