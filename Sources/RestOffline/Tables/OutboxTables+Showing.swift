// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestOutbox
import RestPersistence

/// The entries as the user sees them.
extension OutboxTables {
    /// Returns the state of the first entry of an object; `nil` if there is none.
    func firstState(of key: Int64) throws(PersistenceError) -> SyncState? {
        let statement = try PreparedStatement(
            "SELECT state, detail, problem FROM \(Self.entries) WHERE key = ?1 "
                + "AND state <> '\(StateText.quarantined)' ORDER BY sequence LIMIT 1", in: database)
        try statement.bind(.integer(key), at: 1)
        guard try statement.step() else { return nil }
        return Self.state(
            StateText(statement.text(0), statement.optionalInteger(1)), statement.value(2))
    }

    /// Returns what has become of the last entry of an object; `nil` if it is not known.
    func lastOutcome(of key: Int64) throws(PersistenceError) -> OutboxOutcome? {
        let statement = try PreparedStatement(
            "SELECT sequence, outcome FROM \(Self.outcomes) WHERE key = ?1 ORDER BY sequence DESC LIMIT 1",
            in: database)
        try statement.bind(.integer(key), at: 1)
        guard try statement.step() else { return nil }
        return switch statement.text(1) {
        case "discarded": .discarded
        case "expired": .expired
        case "merged": .merged(try mergedProperties(of: statement.integer(0)))
        default: .accepted
        }
    }

    func summary() throws(PersistenceError) -> OutboxSummary {
        let statement = try PreparedStatement(
            "SELECT state, count(*) FROM \(Self.entries) GROUP BY state", in: database)
        var summary = OutboxSummary()
        while try statement.step() {
            let count = Int(statement.integer(1))
            summary.unsentCount += count
            switch statement.text(0) {
            case "uncertain": summary.uncertainCount += count
            case "refused", "gone", "keyReused", "invalid", "conflicted":
                summary.refusedCount += count
            case let state where StateText(state, nil).state == nil:
                summary.quarantinedCount += count
            default: break
            }
        }
        return summary
    }

    func items(
        in model: ManagedObjectModel, store: UUID
    ) throws(PersistenceError) -> [OutboxItem] {
        let statement = try PreparedStatement(
            "SELECT sequence, key, entity, kind, created, state, detail, problem, \"values\" "
                + "FROM \(Self.entries) ORDER BY sequence", in: database)
        var items: [OutboxItem] = []
        while try statement.step() {
            // An entity that is no longer in the model has no objects.
            guard let index = model.index(of: statement.text(2)) else { continue }
            let text = StateText(statement.text(5), statement.optionalInteger(6))
            items.append(
                OutboxItem(
                    id: OutboxEntryID(sequence: statement.integer(0)),
                    objectID: ManagedObjectID(
                        key: statement.integer(1), layout: model.layouts[index], store: store),
                    kind: OutboxItem.Kind(description: statement.text(3)),
                    created: statement.date(4) ?? .distantPast,
                    state: Self.state(text, statement.value(7)),
                    isQuarantined: text.state == nil,
                    values: statement.value(8).isNull ? nil : statement.text(8)))
        }
        return items
    }

    static func state(_ text: StateText, _ problem: StoredValue) -> SyncState {
        var body: [UInt8] = []
        if case .data(let data) = problem { body = Array(data) }
        return switch text.state {
        case nil, .waiting, .reading, .probing: .waiting
        case .sending, .abandoned: .sending
        case .conflicted: .conflicted
        case .uncertain: .uncertain
        case .refused(.rejected(let status)):
            .refused(OutboxProblem(kind: .rejected, status: status, body: body))
        case .refused(.gone): .refused(OutboxProblem(kind: .gone, status: nil, body: body))
        case .refused(.keyReused):
            .refused(OutboxProblem(kind: .keyReused, status: nil, body: body))
        case .refused(.invalid):
            .refused(OutboxProblem(kind: .invalidRequest, status: nil, body: body))
        }
    }
}
