// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import RestDocument
import RestNetworking
import RestOutbox
import RestPersistence
import RestSync
import RestTransport

extension OutboxSender {
    /// Freezes requests whose turn it is, and returns them for others to send.
    func beginUploads(limit: Int) async throws -> [OutboxUpload] {
        guard let plan = try await nextPlan() else { return [] }
        var uploads: [OutboxUpload] = []
        for step in plan.steps where step.kind == .send && uploads.count < limit {
            guard let start = try await start(step.object), let attempt = start.entry.attempt,
                let declaration = rules.declarations[step.object.entity]
            else { continue }
            let exchange = SuppliedExchange(nil)
            let files = recorder.files
            let parts = start.entry.command?.parts(of: attempt) ?? []
            let file = try await files.writeBody(
                of: attempt.request, parts, attempt: attempt.number)
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
                        .unsent, of: step.object, attempt: attempt.number, kind: start.entry.kind))
                continue
            }
            uploads.append(OutboxUpload(captured, attempt: attempt.number, file: file))
        }
        signal.send()
        return uploads
    }

    /// Records the answer to a request that others have sent; `nil` if there is none.
    ///
    /// - Returns: `false` if the attempt has ended.
    func endUpload(
        _ number: Int64, with answer: SuppliedExchange.Answer?, mayBeExecuted: Bool
    ) async throws -> Bool {
        let (recorder, rules, identity) = (recorder, rules, content.database.identity)
        let found = try await content.database.readSnapshot {
            database -> (object: EditedObject, start: Start)? in
            let tables = recorder.tables(database)
            guard let key = try tables.key(ofAttempt: number) else { return nil }
            for (object, edits) in try tables.load([key]).objects {
                guard let entry = edits.entries.first, entry.attempt?.number == number else {
                    continue
                }
                var id: ManagedObjectID?
                if edits.local != nil, !entry.isMemberRequest(in: edits.entity),
                    let index = rules.model.index(of: object.entity)
                {
                    id = ManagedObjectID(
                        key: object.key, layout: rules.model.layouts[index], store: identity)
                }
                return (object, Start(entry: entry, id: id))
            }
            return nil
        }
        recorder.files.removeBody(ofAttempt: number)
        guard let (object, start) = found, let attempt = start.entry.attempt,
            let declaration = rules.declarations[object.entity]
        else { return false }
        if let answer {
            try await SuppliedExchange.$current.withValue(SuppliedExchange(answer)) {
                try await transmit(start, of: object, attempt, declaration, as: nil)
            }
        } else {
            try await perform(
                AnswerAction(
                    mayBeExecuted ? .lost : .unsent, of: object, attempt: number,
                    kind: start.entry.kind))
        }
        wake()
        return true
    }
}
