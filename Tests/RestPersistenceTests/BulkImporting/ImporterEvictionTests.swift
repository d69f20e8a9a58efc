// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import RestMapping
import TestSupport
import Testing

@testable import RestPersistence

/// The eviction of collections while a bulk import reads its source.
@MainActor @Suite struct ImporterEvictionTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    /// Parts of a text, of which all but the first pass a gate.
    private struct Source: AsyncSequence {
        struct Iterator: AsyncIteratorProtocol {
            var parts: [String]
            let gate: Gate
            var isFirst = true

            mutating func next() async -> [UInt8]? {
                if !isFirst { await gate.pass() }
                isFirst = false
                return parts.isEmpty ? nil : Array(parts.removeFirst().utf8)
            }
        }

        let parts: [String]
        let gate: Gate

        func makeAsyncIterator() -> Iterator { Iterator(parts: parts, gate: gate) }
    }

    private func rows() throws -> [String] {
        try files.rows("SELECT code, alliance FROM Airline ORDER BY code").map {
            $0.joined(separator: " ")
        }
    }

    /// The edited rows A and C stay, of which the rest of the source has A only.
    @Test(arguments: [ImporterConfiguration.Saving.chunks, .whenFinished])
    func editedRowsSurviveEvictionDuringImport(_ saving: ImporterConfiguration.Saving) async throws
    {
        let store = try await files.open()
        try await store.store(["A", "B", "C"], as: .get("list"), at: 10)
        let gate = Gate()
        let source = Source(
            parts: [#"[{"code": "X"}, {"code": "Y"}, "#, #"{"code": "A"}, {"code": "Z"}]"#],
            gate: gate)
        let importer = ManagedObjectImporter(
            store, configuration: .init(saving: saving, chunkCount: 2))
        let mapping = EntityMapping(Airline.self)
        let imported = Task {
            try await importer.importObjects(from: source, named: "airlines", by: mapping)
            return try await importer.finish()
        }
        await gate.arrivals()
        let saved = saving == .chunks ? ["X -", "Y -"] : []
        #expect(try rows() == ["A -", "B -", "C -"] + saved)
        let context = store.mainContext
        for airline in try context.fetch(Airline.self) where ["A", "C"].contains(airline.code) {
            airline.alliance = .star
        }
        #expect(try await store.evictCollections(confirmedBefore: .distantFuture) == 1)
        gate.open()
        let summary = try await imported.value
        #expect(summary.counts["Airline"]?.inserted == 3)
        #expect(context.hasChanges)
        try await context.save()
        #expect(try rows() == ["A star", "C star", "X -", "Y -", "Z -"])
    }

    /// An import that is not saved yet keeps its rows as well.
    @Test func rowsOfUnsavedImportSurviveEviction() async throws {
        let store = try await files.open()
        try await store.store(["A", "B"], as: .get("list"), at: 10)
        let gate = Gate()
        let source = Source(
            parts: [#"[{"code": "A", "alliance": "star"}, "#, #"{"code": "Z"}]"#], gate: gate)
        let importer = ManagedObjectImporter(
            store, configuration: .init(saving: .whenFinished, chunkCount: 1))
        let mapping = EntityMapping(Airline.self)
        let imported = Task {
            try await importer.importObjects(from: source, named: "airlines", by: mapping)
            return try await importer.finish()
        }
        await gate.arrivals()
        #expect(try await store.evictCollections(confirmedBefore: .distantFuture) == 1)
        gate.open()
        let summary = try await imported.value
        #expect(summary.counts["Airline"]?.updated == 1)
        #expect(try rows() == ["A star", "Z -"])
    }
}
