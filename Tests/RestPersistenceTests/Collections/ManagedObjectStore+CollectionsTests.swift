// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import RestPersistence

/// The removal of collections together with their objects.
@Suite struct CollectionRemovalTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    private func codes() throws -> [String] {
        try files.rows("SELECT code FROM Airline ORDER BY code").map { $0[0] }
    }

    private func paths(_ store: ManagedObjectStore) async throws -> [String] {
        try await store.collections().map { $0.request.url.split(separator: "/").last ?? "" }
            .map(String.init)
    }

    @Test func collectionsAreOrderedByAge() async throws {
        let store = try await files.open()
        for (path, seconds) in [("b", 20.0), ("c", 30), ("a", 10)] {
            try await store.store(["X"], as: .get(path), at: seconds)
        }
        #expect(try await paths(store) == ["a", "b", "c"])
    }

    @Test func evictsOldCollectionsWithTheirOwnObjects() async throws {
        let store = try await files.open()
        try await store.insertAirlines(["LOCAL"])
        try await store.store(["A", "S"], as: .get("old"), at: 10)
        try await store.store(["B", "S"], as: .get("new"), at: 20)
        let limit = Date(timeIntervalSince1970: 20)
        #expect(try await store.evictCollections(confirmedBefore: limit) == 1)
        // A collection of the time itself stays.
        #expect(try await paths(store) == ["new"])
        #expect(try codes() == ["B", "LOCAL", "S"])
        #expect(try await store.evictCollections(confirmedBefore: limit) == 0)
        #expect(try await store.evictCollections(confirmedBefore: .distantFuture) == 2)
        #expect(try codes() == ["LOCAL"])
        #expect(try files.rows("SELECT * FROM restkit_collection_member").isEmpty)
        #expect(try files.rows("SELECT * FROM restkit_collection_page").isEmpty)
    }

    @Test func confirmedCollectionIsNotOld() async throws {
        let store = try await files.open()
        try await store.store(["A"], as: .get("confirmed"), at: 10)
        try await store.store(["B"], as: .get("old"), at: 20)
        let date = Date(timeIntervalSince1970: 5_000)
        try await store.apply(.confirmed(.get("confirmed"), at: date, freshUntil: nil))
        #expect(try await paths(store) == ["old", "confirmed"])
        #expect(try await store.evictCollections(confirmedBefore: date) == 1)
        #expect(try codes() == ["A"])
    }

    @Test func unconfirmedMembersProtectObjects() async throws {
        let store = try await files.open()
        let pages = CollectionRequest.get("pages", isPaged: true)
        try await store.store(
            ["A", "B"], as: pages, at: 20, walk: 1, extent: .page(0, isFirst: true))
        try await store.store(["B"], as: pages, at: 30, walk: 2, extent: .page(0, isFirst: true))
        try await store.store(["A", "C"], as: .get("old"), at: 10)
        let limit = Date(timeIntervalSince1970: 15)
        #expect(try await store.evictCollections(confirmedBefore: limit) == 1)
        #expect(try codes() == ["A", "B"])
    }

    @Test func evictsOldestUntilContentFits() async throws {
        let store = try await files.open()
        let many = (0..<2_000).map { "\($0)" }
        for index in 0..<4 {
            let codes = many.map { "\(index)-\($0)" }
            try await store.store(codes, as: .get("\(index)"), at: TimeInterval(index))
        }
        func size() throws -> Int {
            let sql = """
                SELECT (page_count - freelist_count) * page_size \
                FROM pragma_page_count, pragma_freelist_count, pragma_page_size
                """
            return Int(try files.rows(sql)[0][0]) ?? 0
        }
        let full = try size()
        #expect(try await store.evictCollections(keeping: full) == 0)
        // One collection is about a quarter of the content.
        #expect(try await store.evictCollections(keeping: full * 9 / 10) == 2_000)
        #expect(try await paths(store) == ["1", "2", "3"])
        #expect(try size() <= full * 9 / 10)
        #expect(try await store.evictCollections(keeping: 0) == 6_000)
        #expect(try await paths(store).isEmpty)
        #expect(try codes().isEmpty)
    }

    @Test func removesCollectionsOfUser() async throws {
        let store = try await files.open()
        try await store.store(["A", "S"], as: .get("list", user: "first"))
        try await store.store(["B", "S"], as: .get("list", user: "second"))
        #expect(try await store.removeCollections(ofUser: "first") == 1)
        #expect(try codes() == ["B", "S"])
        #expect(try await store.collections().map(\.request.user) == ["second"])
    }

    @Test func refusedDeletionRemovesNothing() async throws {
        let store = try await files.open()
        try await store.store(["A"], as: .get("a"))
        try files.execute("CREATE TABLE Lock (airline INTEGER NOT NULL REFERENCES Airline)")
        try files.execute("INSERT INTO Lock SELECT restkit_key FROM Airline")
        await #expect(throws: PersistenceError.self) {
            try await store.evictCollections(confirmedBefore: .distantFuture)
        }
        #expect(try await paths(store) == ["a"])
        #expect(try codes() == ["A"])
    }

    @Test func resetForgetsCollections() async throws {
        let store = try await files.open()
        try await store.store(["A"], as: .get("a"))
        try await store.reset()
        #expect(try await store.collections().isEmpty)
        #expect(try await store.collectionReader.collection(of: .get("a")) == nil)
    }

    @Test func modelTextFollowsModel() async throws {
        let first = try await files.open()
        let other = try await ManagedObjectStore(
            temporaryFor: ManagedObjectModel(TemporaryStore.airportEntities))
        let name = AttributeDescription("name", .text)
        let less = try await ManagedObjectStore(
            temporaryFor: ManagedObjectModel([EntityDescription("Only", attributes: [name])]))
        #expect(first.collectionReader.modelText == other.collectionReader.modelText)
        #expect(first.collectionReader.modelText != less.collectionReader.modelText)
    }
}
