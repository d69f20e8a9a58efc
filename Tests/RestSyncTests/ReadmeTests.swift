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
