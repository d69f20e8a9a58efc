// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestKit
import RestTesting

/// The steps of a schedule.
extension FolioSchedule {
    /// Takes a step that random numbers choose.
    func take(_ source: inout SplitMix64) async throws {
        let kind = source.next(below: 20)
        if overlaps, exchanges.count > 2 || kind < 4 {
            guard !exchanges.isEmpty else { return change(&source) }
            return try await answer(&source)
        }
        switch kind {
        case 0..<7: change(&source)
        case 7..<11: try await read(&source)
        case 11..<13: try edit(&source)
        case 13: try save(&source)
        case 14..<16: try await write(&source)
        case 16: try delete(&source)
        case 17: try await writeElsewhere(&source)
        case 18: try await walk(&source)
        default: if source.next(below: 4) == 0 { try await reset() }
        }
    }

    private func change(_ source: inout SplitMix64) {
        log.append("server changes")
        for _ in 0...source.next(below: 3) { server.change(&source) }
    }

    private func answer(_ source: inout SplitMix64) async throws {
        let fates: [ScheduledAnswer.Fate] = [.answered, .answered, .answered, .lost, .failed]
        let (index, fate) = (
            source.next(below: exchanges.count), fates[source.next(below: fates.count)]
        )
        // A server that has processed a request has not failed.
        let isProcessed = exchanges[index].answer != nil
        try await answer(index, isProcessed && fate == .failed ? .lost : fate, &source)
    }

    private func finish(_ source: inout SplitMix64) async throws {
        while !overlaps, !exchanges.isEmpty { try await answer(&source) }
    }

    private func user(_ source: inout SplitMix64) -> String {
        Self.users[source.next(below: Self.users.count)]
    }

    private func read(_ source: inout SplitMix64) async throws {
        let (user, choice) = (user(&source), source.next(below: 4))
        let context = choice > 1 ? nil : choice
        let work: Work
        switch source.next(below: 4) {
        case 0: work = .list("all")
        case 1: work = .list("shelf")
        default:
            guard let id = existing(&source) else { return }
            work = .detail(id)
        }
        log.append("\(clock + 1): \(user) gets \(work) in \(context.map(String.init) ?? "store")")
        try await start(
            work, user, context: context, isProcessedAtOnce: source.next(below: 2) == 0, &source)
        try await finish(&source)
    }

    /// Returns a folio that the server or the store has.
    private func existing(_ source: inout SplitMix64) -> Int? {
        let ids = Set(server.order).union(model.folios.keys).sorted()
        return ids.isEmpty ? nil : ids[source.next(below: ids.count)]
    }

    /// Returns a folio of the store that no request is writing, and a context that can change it.
    private func target(_ source: inout SplitMix64) -> (id: Int, context: Int)? {
        let written = exchanges.compactMap { exchange -> Int? in
            if case .write(_, let id, _, _, _) = exchange.work { return id }
            return nil
        }
        let (ids, context) = (
            model.folios.keys.filter { !written.contains($0) }.sorted(), source.next(below: 2)
        )
        dropLostEdits(of: context)
        return ids.isEmpty ? nil : (ids[source.next(below: ids.count)], context)
    }

    /// Rolls back a context that has edits of deleted objects, which could not be saved.
    private func dropLostEdits(of context: Int) {
        guard model.hasLostEdits(context) else { return }
        contexts[context].rollback()
        model.edits[context] = [:]
        log.append("roll back \(context)")
    }

    private func edit(_ source: inout SplitMix64) throws {
        guard let (id, context) = target(&source) else { return }
        let folio = try object(id, in: context)
        for name in NaiveStore.names where source.next(below: 3) == 0 {
            let value: NaiveValue
            switch name {
            case "title", "remark":
                let text = source.next(below: 4) == 0 ? nil : "e\(clock)\(name.prefix(1))"
                if name == "title" { folio.title = text } else { folio.remark = text }
                value = .text(text)
            case "scribe":
                let scribes = try contexts[context].fetch(Scribe.self, orderBy: \.id)
                let scribe = ([nil] + scribes)[source.next(below: scribes.count + 1)]
                folio.scribe = scribe
                value = .one(scribe?.id)
            default:
                let seals = try contexts[context].fetch(Seal.self, orderBy: \.id)
                    .shuffled(using: &source).prefix(source.next(below: 3))
                folio.seals = Array(seals)
                value = .many(seals.map(\.id))
            }
            log.append("\(context) edits \(id) \(name) \(value)")
            let isEqual = model.value(name, of: id) == value
            model.edits[context][id, default: [:]][name] = isEqual ? nil : value
        }
    }

    private func save(_ source: inout SplitMix64) throws {
        let context = source.next(below: 2)
        dropLostEdits(of: context)
        log.append("\(clock + 1): \(context) saves")
        try contexts[context].save()
        model.save(context, tick())
    }

    private func write(_ source: inout SplitMix64) async throws {
        guard let (id, context) = target(&source), let row = model.folios[id] else { return }
        let method = [HTTPRequest.Method.patch, .patch, .put, .delete][source.next(below: 4)]
        var sent = model.edits[context][id] ?? [:]
        if method == .patch, sent.isEmpty { return }
        if method == .put {
            for name in NaiveStore.names { sent[name] = model.value(name, of: id, in: context) }
        }
        if method == .delete { sent = [:] }
        log.append("\(clock + 1): \(context) sends \(method) \(id) \(sent)")
        try await start(
            .write(method, id, context: context, sent: sent, created: row.created), Self.users[0],
            context: context, isProcessedAtOnce: source.next(below: 2) == 0, &source)
        try await finish(&source)
    }

    private func delete(_ source: inout SplitMix64) throws {
        guard let (id, context) = target(&source) else { return }
        contexts[context].rollback()
        model.edits[context] = [:]
        log.append("\(clock + 1): \(context) deletes \(id) and saves")
        contexts[context].delete(try object(id, in: context))
        try contexts[context].save()
        model.remove(id, tick())
    }

    private func writeElsewhere(_ source: inout SplitMix64) async throws {
        guard let (id, _) = target(&source) else { return }
        let (deletes, remark) = (source.next(below: 4) == 0, "o\(clock)")
        let number = tick()
        log.append("\(number): another store \(deletes ? "deletes" : "writes") \(id)")
        try await other.write { context in
            for folio in try context.fetch(Folio.self, where: { $0.id == id }) {
                if deletes { context.delete(folio) } else { folio.remark = remark }
            }
        }
        if deletes {
            model.removeElsewhere(id, number)
        } else {
            model.writeElsewhere("remark", .text(remark), of: id, number)
        }
    }

    private func walk(_ source: inout SplitMix64) async throws {
        let user = user(&source)
        log.append("\(clock + 1): \(user) walks")
        try await walk(user)
    }

    private func reset() async throws {
        log.append("reset")
        for context in contexts { context.rollback() }
        try await store.reset()
        try other.close()
        other = try await ManagedObjectStore(at: store.url, model: store.model)
        model = NaiveStore()
        contentNumber += 1
    }
}
