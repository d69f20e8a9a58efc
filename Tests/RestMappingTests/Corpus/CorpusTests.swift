// SPDX-License-Identifier: Apache-2.0

#if Macros
import Foundation
import RestDocument
import RestMapping
import TestSupport
import Testing

@Suite(.enabled(if: SharedFiles.isAvailable, "shared corpus not found"))
struct CorpusTests {
    @Test func mapsTwitterSearchAsFoundationReadsIt() throws {
        let search = try compare(Twitter.Search.self, "corpus/twitter.json")
        #expect(search.first?.statuses.count == 100)
        #expect(search.first?.statuses.contains { $0.retweetedStatus != nil } == true)
    }

    @Test func mapsEventsAsFoundationReadsThem() throws {
        #expect(try compare(GitHub.Event.self, "corpus/github_events.json").count == 30)
    }

    @Test func mapsCatalogAsFoundationReadsIt() throws {
        let catalog = try compare(Catalog.Root.self, "corpus/citm_catalog.json")
        #expect(catalog.first?.performances.count == 243)
        #expect(catalog.first?.events.count == 184)
    }

    /// Maps a document and decodes it with Foundation; both results must be equal.
    private func compare<Subject: Mapped & Decodable & Equatable>(
        _ type: Subject.Type, _ path: String
    ) throws -> [Subject] {
        let data = try SharedFiles.data(path)
        let document = try Document(parsing: [UInt8](data))
        var report = MappingReport()
        let ours = try MappingPlan(type).objects(
            type, from: document.root, report: &report)
        #expect(report.issues == [])
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let theirs =
            document.root.kind == .array
            ? try decoder.decode([Subject].self, from: data)
            : [try decoder.decode(Subject.self, from: data)]
        #expect(ours.count == theirs.count)
        for (mine, other) in zip(ours, theirs) where mine != other {
            Issue.record("\(type) differs: \(mine) and \(other)")
        }
        return ours
    }
}
#endif
