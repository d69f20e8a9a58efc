// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit

/// The steps of the program and of the server.
extension ScheduleRun {
    private static let maximumFlightCount = 5
    private static let words = ["a", "b", "c", "d"]

    func perform(_ step: ScheduleStep) async throws {
        switch step.kind {
        case .deliver, .handle, .refuse, .lose, .cancel: try await answer(step)
        case .list, .ticket, .project, .accounts, .walk: try await read(step)
        case .edit: try edit(step)
        case .save: try await save(step.first % 2)
        case .rollback: rollBack(step.first % 2)
        case .patch, .post, .delete: try await write(step)
        case .deleteLocally: try await deleteLocally(step)
        case .writeByOther: try await writeByOther(step)
        case .changeServer: changeServer(step)
        case .changeUser:
            user = ScheduledServer.users[step.first % 2]
            api.configure { [user] in
                $0.client.principal = Principal(user)
                $0.client.defaultHeaders[.authorization] = user
            }
        case .evict: try await evict()
        case .reset: try await reset(0)
        case .resetByOther: try await reset(1)
        }
    }

    // MARK: Requests

    private func answer(_ step: ScheduleStep) async throws {
        guard let id = flights.keys.sorted().chosen(by: step.first) else { return }
        switch step.kind {
        case .handle: handle(id)
        case .refuse where flights[id]?.answer == nil:
            try await deliver(ScheduledServer.Answer(status: 500), to: id)
        case .lose:
            // The request has had its effect, or has not arrived.
            if step.second % 3 > 0 { handle(id) }
            try await deliver(nil, to: id)
        case .cancel:
            if step.second % 2 > 0 { handle(id) }
            try await cancel(id)
        default:
            handle(id)
            try await deliver(flights[id]?.answer, to: id)
        }
    }

    private func read(_ step: ScheduleStep) async throws {
        guard flights.count < Self.maximumFlightCount else { return }
        let language = step.second % 4 == 0 ? "de" : "en"
        let store = step.third % 6 == 0 ? 1 : 0
        let inContext = store == 0 && step.third % 3 == 0
        switch step.kind {
        case .list:
            guard let id = server.projects.keys.sorted().chosen(by: step.first) else { return }
            try await launch(
                .list(project: id, language: language), store: store, inContext: inContext)
        case .ticket:
            guard let id = server.tickets.keys.sorted().chosen(by: step.first) else { return }
            try await launch(.ticket(id), store: store, inContext: inContext)
        case .project:
            guard let id = server.projects.keys.sorted().chosen(by: step.first) else { return }
            try await launch(.project(id), store: store, inContext: inContext)
        case .accounts: try await launch(.accounts, store: store, inContext: inContext)
        default:
            try await launch(
                .walk(language: language, deletes: step.first % 3 > 0), store: store)
        }
    }

    private func write(_ step: ScheduleStep) async throws {
        guard flights.count < Self.maximumFlightCount else { return }
        if step.kind == .post { return try await post(step) }
        let free = storedTickets.filter { !writtenTickets.contains($0) }
        let edited = free.filter { editors[0].edits[$0] != nil }
        guard let name = (edited.isEmpty ? free : edited).chosen(by: step.first) else { return }
        if step.kind == .patch, editors[0].edits[name] == nil {
            try edit(name, in: 0, step)
        }
        try await launch(step.kind == .patch ? .patch(name) : .delete(name))
    }

    private func post(_ step: ScheduleStep) async throws {
        let sent = flights.values.compactMap { flight -> Int? in
            if case .post(let draft) = flight.kind { draft.number } else { nil }
        }
        // A program repeats a request without an answer, if the object is still new.
        let failed = drafts.filter { !$0.isSaved && !sent.contains($0.number) }
        if let draft = failed.first {
            try await launch(.post(draft))
            return
        }
        draftCount += 1
        let ticket = try editors[0].context.insert(Ticket.self)
        let id = step.first % 2 == 0 ? nil : 900 + draftCount
        (ticket.id, ticket.title, ticket.state) = (id, "d\(draftCount)", "open")
        let draft = Draft(number: draftCount, ticket: ticket, id: id)
        drafts.append(draft)
        try await launch(.post(draft))
    }

    // MARK: The program

    /// The tickets in the file that have an identity.
    private var storedTickets: [ObjectName] {
        model.rows.keys.filter { $0.kind == .ticket && $0.id > 0 }.sorted()
    }

    private func edit(_ step: ScheduleStep) throws {
        let index = step.third % 3 == 0 ? 1 : 0
        guard let name = storedTickets.chosen(by: step.first) else { return }
        try edit(name, in: index, step)
    }

    private func edit(_ name: ObjectName, in index: Int, _ step: ScheduleStep) throws {
        guard let ticket = try ticket(name, in: index), let row = model.rows[name] else { return }
        let property = step.second % 4 == 0 ? "state" : "title"
        let value =
            property == "state"
            ? (step.third % 2 == 0 ? "open" : "closed") : Self.words[step.third % Self.words.count]
        note("  context \(index) sets \(name).\(property) = \(value)")
        if property == "state" { ticket.state = value } else { ticket.title = value }
        var edit = editors[index].edits[name]?[property] ?? Edit(value: value, base: row[property])
        if edit.isResolved { edit.base = row[property] == edit.value ? edit.value : nil }
        edit.value = value
        // The context may not know what the other store has written since.
        edit.isResolved = row[property] == value || edit.base == value
        if row[property] == value, edit.base == value,
            index > 0 || !hasSentOther(value, property, of: name)
        {
            editors[index].edits[name]?[property] = nil
        } else {
            editors[index].edits[name, default: [:]][property] = edit
        }
    }

    /// Returns a Boolean value that indicates whether a request in flight has sent another value, which the edit
    /// will replace.
    private func hasSentOther(
        _ value: ScheduledValue, _ property: String, of name: ObjectName
    ) -> Bool {
        flights.values.contains { flight in
            guard case .patch(name) = flight.kind, let sent = flight.sent[property] else {
                return false
            }
            return sent != value
        }
    }

    private func save(_ index: Int) async throws {
        let edits = editors[index].edits
        var (mayConflict, mustConflict) = (false, false)
        for (name, properties) in edits {
            for (property, edit) in properties where edit.value != model.rows[name]?[property] {
                let isConflict = edit.base != model.rows[name]?[property]
                mayConflict = mayConflict || isConflict || edit.isResolved
                mustConflict =
                    mustConflict || isConflict && edit.base != nil && !edit.isResolved
            }
        }
        do {
            try await editors[index].context.save()
        } catch {
            try expect(
                mayConflict && error.code == .saveConflict, "context \(index) cannot save: \(error)"
            )
            count("conflicts")
            return rollBack(index)
        }
        try expect(!mustConflict, "context \(index) has saved over the value of another writer")
        let commit = model.tick()
        for (name, properties) in edits {
            for (property, edit) in properties {
                let old = model.rows[name]?[property] ?? "-"
                if edit.isResolved, old != edit.value {
                    model.alternatives[name, default: [:]][property] = [old]
                }
                model.set(
                    edit.value, property, of: name, ScheduleModel.Stamp(number: commit), in: 0)
                if index == 0 { noteSave(edit.value, property, of: name) }
            }
        }
        editors[index].edits = [:]
        noteWrite(0, commit)
        if index == 0 { saveDrafts(includingSent: true) }
        count("saved")
    }

    /// Notes that the program has saved another value than the one that a request has sent.
    private func noteSave(_ value: ScheduledValue, _ property: String, of name: ObjectName) {
        for (id, flight) in flights {
            guard case .patch(name) = flight.kind, let sent = flight.sent[property], sent != value
            else { continue }
            flights[id]?.savedSince.insert(property)
        }
    }

    private func deleteLocally(_ step: ScheduleStep) async throws {
        let tickets = storedTickets.filter { name in !drafts.contains { $0.name == name } }
        guard let name = tickets.chosen(by: step.first) else { return }
        try await stores[0].write { context in
            let found = try context.fetch(Ticket.self, where: { $0.id == name.id })
            for ticket in found { context.delete(ticket) }
        }
        note("  \(name) is deleted")
        let commit = model.tick()
        model.remove(name, ScheduleModel.Stamp(number: commit), in: 0)
        noteWrite(0, commit)
    }

    private func writeByOther(_ step: ScheduleStep) async throws {
        guard let name = storedTickets.chosen(by: step.first) else { return }
        let title = Self.words[step.second % Self.words.count]
        try await stores[1].write { context in
            try context.fetch(Ticket.self, where: { $0.id == name.id }).first?.title = title
        }
        note("  the other store sets \(name).title = \(title)")
        // The value that the row has already is no change.
        if model.rows[name]?["title"] == title { return }
        let commit = model.tick()
        noteWrite(1, commit)
        model.set(title, "title", of: name, ScheduleModel.Stamp(number: commit), in: 1)
    }

    private func evict() async throws {
        let edits = editors.flatMap(\.edits)
        let kept = Set(edits.filter { !$0.value.values.allSatisfy(\.isResolved) }.map(\.key))
        let commit = model.tick()
        try await stores[0].evictCollections(confirmedBefore: .distantFuture)
        for name in model.rows.keys where !kept.contains(name) {
            let isReferred = model.references(to: name).contains { kept.contains($0.name) }
            if isReferred { continue }
            model.mayVanish[name] = ScheduleModel.Deletion(store: 0)
            for store in model.memories.indices { model.memories[store].evicted[name] = commit }
        }
        answered = [:]
        noteWrite(0, commit)
        count("evictions")
    }

    private func reset(_ index: Int) async throws {
        try await stores[index].reset()
        generations[index] += 1
        model.reset()
        answered = [:]
        lastWrites = [0, 0]
        let other = stores[1 - index]
        do {
            _ = try await other.read { try $0.fetch(Ticket.self).count }
            throw Failure(description: "store \(1 - index) reads the content of another store")
        } catch let error as PersistenceError {
            try expect(error.code == .fileChanged, "store \(1 - index) fails by \(error)")
        }
        try await reopen(1 - index)
        if index == 0 { resetEditors() }
        count("resets")
    }

    // MARK: The server

    private func changeServer(_ step: ScheduleStep) {
        let word = Self.words[step.third % Self.words.count]
        let ticket = server.tickets.keys.sorted().chosen(by: step.second)
        let project = server.projects.keys.sorted().chosen(by: step.second)
        let account = server.accounts.keys.sorted().chosen(by: step.second)
        switch step.first % 15 {
        case 0, 1, 2: if let ticket { server.tickets[ticket]?.title = word }
        case 3: if let ticket { server.tickets[ticket]?.state = "closed" }
        case 4: if let ticket { server.tickets[ticket]?.note = word }
        case 5, 6:
            if let ticket, let project = server.projects.keys.sorted().chosen(by: step.third) {
                server.tickets[ticket]?.project = project
            }
        case 7: if let ticket { server.tickets[ticket] = nil }
        case 8: if let project { server.insertTicket(in: project, titled: word) }
        case 9: if let account { server.accounts[account]?.login = word }
        case 10: if let project { server.projects[project] = word }
        default:
            let user = ScheduledServer.users[step.third % 2]
            if let project { server.hidden[user, default: []].formSymmetricDifference([project]) }
        }
        noteVisibility()
    }
}
