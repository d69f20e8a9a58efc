// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import HTTPTypes
import RestNetworking
import RestOffline
import RestOutbox
import RestPersistence
import RestTesting
import RestTransport
import Synchronization

/// The steps of a schedule.
extension OutboxSimulation {
    func step() async throws {
        switch random.next(below: 20) {
        case 0..<9: try await act()
        case 9..<15: try await pass()
        case 15..<17: advance(by: .seconds(1 + random.next(below: 300)))
        case 17:
            switch random.next(below: 3) {
            case 0: try await crash()
            case 1: try await restart()
            default: correctClock()
            }
        case 18: try await changePrincipal()
        default:
            if clients.count > 1, random.next(below: 2) == 0 {
                active = (active + 1) % clients.count
                steps.append("process \(active)")
            } else {
                try await fillDisk()
            }
        }
    }

    /// Performs an action while a request is on its way.
    func actDuringRequest() async throws {
        if random.next(below: 6) == 0 {
            try await crash()
        } else {
            steps.append("during the request:")
            try await act()
        }
    }

    // MARK: Actions

    private func act() async throws {
        let action = simulator.actions[random.next(below: simulator.actions.count)]
        steps.append(action.name)
        switch action.kind {
        case .edit(let body): try await edit(body)
        case .server(let body): try body(server, &random)
        case .reload(let body):
            let client = clients[active]
            isReloading = true
            // A failed request leaves the store as it is.
            try? await body(client.api, client.store)
            isReloading = false
        }
    }

    private func edit(
        _ body: @escaping @Sendable (ManagedObjectContext, inout SplitMix64) throws -> Void
    ) async throws {
        let client = clients[active]
        let before = try await StoredRows(of: client.store)
        let start = random
        do {
            random = try await client.store.perform { context in
                var random = start
                do {
                    try body(context, &random)
                    try context.save()
                } catch {
                    context.rollback()
                    throw error
                }
                return random
            }
        } catch {
            _ = random.next()
            steps.append("not saved: \(error)")
            return
        }
        ledger.noteEdit(
            from: before, to: try await StoredRows(of: client.store), in: client.outbox.sentModel,
            by: principal)
    }

    // MARK: Sending

    /// Sends what can be sent at this time.
    func pass() async throws {
        steps.append("send")
        let outbox = clients[active].outbox
        isPassing = true
        passCount += 1
        duringRequest = nil
        defer { isPassing = false }
        outbox.resume()
        do {
            // The next step begins when nothing is on its way.
            try await outbox.settle()
        } catch let error as PersistenceError where error.code == .storeClosed {
            steps.append("the store is closed")
        }
        while let task = duringRequest {
            duringRequest = nil
            await task.value
        }
        outbox.pause()
    }

    func advance(by duration: Duration) {
        steps.append("\(duration) pass")
        clock.advance(by: duration)
        serverClock.advance(by: duration)
    }

    /// Sets the clock of the clients forward or back, by less than the longest life of a request allows for.
    private func correctClock() {
        let offset = Double(random.next(below: 300)) - 150
        steps.append("the clock is set \(offset) s off")
        clock.date = serverClock.date.addingTimeInterval(offset)
    }

    // MARK: Processes

    /// Ends a process at this point: nothing more of it is written, and another one opens the file.
    private func crash() async throws {
        steps.append("crash")
        // Requests of the process that has ended do nothing more in this program.
        passCount += 1
        try? clients[active].store.close()
        clients[active] = try await open()
    }

    private func restart() async throws {
        steps.append("restart")
        await clients[active].outbox.close()
        try clients[active].store.close()
        clients[active] = try await open()
    }

    private func changePrincipal() async throws {
        let principals = simulator.principals
        guard principals.count > 1 else { return }
        try await use(principals[random.next(below: principals.count)])
    }

    func use(_ principal: Principal?) async throws {
        self.principal = principal
        steps.append("principal \(principal.map { "\($0)" } ?? "none")")
        for client in clients {
            client.api.configure {
                $0.client.principal = principal
                $0.client.defaultHeaders[.authorization] = Self.credentials(of: principal)
            }
        }
    }

    /// Performs actions while no page can be added to the file.
    private func fillDisk() async throws {
        steps.append("the disk is full")
        let database = clients[active].store.content.database
        try database.write { try $0.execute(sql: "PRAGMA max_page_count = 1") }
        for _ in 0..<2 {
            try await act()
            try await pass()
        }
        steps.append("the disk has space")
        // After a crash, another connection is without the limit.
        let now = clients[active].store.content.database
        try now.write { try $0.execute(sql: "PRAGMA max_page_count = 4294967294") }
    }

    // MARK: Healing

    /// Ends the faults, sends everything and reloads all lists.
    func heal() async throws {
        steps.append("the faults end")
        isHealing = true
        source.hasFaults.withLock { $0 = false }
        server.acceptAll()
        for client in clients.dropFirst() {
            await client.outbox.close()
            try client.store.close()
        }
        clients = [clients[0]]
        active = 0
        try await restart()
        try await sendAll()
        for principal in simulator.principals {
            try await use(principal)
            try await reload(into: clients[0].store)
            try await pass()
        }
        // A list can bring the object of an uncertain creation, whose edits are then sent.
        try await sendAll()
        try await check()
        try await checkEnd()
    }

    private func sendAll() async throws {
        for _ in 0..<40 {
            advance(by: .seconds(700))
            for principal in simulator.principals {
                try await use(principal)
                try await retry()
                try await pass()
            }
            try await check()
            if try await clients[0].outbox.summary().unsentCount == 0 { return }
        }
        // What was tried again and is refused for good.
        for principal in simulator.principals {
            try await use(principal)
            try await pass()
        }
    }

    private func retry() async throws {
        for item in try await clients[0].outbox.entries() {
            switch item.state {
            case .refused, .conflicted: try? await clients[0].outbox.retry(item.id)
            case .synced, .waiting, .sending, .uncertain: break
            }
        }
    }

    private func reload(into store: ManagedObjectStore, by api: ObjectManager? = nil) async throws {
        for action in simulator.actions {
            if case .reload(let body) = action.kind { try await body(api ?? clients[0].api, store) }
        }
    }

    /// Compares the rows with those of a new store.
    private func checkEnd() async throws {
        let client = clients[0]
        let audit = try await client.outbox.audit()
        var queue = OutboxQueue(model: client.outbox.sentModel)
        queue.load(audit.edits, predecessors: [:], next: 1)
        var found: [String] = []
        for (object, edits) in audit.edits {
            guard let entry = edits.entries.first, !isExcused(object, queue) else { continue }
            found.append("\(ledger.name(object)): \(entry.kind) is not sent, \(entry.state)")
        }
        let fresh = try await ManagedObjectStore(temporaryFor: model)
        let plain = try manager()
        try await reload(into: fresh, by: plain)
        let theirs = try await StoredRows(of: fresh)
        try fresh.close()
        var expected: [EditedObject: [String: ObjectImage]] = [:]
        for object in theirs.rows.keys {
            guard let identity = SimulationLedger.text(theirs.identity(of: object)) else {
                continue
            }
            expected[EditedObject(entity: object.entity, key: 0), default: [:]][identity] =
                theirs.portable(object)
        }
        for object in audit.rows.rows.keys
        where client.outbox.sentModel.entities[object.entity] != nil
            && audit.edits[object]?.entries.isEmpty != false
        {
            let name = ledger.name(object)
            guard let identity = SimulationLedger.text(audit.rows.identity(of: object)) else {
                found.append("\(name) is not on the server")
                continue
            }
            let known = expected[EditedObject(entity: object.entity, key: 0)]?[identity]
            // Another client may have deleted it, which a list does not say.
            guard let known else { continue }
            let mine = audit.rows.portable(object)
            for (property, value) in mine where known[property] != value {
                found.append(
                    "\(name).\(property) is \(value), on the server \(known[property] ?? .null)")
            }
        }
        guard found.isEmpty else {
            throw OutboxSimulationError(seed: seed, steps: steps, violations: found.sorted())
        }
    }

    /// Returns a Boolean value that indicates whether only the user can send an object's entries, or those of an
    /// object for which they wait.
    private func isExcused(_ object: EditedObject, _ queue: OutboxQueue) -> Bool {
        var (visited, pending): (Set<EditedObject>, [EditedObject]) = ([], [object])
        while let next = pending.popLast() {
            guard visited.insert(next).inserted else { continue }
            if queue.objects[next]?.entries.first?.state.isParked == true { return true }
            pending += queue.blockers(of: next)
        }
        return false
    }
}
