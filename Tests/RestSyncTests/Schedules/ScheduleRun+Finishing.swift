// SPDX-License-Identifier: Apache-2.0

import RestKit

/// The ends of the program's requests.
extension ScheduleRun {
    /// Compares the result of a call with its answer, and imports the answer into the model.
    func finish(
        _ flight: Flight, _ answer: ScheduledServer.Answer?,
        _ outcome: Result<PageTraversalResult?, any Error>, at commit: Int
    ) throws {
        switch flight.kind {
        case .walk: return try finishWalk(flight, answer, outcome, at: commit)
        case .delete(let name): return try finishDeletion(flight, name, answer, outcome, at: commit)
        case .patch(let name): return try finishPatch(flight, name, answer, outcome, at: commit)
        default: break
        }
        if case .post(let draft) = flight.kind, case .failure = outcome,
            !drafts.contains(where: { $0.number == draft.number })
        {
            return
        }
        guard try hasSucceeded(flight, answer, outcome), let answer else { return }
        if case .post(let draft) = flight.kind {
            return finishPost(flight, draft, answer, at: commit)
        }
        let isConfirmation = answer.status == 304
        defer { if flight.isInContext, !isConfirmation { saveDrafts() } }
        let origin = ScheduleModel.Origin(
            number: flight.number, store: flight.store, isConfirmation: isConfirmation)
        if isConfirmation { count("confirmed") }
        if isSuperseded(flight) { return count("superseded") }
        model.importContent(answer.content, origin, at: commit)
        noteWrite(flight.store, commit)
        guard case .list(let project, _) = flight.kind, !isConfirmation else { return }
        let before = model.rows.count
        model.removeOrphans(
            of: project, keeping: answer.content, origin,
            isUncertain: lastWrites[1 - flight.store] > flight.number)
        if model.rows.count < before { count("orphans") }
    }

    /// Notes that a store object has written, which the other one does not compare.
    func noteWrite(_ store: Int, _ commit: Int) { lastWrites[store] = commit }

    /// Returns whether a call has succeeded, as its answer says.
    private func hasSucceeded(
        _ flight: Flight, _ answer: ScheduledServer.Answer?,
        _ outcome: Result<PageTraversalResult?, any Error>
    ) throws -> Bool {
        let isExpected = answer?.isSuccess ?? false
        switch outcome {
        case .success:
            try expect(isExpected, "flight \(flight.id) has succeeded without an answer")
        case .failure(let error):
            try expect(!isExpected, "flight \(flight.id) has failed: \(error)")
            note("  flight \(flight.id) fails: \(type(of: error))")
        }
        return isExpected
    }

    /// Notes that a list was answered, and returns whether a later request for it was answered before.
    private func isSuperseded(_ flight: Flight) -> Bool {
        guard let letter = flight.letter else { return false }
        let request = ScheduledServer.Request(letter.request)
        let key = "\(flight.store) \(request.user) \(letter.request.url.requestTarget)"
        if let known = answered[key], known > flight.number { return true }
        answered[key] = flight.number
        return false
    }

    // MARK: Writes

    /// Returns a Boolean value that indicates whether the row of a request's object was deleted since, also if
    /// a response has brought another one.
    private func isGone(_ flight: Flight, _ name: ObjectName) -> Bool {
        model.births[name].map { $0 > flight.number } ?? true
    }

    private func finishDeletion(
        _ flight: Flight, _ name: ObjectName, _ answer: ScheduledServer.Answer?,
        _ outcome: Result<PageTraversalResult?, any Error>, at commit: Int
    ) throws {
        let isExpected = answer.map { $0.isSuccess || $0.status == 404 } ?? false
        switch outcome {
        case .success: try expect(isExpected, "the deletion of \(name) was not answered")
        case .failure(let error):
            return try expect(
                !isExpected || isGone(flight, name), "the deletion of \(name) failed: \(error)")
        }
        model.remove(
            name, ScheduleModel.Stamp(number: commit, write: flight.number), in: flight.store)
        editors[0].edits[name] = nil
        noteWrite(flight.store, commit)
        saveDrafts()
        count("deleted")
    }

    private func finishPatch(
        _ flight: Flight, _ name: ObjectName, _ answer: ScheduledServer.Answer?,
        _ outcome: Result<PageTraversalResult?, any Error>, at commit: Int
    ) throws {
        let isGone = isGone(flight, name)
        if isGone, case .failure = outcome { return }
        guard try hasSucceeded(flight, answer, outcome), let answer else { return }
        let stamp = ScheduleModel.Stamp(number: commit, write: flight.number)
        for (property, value) in flight.sent where !flight.savedSince.contains(property) {
            if !isGone { model.set(value, property, of: name, stamp, in: flight.store) }
        }
        model.importContent(
            answer.content,
            ScheduleModel.Origin(
                number: flight.number, isWrite: true, target: name, store: flight.store),
            at: commit, except: flight.savedSince)
        if isGone {
            model.mayVanish[name] = ScheduleModel.Deletion(stamp: stamp, store: flight.store)
        }
        // An edit since a later save is one of the value that was saved.
        for (property, value) in flight.sent where !flight.savedSince.contains(property) {
            guard let edit = editors[0].edits[name]?[property] else { continue }
            if edit.value == value {
                editors[0].edits[name]?[property] = nil
            } else {
                editors[0].edits[name]?[property]?.base = model.rows[name]?[property]
                editors[0].edits[name]?[property]?.isResolved = false
            }
        }
        noteWrite(flight.store, commit)
        saveDrafts()
        count("patched")
    }

    private func finishPost(
        _ flight: Flight, _ draft: Draft, _ answer: ScheduledServer.Answer, at commit: Int
    ) {
        let stamp = ScheduleModel.Stamp(number: commit, write: flight.number)
        let isKnown = drafts.contains { $0.number == draft.number }
        drafts.removeAll { $0.number == draft.number }
        // The draft takes over the row that a list has brought.
        if draft.id == nil { model.remove(.ticket(-draft.number), stamp, in: flight.store) }
        let wasStored = answer.content.first.map { model.rows[$0.name] != nil } ?? false
        model.importContent(
            answer.content,
            ScheduleModel.Origin(number: flight.number, isWrite: true, store: flight.store),
            at: commit)
        // The program has discarded the object meanwhile.
        if !isKnown, !wasStored, let name = answer.content.first?.name {
            model.mayVanish[name] = ScheduleModel.Deletion(stamp: stamp, store: flight.store)
        }
        noteWrite(flight.store, commit)
        saveDrafts()
        count(wasStored ? "taken over" : "posted")
    }

    /// Saves the new tickets of the first context that no request is sending.
    func saveDrafts(includingSent: Bool = false) {
        let sent = Set(
            flights.values.compactMap { flight -> Int? in
                if case .post(let draft) = flight.kind { draft.number } else { nil }
            })
        let stamp = ScheduleModel.Stamp(number: model.tick())
        for index in drafts.indices where !drafts[index].isSaved {
            let draft = drafts[index]
            if !includingSent, sent.contains(draft.number) { continue }
            drafts[index].isSaved = true
            // What a list has brought since it was sent is newer.
            if let row = model.rows[draft.name] {
                // In the context, what it has not brought is that of the new ticket.
                for (property, value) in draft.row where row[property] == "-" {
                    model.alternatives[draft.name, default: [:]][property, default: []].insert(
                        value)
                }
                continue
            }
            for (property, value) in draft.row {
                model.set(value, property, of: draft.name, stamp, in: 0)
            }
        }
    }

    // MARK: Walks

    private func finishWalk(
        _ flight: Flight, _ answer: ScheduledServer.Answer?,
        _ outcome: Result<PageTraversalResult?, any Error>, at commit: Int
    ) throws {
        importPage(flight, answer, at: commit)
        noteWrite(flight.store, commit)
        guard case .success(let walk?) = outcome, case .walk(_, let deletes) = flight.kind else {
            return
        }
        try expect(
            deletes || walk.orphanIDs.isEmpty, "a walk that keeps objects has deleted some")
        if deletes, !walk.orphanIDs.isEmpty { count("walk orphans") }
        for name in model.rows.keys where deletes && name.kind == .project {
            let stamps = model.memories[flight.store].values[name]?.values.map(\.number) ?? []
            guard flight.absent.contains(name.id), !stamps.contains(where: { $0 > flight.start })
            else { continue }
            model.mayVanish[name] = ScheduleModel.Deletion(
                stamp: ScheduleModel.Stamp(number: commit), store: flight.store)
        }
    }
}
