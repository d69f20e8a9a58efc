// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import RestKit
import RestTesting

/// Requests, the answers of the server, and what they mean to the model.
extension FolioSchedule {
    /// Sends a request, and waits until it has arrived at the server.
    func start(
        _ work: Work, _ user: String, context: Int?, isProcessedAtOnce: Bool,
        _ source: inout SplitMix64
    ) async throws {
        let number = tick()
        let end = try send(work, user, context: context)
        guard case .arrived(let request, let reply) = await wire.next() else {
            let error = await end.result
            throw ScheduleFailure(text: "not sent: \(error)")
        }
        if case .write(let method, _, _, let sent, _) = work, method != .delete {
            let body = try JSONSerialization.jsonObject(with: Data(request.body.bytes ?? []))
            let keys = (body as? [String: Any]).map { Set($0.keys) } ?? []
            let expected = Set(sent.keys).union(method == .put ? ["id"] : [])
            try check(keys == expected, "sends \(keys.sorted()), not \(expected.sorted())")
        }
        var exchange = Exchange(
            work: work, user: user, content: contentNumber, number: number, request: request,
            reply: reply, answer: nil, end: end)
        if isProcessedAtOnce { exchange.answer = process(exchange, &source) }
        exchanges.append(exchange)
    }

    private func send(
        _ work: Work, _ user: String, context: Int?
    ) throws -> Task<[ManagedObjectID], any Error> {
        let (wire, store) = (wire, store)
        let api = api(of: user)
        let destination = context.map { contexts[$0] }
        func get(_ path: String) -> Task<[ManagedObjectID], any Error> {
            Task { @MainActor in
                defer { wire.finish() }
                guard let destination else {
                    return try await api.getObjects(Folio.self, at: path, into: store).objectIDs
                }
                return try await api.getObjects(Folio.self, at: path, in: destination)
                    .map(\.objectID)
            }
        }
        switch work {
        case .list(let path): return get(path)
        case .detail(let id): return get("folios/\(id)")
        case .write(let method, let id, let context, _, _):
            let folio = try object(id, in: context)
            return Task { @MainActor in
                defer { wire.finish() }
                switch method {
                case .put: return try await api.put(folio).objectIDs
                case .delete: return try await api.delete(folio).objectIDs
                default: return try await api.patch(folio).objectIDs
                }
            }
        }
    }

    // MARK: The server

    /// Processes a request on the server.
    private func process(
        _ exchange: Exchange, _ source: inout SplitMix64
    ) -> ScheduledAnswer {
        var answer = ScheduledAnswer()
        switch exchange.work {
        case .list(let path):
            answer.folios = server.list(path, for: exchange.user, hasLines: hasLines)
            answer.body = "[\(answer.folios.map(\.json).joined(separator: ","))]"
            answer.tag = "\"\(Data(answer.body.utf8).base64EncodedString())\""
            if exchange.request.headerFields[.ifNoneMatch] == answer.tag {
                (answer.status, answer.body) = (304, "")
            }
        case .detail(let id):
            let part = server.part(of: id, for: exchange.user, hasLines: hasLines, &source)
            answer.folios = [part].compactMap(\.self)
            answer.body = part?.json ?? ""
            if part == nil { answer.status = 404 }
        case .write(let method, let id, _, let sent, _):
            guard server.contains(id) else {
                answer.status = 404
                break
            }
            if method == .delete {
                server.remove(id)
            } else {
                server.write(sent, to: id)
            }
            answer.status = 204
            if method != .delete, source.next(below: 2) == 0 {
                let folio = server.representation(of: id, for: exchange.user, hasLines: false)
                answer.folios = [folio].compactMap(\.self)
                (answer.status, answer.body) = (200, folio?.json ?? "")
            }
        }
        return answer
    }

    /// Answers a waiting request, and compares the result with the model.
    func answer(
        _ index: Int, _ fate: ScheduledAnswer.Fate, _ source: inout SplitMix64
    ) async throws {
        var exchange = exchanges.remove(at: index)
        let answer: ScheduledAnswer
        if let processed = exchange.answer {
            answer = processed
        } else if fate == .failed {
            answer = ScheduledAnswer()
        } else {
            answer = process(exchange, &source)
        }
        log.append("answer \(exchange.number) \(fate) \(answer.status) \(answer.body)")
        answer.send(fate, to: exchange.request, exchange.reply)
        if case .arrived(let request, let reply) = await wire.next() {
            // The store has not what the server confirms.
            (exchange.request, exchange.reply, exchange.answer) = (request, reply, nil)
            exchange.number = tick()
            log.append("  repeated as \(exchange.number)")
            try check(answer.status == 304, "repeated after \(answer.status)")
            try check(request.headerFields[.ifNoneMatch] == nil, "repeated with a condition")
            exchanges.append(exchange)
            return
        }
        let result = await exchange.end.result
        let isCurrent = exchange.content == contentNumber
        guard fate == .answered, isCurrent else {
            if case .success = result { throw ScheduleFailure(text: "no error: \(fate)") }
            return
        }
        try await apply(answer, to: exchange, result)
    }

    // MARK: The model

    private func apply(
        _ answer: ScheduledAnswer, to exchange: Exchange,
        _ result: Result<[ManagedObjectID], any Error>
    ) async throws {
        switch exchange.work {
        case .list(let path):
            try await addList(
                answer, "\(exchange.user) \(path)", exchange.number, isWhole: path == "all",
                try result.get())
        case .detail:
            if answer.status == 404 {
                if case .success = result { throw ScheduleFailure(text: "no error: 404") }
                return
            }
            _ = try result.get()
            model.add(answer.folios, exchange.number, at: tick())
        case .write(let method, let id, let context, let sent, let created):
            guard let row = model.folios[id], row.created == created else {
                // Something else has deleted the row.
                return
            }
            if method == .delete {
                _ = try result.get()
                return model.remove(id, tick())
            }
            if answer.status == 404 {
                if case .success = result { throw ScheduleFailure(text: "no error: 404") }
                return
            }
            _ = try result.get()
            let now = tick()
            model.write(sent, of: id, now)
            model.add(answer.folios, now, at: now)
            for name in sent.keys { model.edits[context][id]?[name] = nil }
        }
    }

    private func addList(
        _ answer: ScheduledAnswer, _ key: String, _ number: Int, isWhole: Bool,
        _ ids: [ManagedObjectID]
    ) async throws {
        let found = try await numbers(ids)
        if let list = model.lists[key], list.number > number {
            let members = list.members.filter { model.folios[$0] != nil }
            return try check(found == members, "superseded by \(members), not \(found)")
        }
        if answer.status == 304 {
            let contradictions = model.contradictions(to: answer.folios, number)
            try check(contradictions.isEmpty, "confirmed: \(contradictions)")
        }
        let members = model.add(answer.folios, number, at: tick())
        if isWhole, answer.status == 200 { model.keepOnly(members, number) }
        model.lists[key] = NaiveStore.List(members: members, number: number)
        try check(found == members, "result \(found), not \(members)")
    }

    // MARK: Walks

    /// The manager of a user.
    private func api(of user: String) -> ObjectManager {
        guard let index = Self.users.firstIndex(of: user) else { preconditionFailure(user) }
        return apis[index]
    }

    /// Walks over all pages, which the server answers at once, and deletes what the walk before has found.
    func walk(_ user: String) async throws {
        let number = tick()
        var pages = api(of: user).pages(
            of: Folio.self, at: "pages", by: .linkHeader, into: store)
        pages.orphans = .delete(maximumShare: 1)
        let (wire, sentPages) = (wire, pages)
        let end = Task { @MainActor in
            defer { wire.finish() }
            return try await sentPages.fetchAll()
        }
        let folios = server.list("all", for: user, hasLines: hasLines)
        while case .arrived(let request, let reply) = await wire.next() {
            let query = request.url.query?.split(separator: "=").last
            let start = query.flatMap { Int($0) } ?? 0
            var answer = ScheduledAnswer()
            let part = folios.dropFirst(start).prefix(3)
            answer.body = "[\(part.map(\.json).joined(separator: ","))]"
            answer.tag = "\"\(Data(answer.body.utf8).base64EncodedString())\""
            if start + 3 < folios.count {
                answer.link = "<https://folios.test/pages?start=\(start + 3)>; rel=\"next\""
            }
            if request.headerFields[.ifNoneMatch] == answer.tag {
                (answer.status, answer.body) = (304, "")
            }
            answer.send(.answered, to: request, reply)
        }
        let result = try await end.value
        let key = "\(user) pages"
        let members = model.add(folios, number, at: tick())
        let listed = Set(
            model.lists.filter { $0.key != key }.flatMap(\.value.members))
        let former = Set(model.lists[key]?.members ?? []).filter { model.folios[$0] != nil }
        let before = Set(model.folios.keys)
        let after = Set(
            try await store.read { try $0.fetch(Folio.self, orderBy: \.id).map(\.id) })
        let deleted = before.subtracting(after)
        log.append("  deletes \(deleted.sorted()) \(result.doubts)")
        try check(
            deleted.isDisjoint(with: listed.union(members)), "the walk deletes \(deleted.sorted())")
        if result.doubts.isEmpty {
            let rest = former.subtracting(listed).subtracting(members).subtracting(deleted)
            try check(rest.isEmpty, "the walk leaves \(rest.sorted())")
        }
        for id in deleted { model.remove(id, number) }
        model.lists[key] = NaiveStore.List(members: members, number: number)
    }
}
