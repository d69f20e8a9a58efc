// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import RestKit
import RestTesting

/// A difference between a store and its model.
struct ScheduleFailure: Error {
    let text: String
}

/// A server, a store and a reference model, with requests in progress that are answered in any order.
@MainActor final class FolioSchedule {
    enum Work {
        case list(String)
        case detail(Int)
        case write(HTTPRequest.Method, Int, context: Int, sent: [String: NaiveValue], created: Int)
    }

    /// A request that waits for its answer.
    struct Exchange {
        let work: Work
        let user: String
        let content: Int
        var number: Int
        var request: TransportRequest
        var reply: ScheduledWire.Reply
        /// The answer of a server that has processed the request at once.
        var answer: ScheduledAnswer?
        let end: Task<[ManagedObjectID], any Error>
    }

    static let users = ["ann", "bob"]

    let temporary: TemporaryStore
    let apis: [ObjectManager]
    let contexts: [ManagedObjectContext]
    let wire = ScheduledWire()
    /// A Boolean value that indicates whether requests overlap.
    let overlaps: Bool
    var other: ManagedObjectStore
    var server = NaiveServer()
    var model = NaiveStore()
    var exchanges: [Exchange] = []
    /// The greatest number of a request or a transaction so far.
    var clock = 0
    var contentNumber = 0
    var hasLines: Bool
    var log: [String] = []

    var store: ManagedObjectStore { temporary.store }

    init(overlaps: Bool) async throws {
        self.overlaps = overlaps
        hasLines = !overlaps
        let temporary = try await TemporaryStore([Folio.self, Scribe.self, Seal.self, Line.self])
        let store = temporary.store
        self.temporary = temporary
        other = try await ManagedObjectStore(at: store.url, model: store.model)
        let transport = wire.transport
        apis = try Self.users.map { user in
            var client = try HTTPClient(baseURL: "https://folios.test/", transport: transport)
            client.principal = Principal(user)
            let api = ObjectManager(client: client)
            try api.setRequestFormat(.json)
            try api.add(Route(Folio.self, "folios/:id"))
            api.addFetchRequest { url in
                url.relativePath == "all" ? FetchRequest("Folio") : nil
            }
            return api
        }
        contexts = [store.mainContext, store.makeContext()]
        for context in contexts { context.mergePolicy = .contextWins }
    }

    func tick() -> Int {
        clock += 1
        return clock
    }

    func check(_ condition: Bool, _ text: @autoclosure () -> String) throws {
        if !condition { throw ScheduleFailure(text: text()) }
    }

    // MARK: Comparing

    /// Compares the store and the contexts with the model.
    func compare() async throws {
        let hasLines = hasLines
        let (rows, related) = try await store.read { context in
            let scribes = try context.fetch(Scribe.self, orderBy: \.id)
            let seals = try context.fetch(Seal.self, orderBy: \.id)
            return (
                try Self.rows(in: context, hasLines),
                scribes.map { "Scribe \($0.id) \($0.name ?? "-")" }
                    + seals.map { "Seal \($0.id) \($0.name ?? "-")" }
            )
        }
        let expected = model.rows(hasLines: hasLines)
        try check(rows == expected, "store \(rows)\n   model \(expected)")
        try check(
            related == model.relatedRows, "store \(related)\n   model \(model.relatedRows)")
        for (number, context) in contexts.enumerated() {
            let rows = try Self.rows(in: context, hasLines)
            let expected = model.rows(in: number, hasLines: hasLines)
            try check(rows == expected, "context \(number) \(rows)\n   model \(expected)")
        }
        model.takeEqualValues()
    }

    /// Returns the rows of folios that a context shows.
    private nonisolated static func rows(
        in context: ManagedObjectContext, _ hasLines: Bool
    ) throws -> [String] {
        try context.fetch(Folio.self, orderBy: \.id).map { folio in
            let values: [NaiveValue] = [
                .text(folio.title), .text(folio.remark), .one(folio.scribe?.id),
                .many(folio.seals.map(\.id)),
            ]
            var parts = zip(NaiveStore.names, values).map { "\($0) \($1)" }
            if hasLines { parts.append("lines \(NaiveValue.many(folio.lines.map(\.id)))") }
            return (["\(folio.id)"] + parts).joined(separator: "|")
        }
    }

    /// Returns the identities of objects.
    func numbers(_ ids: [ManagedObjectID]) async throws -> [Int] {
        try await store.read { try $0.objects(Folio.self, with: ids).map(\.id) }
    }

    func object(_ id: Int, in context: Int) throws -> Folio {
        let found = try contexts[context].fetch(Folio.self) { $0.id == id }.first
        guard let found else { throw ScheduleFailure(text: "no \(id) in context \(context)") }
        return found
    }

    // MARK: Running

    /// Fails the requests in progress, so that none waits for ever.
    func abandon() {
        for exchange in exchanges {
            exchange.end.cancel()
            ScheduledAnswer().send(.lost, to: exchange.request, exchange.reply)
        }
        exchanges = []
    }

    /// Runs steps and a full refresh, and compares after each.
    func run(_ steps: [UInt64]) async throws {
        var last = SplitMix64(seed: 1)
        for step in steps {
            var source = SplitMix64(seed: step)
            try await take(&source)
            try await compare()
        }
        while !exchanges.isEmpty { try await answer(0, .answered, &last) }
        try await compare()
        for context in contexts { context.rollback() }
        model.edits = [[:], [:]]
        hasLines = true
        log.append("refresh")
        try await start(.list("all"), "ann", context: nil, isProcessedAtOnce: true, &last)
        while !exchanges.isEmpty { try await answer(0, .answered, &last) }
        try await compare()
        let rows = model.rows(hasLines: true)
        var fresh = NaiveStore()
        fresh.add(server.list("all", for: "ann", hasLines: true), 1, at: 1)
        let expected = fresh.rows(hasLines: true)
        try check(rows == expected, "refreshed \(rows)\n   server \(expected)")
    }
}
