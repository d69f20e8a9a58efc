// SPDX-License-Identifier: Apache-2.0

import RestKit

/// The requests of the program.
extension ScheduleRun {
    /// A call of the program that waits for the server.
    struct Flight {
        enum Kind {
            case list(project: Int, language: String)
            case ticket(Int)
            case project(Int)
            case accounts
            case walk(language: String, deletes: Bool)
            case patch(ObjectName)
            case post(Draft)
            case delete(ObjectName)
        }

        let id: Int
        let kind: Kind
        /// The store object, and its generation when the call began.
        let store: Int
        let generation: Int
        /// A Boolean value that indicates whether the destination is the first context.
        let isInContext: Bool
        /// The number of the request; of a walk, that of the page.
        var number: Int
        /// The number of the first request.
        let start: Int
        var letter: ScheduledTransport.Letter?
        var answer: ScheduledServer.Answer?
        /// The values that a PATCH request has sent.
        var sent: [String: ScheduledValue] = [:]
        /// The properties that the program has set to another value and saved since.
        var savedSince: Set<String> = []
        /// The projects that the user has not seen at some time since the start.
        var absent: Set<Int> = []
        /// A Boolean value that indicates whether a walk has imported its last page.
        var isAtEnd = false
    }

    /// The objects that a flight writes, of which requests do not overlap.
    var writtenTickets: Set<ObjectName> {
        Set(
            flights.values.compactMap { flight -> ObjectName? in
                switch flight.kind {
                case .patch(let name), .delete(let name): name
                case .post(let draft): draft.name
                default: nil
                }
            })
    }

    /// Begins a call, and waits until it has sent a request or is over.
    @discardableResult
    func launch(_ kind: Flight.Kind, store: Int = 0, inContext: Bool = false) async throws -> Int {
        lastFlight += 1
        let id = lastFlight
        let number = model.tick()
        flights[id] = Flight(
            id: id, kind: kind, store: store, generation: generations[store],
            isInContext: inContext, number: number, start: number)
        note("  flight \(id): \(kind)\(inContext ? " into the context" : "") of store \(store)")
        let target = target(of: kind)
        ScheduledTransport.$flight.withValue(id) {
            tasks[id] = Task { await fly(id, kind, target, stores[store], inContext) }
        }
        noteVisibility()
        switch await transport.nextEvent(of: id) {
        case .sent(let letter):
            flights[id]?.letter = letter
            try noteSending(id, letter)
        case .finished: try endWithoutRequest(id)
        }
        return id
    }

    private func target(of kind: Flight.Kind) -> Ticket? {
        switch kind {
        case .post(let draft): draft.ticket
        case .patch(let name), .delete(let name): try? ticket(name, in: 0)
        default: nil
        }
    }

    /// Returns the object of a saved ticket.
    func ticket(_ name: ObjectName, in index: Int) throws -> Ticket? {
        let found = try editors[index].context.fetch(Ticket.self, where: { $0.id == name.id })
        return found.first { !isUnsavedDraft($0) }
    }

    private func fly(
        _ id: Int, _ kind: Flight.Kind, _ target: Ticket?, _ store: ManagedObjectStore,
        _ inContext: Bool
    ) async {
        do {
            outcomes[id] = .success(try await call(kind, target, store, inContext))
        } catch {
            outcomes[id] = .failure(error)
        }
        transport.finish(id)
    }

    private func call(
        _ kind: Flight.Kind, _ target: Ticket?, _ store: ManagedObjectStore, _ inContext: Bool
    ) async throws -> PageTraversalResult? {
        let context = editors[0].context
        func get<Object: ManagedEntity>(_ type: Object.Type, _ path: String) async throws {
            if inContext {
                let _: [Object] = try await api.getObjects(type, at: path, in: context)
            } else {
                _ = try await api.getObjects(type, at: path, into: store)
            }
        }
        switch kind {
        case .list(let project, let language):
            try await get(Ticket.self, "projects/\(project)/tickets?lang=\(language)")
        case .ticket(let id): try await get(Ticket.self, "tickets/\(id)")
        case .project(let id): try await get(Project.self, "projects/\(id)")
        case .accounts: try await get(Account.self, "accounts")
        case .walk(let language, let deletes):
            var pages = api.pages(
                of: Project.self, at: "projects?lang=\(language)", by: .linkHeader, into: store)
            pages.orphans = deletes ? .delete(maximumShare: 1) : .keep
            return try await pages.fetchAll()
        case .patch:
            if let target { try await api.patch(target) }
        case .post:
            if let target { try await api.post(target) }
        case .delete:
            if let target { try await api.delete(target) }
        }
        return nil
    }

    // MARK: Sending

    /// Compares what a PATCH request has sent with the edits.
    private func noteSending(_ id: Int, _ letter: ScheduledTransport.Letter) throws {
        guard case .patch(let name) = flights[id]?.kind else { return }
        let body = ScheduledServer.Request(letter.request).body
        for (property, value) in body { flights[id]?.sent[property] = value ?? "-" }
        let edits = editors[0].edits[name] ?? [:]
        for (property, edit) in edits where edit.value != model.rows[name]?[property] {
            let isSent = flights[id]?.sent[property] == edit.value
            try expect(isSent || edit.isResolved, "the edit of \(name).\(property) was not sent")
        }
        for property in body.keys {
            try expect(edits[property] != nil, "\(name).\(property) was sent without an edit")
        }
    }

    /// Ends a call that has sent nothing, which is right only for a PATCH request without differences.
    private func endWithoutRequest(_ id: Int) throws {
        let outcome = outcomes.removeValue(forKey: id)
        guard let flight = flights.removeValue(forKey: id), case .patch(let name) = flight.kind,
            case .success = outcome
        else { throw Failure(description: "flight \(id) has sent nothing: \(outcome as Any)") }
        for (property, edit) in editors[0].edits[name] ?? [:] {
            let isStored = edit.value == model.rows[name]?[property]
            try expect(
                isStored || edit.isResolved, "the edit of \(name).\(property) was not sent")
            if isStored { editors[0].edits[name]?[property] = nil }
        }
        saveDrafts()
    }

    /// Notes which projects the user of each walk does not see at present.
    func noteVisibility() {
        for (id, flight) in flights {
            guard case .walk = flight.kind else { continue }
            let owner = flight.letter.map { ScheduledServer.Request($0.request).user } ?? user
            let visible = server.projects(of: owner)
            flights[id]?.absent.formUnion(
                model.rows.keys.filter { $0.kind == .project && !visible.contains($0.id) }.map(\.id)
            )
        }
    }

    // MARK: Delivering

    /// Handles a request on the server, unless that was done.
    func handle(_ id: Int) {
        guard let letter = flights[id]?.letter, flights[id]?.answer == nil else { return }
        flights[id]?.answer = server.answer(ScheduledServer.Request(letter.request))
        noteVisibility()
        note("  the server handles flight \(id): \(flights[id]?.answer?.status ?? 0)")
    }

    /// Delivers the answer to a flight; a lost one if it is `nil`.
    func deliver(_ answer: ScheduledServer.Answer?, to id: Int) async throws {
        guard let flight = flights[id], let letter = flight.letter else { return }
        note("  answer to flight \(id): \(answer.map { "\($0.status) \($0.body)" } ?? "lost")")
        transport.deliver(answer, to: letter)
        try await proceed(flight, answer)
    }

    func cancel(_ id: Int) async throws {
        guard let flight = flights[id] else { return }
        note("  flight \(id) is cancelled")
        tasks[id]?.cancel()
        try await proceed(flight, nil)
    }

    /// Waits for what a flight does with an answer.
    private func proceed(_ flight: Flight, _ answer: ScheduledServer.Answer?) async throws {
        let event = await transport.nextEvent(of: flight.id)
        let commit = model.tick()
        let isStale = flight.generation != generations[flight.store]
        switch event {
        case .sent(let letter):
            try expect(!isStale, "flight \(flight.id) goes on after a reset")
            note("  flight \(flight.id) sends \(letter.request.url.requestTarget)")
            flights[flight.id]?.letter = letter
            flights[flight.id]?.answer = nil
            let isRepeated =
                answer?.status == 304
                && letter.request.url.requestTarget == flight.letter?.request.url.requestTarget
            guard case .walk = flight.kind, !isRepeated else { return }
            importPage(flight, answer, at: commit)
            flights[flight.id]?.number = model.tick()
            flights[flight.id]?.isAtEnd = flight.isAtEnd || answer?.hasNextPage == false
        case .finished:
            flights[flight.id] = nil
            guard let outcome = outcomes.removeValue(forKey: flight.id) else { return }
            if isStale { return try endStale(flight, outcome) }
            try finish(flight, answer, outcome, at: commit)
        }
    }

    func importPage(_ flight: Flight, _ answer: ScheduledServer.Answer?, at commit: Int) {
        guard !flight.isAtEnd, let answer, answer.isSuccess else { return }
        model.importContent(
            answer.content,
            ScheduleModel.Origin(
                number: flight.number, store: flight.store, isConfirmation: answer.status == 304),
            at: commit)
    }

    /// Ends a call of before a reset, which must have failed.
    private func endStale(_ flight: Flight, _ outcome: Result<PageTraversalResult?, any Error>)
        throws
    {
        count("stale")
        guard case .failure(let error) = outcome else {
            throw Failure(description: "flight \(flight.id) has succeeded after a reset")
        }
        note("  flight \(flight.id) fails after a reset: \(error)")
        guard let error = error as? SyncError else { return }
        let code = error.underlying?.code
        try expect(
            code == .storeClosed || code == .fileChanged,
            "flight \(flight.id) fails after a reset by \(error)")
    }
}
