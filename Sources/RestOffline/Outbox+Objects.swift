// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestNetworking
import RestOutbox
public import RestPersistence
import RestSync
import RestTransport

/// The way of the requests of objects through an outbox.
final class OutboxRoute: ObjectOutbox {
    private let store: ManagedObjectStore
    private let recorder: OutboxRecorder
    private let sender: OutboxSender

    init(_ store: ManagedObjectStore, _ recorder: OutboxRecorder, _ sender: OutboxSender) {
        self.store = store
        self.recorder = recorder
        self.sender = sender
    }

    func sends(_ method: HTTPRequest.Method, _ object: ManagedObject) -> Bool {
        guard recorder.rules.declarations[object.objectID.entityName] != nil,
            object.managedObjectContext.content == store.content
        else { return false }
        return [.post, .put, .patch, .delete].contains(method)
    }

    func send(_ id: ManagedObjectID) async throws {
        sender.wake()
        switch try await sender.outcome(of: id) {
        case .accepted, .merged, .discarded, .expired: return
        case .refused(let problem):
            throw OutboxError(
                .refused,
                problem.status.map { "the server has answered with status \($0)" }
                    ?? "the request was refused: \(problem.kind)", problem: problem)
        case .conflicted:
            throw OutboxError(.refused, "the server has another version of the object")
        case .uncertain:
            throw OutboxError(.uncertain, "the answer of the server is not known")
        }
    }
}

extension Outbox {
    /// Returns the reason for which an object is not sent, one line; `nil` if nothing is to be sent.
    ///
    /// - Throws: ``OutboxError`` with code `unknownObject`; `PersistenceError` of the store.
    public func explain(_ object: ManagedObject) async throws -> String? {
        let edited = try editedObject(object.objectID)
        let (rules, date) = (recorder.rules, manager.client.clock.date)
        let unauthorized = sender.unauthorized
        let isPaused = sender.isPaused
        return try await read { (tables) throws(PersistenceError) -> String? in
            var visited: Set<EditedObject> = []
            var current = edited
            var path: [String] = []
            while visited.insert(current).inserted {
                let queue = try OutboxPlan.queue(tables, rules, of: [current.key])
                guard let edits = queue.objects[current], let entry = edits.entries.first else {
                    return path.isEmpty ? nil : path.joined(separator: "; ")
                }
                let name = "\(entry.kind) of \(current.entity)/\(current.key)"
                let problem = try tables.firstState(of: current.key)
                if entry.state.isParked, let problem {
                    path.append("\(name) waits for the user: \(Self.text(problem))")
                } else if entry.state == .sending {
                    path.append("\(name) is being sent")
                } else if isPaused {
                    path.append("\(name) waits because the outbox is paused")
                } else if unauthorized.contains(entry.principal) {
                    path.append("\(name) waits for valid credentials")
                } else if entry.state == .reading {
                    path.append("\(name) waits until the object is read")
                } else if let blocker = queue.blockers(of: current).min(by: { $0.key < $1.key }) {
                    path.append("\(name) waits for \(blocker.entity)/\(blocker.key)")
                    current = blocker
                    continue
                } else if entry.notBefore > date || (edits.quietEnd(before: entry) ?? date) > date {
                    path.append("\(name) waits until it is sent again")
                } else {
                    path.append("\(name) waits for its turn")
                }
                break
            }
            return path.joined(separator: "; ")
        }
    }

    private static func text(_ state: SyncState) -> String {
        switch state {
        case .refused(let problem):
            problem.status.map { "refused with status \($0)" } ?? "refused, \(problem.kind)"
        case .conflicted: "the server has another version"
        case .uncertain: "its answer is not known"
        case .synced, .waiting, .sending: "it waits"
        }
    }
}
