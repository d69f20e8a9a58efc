// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestTesting
import TestSupport
import Testing

/// The examples of the README.
@Suite(.tags(.socket)) struct ReadmeTests {
    @Mapped struct Article {
        let id: Int
        var title: String
        @MappedKey("publication_date") var publishedAt: Date?
        var tags: [String] = []
    }

    @Entity final class Note: ManagedObject {
        @Identity var id: Int?
        @Searchable var text: String
    }

    /// A manager for a base URL reads JSON, which it accepts, without being told.
    @Test(.parity("S016")) func getsArticlesAsListAndAsPages() async throws {
        let body = #"[{"id":1,"title":"a","publication_date":"2024-05-01T10:00:00Z"}]"#
        try await LoopbackServer.run({ _ in .json(body) }) { server in
            let api = try ObjectManager(baseURL: server.baseURL)
            let articles = try await api.getObjects(Article.self, at: "articles")
            #expect(articles.map(\.title) == ["a"])
            #expect(articles.first?.publishedAt == Date(timeIntervalSince1970: 1_714_557_600))
            var pages = 0
            for try await page in api.pages(of: Article.self, at: "articles", by: .linkHeader) {
                pages += page.objects.count
            }
            #expect(pages == 1)
            let accepted = server.requests.map { $0.headers["accept"] ?? "" }
            #expect(accepted.allSatisfy { $0.hasPrefix("application/json") })
        }
    }

    @Test func sendsCreatedAndChangedArticle() async throws {
        try await LoopbackServer.run({ request in
            switch request.method {
            case "POST": .json(#"{"id":7,"title":"Old"}"#, status: 201)
            case "PATCH": .json(#"{"id":7,"title":"New"}"#)
            default: LoopbackResponse(status: 204)
            }
        }) { server in
            let api = try ObjectManager(baseURL: server.baseURL)
            try api.setRequestFormat(.json)
            try api.add(Route(Article.self, "articles/:id"))

            let made: Article = try await api.post("articles", parameters: ["title": "Old"])
            let edited = try await api.patch(made.with { $0.title = "New" }, changesSince: made)
            try await api.delete(edited)
            let sent = server.requests.map {
                "\($0.method) \($0.path) \(String(decoding: $0.body, as: UTF8.self))"
            }
            #expect(
                sent == [
                    #"POST /articles {"title":"Old"}"#, #"PATCH /articles/7 {"title":"New"}"#,
                    "DELETE /articles/7 ",
                ])
        }
    }

    @Test @MainActor func sendsAndSearchesNotes() async throws {
        let store = try await ManagedObjectStore(temporaryFor: Note.self)
        let api = try await LoopbackServer.run({ request in
            switch request.method {
            case "POST": .json(#"{"id":3,"text":"Call Ann"}"#, status: 201)
            case "PATCH": .json(#"{"id":3,"text":"Call Ann at noon"}"#)
            default: .json(#"[{"id":3,"text":"Call Ann at noon"},{"id":4,"text":"Rest"}]"#)
            }
        }) { server in
            let api = try ObjectManager(baseURL: server.baseURL)
            try api.setRequestFormat(.json)
            try api.add(Route(Note.self, "notes", methods: .post))
            try api.add(Route(Note.self, "notes/:id"))

            let note = try Note.insert(into: store.mainContext, text: "Call Ann")
            try await api.post(note)
            #expect(note.id == 3)
            note.text = "Call Ann at noon"
            try await api.patch(note)
            let patch = server.requests.last.map { String(decoding: $0.body, as: UTF8.self) }
            #expect(patch == #"{"text":"Call Ann at noon"}"#)
            let list = try await api.getObjects(Note.self, at: "notes", into: store)
            #expect(list.origin == .server)
            return api
        }
        // The server is gone.
        let list = try await api.getObjects(Note.self, at: "notes", into: store) {
            $0.options.answersOffline = true
        }
        let found = try store.mainContext.search(Note.self, .all("noon"), limit: 20)
        #expect(list.origin == .offline)
        #expect(list.objectIDs.count == 2)
        #expect(found.map(\.object.text) == ["Call Ann at noon"])
    }

    @Test @MainActor func getsAirportsAsManagedObjects() async throws {
        let body = #"""
            [{"code":"OSL","name":"Oslo","terminals":[{"id":1},{"id":2},{"id":3}]},
            {"code":"BGO","name":"Bergen","terminals":[{"id":4}]}]
            """#
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "ReadmeTests-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        let file = directory.appending(path: "airports.sqlite")
        try await LoopbackServer.run({ _ in .json(body) }) { server in
            let api = try ObjectManager(baseURL: server.baseURL)
            let store = try await ManagedObjectStore(
                at: file, entities: Airport.self, Terminal.self)
            let airports = try await api.getObjects(
                Airport.self, at: "airports", in: store.mainContext)
            let large = try store.mainContext.fetch(
                Airport.self, where: { $0.terminals.count > 2 }, orderBy: \.name)
            #expect(airports.map(\.code) == ["OSL", "BGO"])
            #expect(large == [airports[0]])
            let again = try await api.getObjects(Airport.self, at: "airports", into: store)
            #expect(again.changes.inserted + again.changes.updated == 0)
        }
    }
}

@Entity final class Airport: ManagedObject {
    @Identity var code: String
    var name: String
    @Inverse(\Terminal.airport) var terminals: Set<Terminal>
}

@Entity final class Terminal: ManagedObject {
    @Identity var id: Int
    var airport: Airport?
}
