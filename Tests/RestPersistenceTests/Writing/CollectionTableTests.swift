// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import RestPersistence

/// The rows of fetched collections in a file.
@Suite struct CollectionTableTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    private func collection(
        _ request: CollectionRequest, in store: ManagedObjectStore
    ) async throws -> StoredCollection? {
        try await store.collectionReader.collection(of: request)
    }

    @Test func tablesAreCreatedWithFirstCollection() async throws {
        let store = try await files.open()
        let names = "SELECT name FROM sqlite_schema WHERE name LIKE 'restkit_collection%' "
        try await store.insertAirlines(["SK"])
        try await store.apply(.expired(url: "https://example.org/airlines"))
        #expect(try files.rows(names).isEmpty)
        try await store.store(["SK"], as: .get("airlines"))
        #expect(try files.rows(names).count == 3)
    }

    @Test func factsAreReadAsWritten() async throws {
        let store = try await files.open()
        let fresh = Date(timeIntervalSince1970: 1_000)
        let ids = try await store.store(
            ["SK", "LH", "SK"], as: .get("airlines?a=1", user: "u"), at: 500, walk: 7
        ) { facts in
            facts.freshUntil = fresh
            facts.vary = "Accept"
            facts.selection = "accept=1"
            facts.documentDigest = "d"
            facts.validators = CollectionValidators(
                entityTag: Data("\"é\"".utf8), lastModified: Data([0xFF]))
        }
        try store.close()
        let reopened = try await files.open()
        let list = try #require(
            try await collection(.get("airlines?a=1", user: "u"), in: reopened))
        #expect(list.objectIDs == Array(ids.prefix(2)))
        #expect(list.unconfirmedIDs.isEmpty && list.isComplete && list.missingCount == 0)
        #expect(list.fetchedAt == Date(timeIntervalSince1970: 500))
        #expect(list.facts.version == "1" && list.facts.freshUntil == fresh)
        #expect(list.facts.vary == "Accept" && list.facts.selection == "accept=1")
        #expect(list.facts.documentDigest == "d" && list.facts.walk.id == 7)
        #expect(list.facts.validators.entityTag == Data("\"é\"".utf8))
        #expect(list.facts.validators.lastModified == Data([0xFF]))
        // Method, URL, body, user and the kind of list are the identity.
        for other in [
            CollectionRequest.get("airlines?a=1"), .get("airlines", user: "u"),
            .get("airlines?a=1", isPaged: true, user: "u"),
            CollectionRequest(
                method: "GET", url: "https://example.org/airlines?a=1", isPaged: false,
                bodyDigest: "b", user: "u"),
        ] {
            #expect(try await collection(other, in: reopened) == nil)
        }
    }

    @Test func laterResponseReplacesMembers() async throws {
        let store = try await files.open()
        try await store.store(["SK", "LH"], as: .get("airlines"), walk: 1)
        let members = "SELECT walk, count(*) FROM restkit_collection_member GROUP BY walk"
        // Equal members are not written again, so that they keep their walk.
        try await store.store(["SK", "LH"], as: .get("airlines"), walk: 2)
        #expect(try files.rows(members) == [["1", "2"]])
        let later = try await store.store(["LH", "BA"], as: .get("airlines"), walk: 3)
        #expect(try files.rows(members) == [["3", "2"]])
        let list = try #require(try await collection(.get("airlines"), in: store))
        #expect(list.objectIDs == later)
        let codes = try files.rows("SELECT code FROM Airline ORDER BY code").map { $0[0] }
        #expect(codes == ["BA", "LH", "SK"])
    }

    @Test func expiryAndConfirmationChangeFreshnessOnly() async throws {
        let store = try await files.open()
        let date = Date(timeIntervalSince1970: 2_000)
        let request = CollectionRequest.get("airlines")
        try await store.store(["SK"], as: request) {
            $0.freshUntil = Date(timeIntervalSince1970: 1_000)
            $0.validators = CollectionValidators(entityTag: Data("1".utf8))
        }
        try await store.apply(
            .confirmed(request, at: .init(timeIntervalSince1970: 0), freshUntil: date))
        #expect(try await collection(request, in: store)?.facts.freshUntil == date)
        try await store.apply(.expired(url: "https://example.org/other"))
        #expect(try await collection(request, in: store)?.facts.freshUntil == date)
        try await store.apply(.expired(url: request.url))
        let list = try #require(try await collection(request, in: store))
        #expect(list.facts.freshUntil == nil && !list.facts.validators.isEmpty)
        #expect(list.objectIDs.count == 1)
        // A collection that is not stored is not created.
        try await store.apply(.confirmed(.get("unknown"), at: date, freshUntil: date))
        #expect(try await collection(.get("unknown"), in: store) == nil)
    }

    @Test func confirmationIsWrittenOncePerHour() async throws {
        let store = try await files.open()
        let request = CollectionRequest.get("airlines")
        let fresh = Date(timeIntervalSince1970: 9_000)
        try await store.store(["SK"], as: request, at: 1_000) { $0.freshUntil = fresh }
        let list = try #require(try await collection(request, in: store))
        #expect(list.confirmedAt == list.fetchedAt)
        func confirm(_ seconds: TimeInterval, freshUntil: Date? = nil) async throws -> TimeInterval
        {
            let date = Date(timeIntervalSince1970: seconds)
            try await store.apply(.confirmed(request, at: date, freshUntil: freshUntil))
            let list = try #require(try await collection(request, in: store))
            #expect(list.fetchedAt == Date(timeIntervalSince1970: 1_000))
            return list.confirmedAt.timeIntervalSince1970
        }
        let observer = try files.observer()
        let version = try observer.dataVersion()
        #expect(list.confirmation(at: list.confirmedAt + 3_599, freshUntil: nil) == nil)
        #expect(try await confirm(4_599) == 1_000)
        #expect(try observer.dataVersion() == version)
        #expect(list.confirmation(at: list.confirmedAt + 3_600, freshUntil: nil) != nil)
        #expect(try await confirm(4_600) == 4_600)
        #expect(try observer.dataVersion() != version)
        // A response without a time does not change the one of the response before.
        #expect(try await collection(request, in: store)?.facts.freshUntil == fresh)
        // A time is written in any case, and a clock that goes backwards changes nothing else.
        let later = Date(timeIntervalSince1970: 10_000)
        #expect(list.confirmation(at: list.confirmedAt, freshUntil: later) != nil)
        #expect(try await confirm(4_000, freshUntil: later) == 4_600)
        #expect(try await confirm(4_700, freshUntil: later) == 4_700)
        #expect(try await collection(request, in: store)?.facts.freshUntil == later)
        // Another response begins again.
        try await store.store(["SK"], as: request, at: 2_000)
        #expect(
            try await collection(request, in: store)?.confirmedAt
                == Date(timeIntervalSince1970: 2_000))
    }

    @Test func confirmationNamesNoRows() async throws {
        let store = try await files.open()
        let request = CollectionRequest.get("airlines")
        try await store.store(["SK"], as: request)
        var commits = store.commits.makeAsyncIterator()
        try await store.apply(.confirmed(request, at: .now, freshUntil: nil))
        try await store.insertAirlines(["LH"])
        while let commit = await commits.next() {
            if commit.tables.contains(where: { !$0.isEmpty }) {
                let inserted = commit.tables.flatMap(\.inserted)
                #expect(inserted.count == 1)
                #expect(commit.tables.allSatisfy { $0.updated.isEmpty && !$0.isUnnamed })
                break
            }
        }
    }

    @Test func tablesOfEarlierVersionAreUpdated() async throws {
        let store = try await files.open()
        let request = CollectionRequest.get("airlines")
        let ids = try await store.store(["SK", "LH", "BA"], as: request, at: 1_000)
        try store.close()
        try files.execute(
            """
            ALTER TABLE restkit_collection DROP COLUMN confirmed_at;
            ALTER TABLE restkit_collection_member RENAME TO new_member;
            CREATE TABLE restkit_collection_member (
                collection INTEGER NOT NULL REFERENCES restkit_collection (id) ON DELETE CASCADE,
                key INTEGER NOT NULL, entity TEXT NOT NULL, walk INTEGER NOT NULL,
                page INTEGER NOT NULL, position INTEGER NOT NULL,
                PRIMARY KEY (collection, key)) STRICT, WITHOUT ROWID;
            INSERT INTO restkit_collection_member (collection, key, entity, walk, page, position)
                SELECT collection, key, entity, walk, page, position FROM new_member;
            DROP TABLE new_member;
            CREATE INDEX restkit_index_collection_member ON restkit_collection_member (key)
            """)
        let updated = try await files.open()
        let list = try #require(try await collection(request, in: updated))
        #expect(list.objectIDs == ids)
        #expect(list.confirmedAt == Date(timeIntervalSince1970: 1_000))
        let date = Date(timeIntervalSince1970: 9_000)
        try await updated.apply(.confirmed(request, at: date, freshUntil: nil))
        #expect(try await collection(request, in: updated)?.confirmedAt == date)
    }

    @Test func deletedMemberInvalidatesItsCollections() async throws {
        let store = try await files.open()
        for path in ["a", "b"] {
            try await store.store(path == "a" ? ["SK", "LH"] : ["BA"], as: .get(path)) {
                $0.freshUntil = .distantFuture
                $0.documentDigest = "d"
                $0.validators = CollectionValidators(entityTag: Data("1".utf8))
            }
        }
        try await store.perform { context in
            let airline = try context.first(Airline.self, where: { $0.code == "SK" })
            context.delete(try #require(airline))
            try context.save()
        }
        let changed = try #require(try await collection(.get("a"), in: store))
        #expect(try await store.codes(changed.objectIDs) == ["LH"])
        #expect(changed.facts.freshUntil == nil && changed.facts.validators.isEmpty)
        #expect(changed.facts.documentDigest.isEmpty && changed.missingCount == 0)
        let other = try #require(try await collection(.get("b"), in: store))
        #expect(other.facts.freshUntil != nil && !other.facts.validators.isEmpty)
    }

    @Test(arguments: [0, 100]) func memberDeletedByOtherProgramIsMissing(others: Int) async throws {
        let store = try await files.open()
        let ids = try await store.store(["SK", "LH", "BA"], as: .get("a"))
        try await store.insertAirlines((0..<others).map { "X\($0)" })
        try files.execute("DELETE FROM Airline WHERE code = 'LH'")
        let list = try #require(try await collection(.get("a"), in: store))
        #expect(list.objectIDs == [ids[0], ids[2]])
        #expect(list.missingCount == 1)
    }

    // MARK: Walks

    @Test func pagesOfWalkAddUp() async throws {
        let store = try await files.open()
        let request = CollectionRequest.get("airlines", isPaged: true)
        try await store.store(
            ["A", "B", "C"], as: request, walk: 1, extent: .page(0, isFirst: true))
        try await store.apply(
            .closed(
                request, walk: 1, reasons: [.shortPage], removesUnconfirmed: false))
        let first = try #require(try await collection(request, in: store))
        #expect(first.isComplete && first.incompletenessReasons == [.shortPage])
        try await store.store(["B"], as: request, at: 5, walk: 2, extent: .page(0, isFirst: true))
        var list = try #require(try await collection(request, in: store))
        #expect(!list.isComplete && list.incompletenessReasons.isEmpty)
        #expect(try await store.codes(list.objectIDs) == ["B"])
        #expect(try await store.codes(list.unconfirmedIDs) == ["A", "C"])
        try await store.store(["C"], as: request, at: 9, walk: 2, extent: .page(1, isFirst: false))
        list = try #require(try await collection(request, in: store))
        #expect(try await store.codes(list.objectIDs) == ["B", "C"])
        #expect(list.fetchedAt == Date(timeIntervalSince1970: 5))
        // The end of an earlier walk has no effect.
        try await store.apply(
            .closed(request, walk: 1, reasons: [], removesUnconfirmed: true))
        #expect(try await collection(request, in: store)?.unconfirmedIDs.count == 1)
        try await store.apply(
            .closed(request, walk: 2, reasons: [], removesUnconfirmed: true))
        list = try #require(try await collection(request, in: store))
        #expect(
            list.isComplete && list.unconfirmedIDs.isEmpty && list.incompletenessReasons.isEmpty)
    }

    @Test func pageOfReplacedWalkHasNoEffect() async throws {
        let store = try await files.open()
        let request = CollectionRequest.get("airlines", isPaged: true)
        try await store.store(["A"], as: request, walk: 1, extent: .page(0, isFirst: true))
        try await store.store(["B"], as: request, walk: 2, extent: .page(0, isFirst: true))
        try await store.store(["C"], as: request, walk: 1, extent: .page(1, isFirst: false))
        let list = try #require(try await collection(request, in: store))
        #expect(try await store.codes(list.objectIDs) == ["B"])
        #expect(try await store.codes(list.unconfirmedIDs) == ["A"])
    }

    @Test func pageOfRemovedCollectionHasNoEffect() async throws {
        let store = try await files.open()
        let request = CollectionRequest.get("airlines", isPaged: true)
        try await store.store(["A"], as: request, walk: 1, extent: .page(0, isFirst: true))
        try await store.evictCollections(confirmedBefore: .distantFuture)
        try await store.store(["B"], as: request, walk: 1, extent: .page(1, isFirst: false))
        #expect(try await collection(request, in: store) == nil)
        try await store.apply(
            .closed(request, walk: 1, reasons: [], removesUnconfirmed: true))
        #expect(try await collection(request, in: store) == nil)
    }

    @Test func collectionThatLostMemberIsNotFresh() async throws {
        let store = try await files.open()
        let request = CollectionRequest.get("airlines")
        let ids = try await store.store(["SK", "LH"], as: request)
        let date = Date(timeIntervalSince1970: 9_000)
        try await store.write { $0.delete([ids[0]]) }
        try await store.apply(.confirmed(request, at: date, freshUntil: .distantFuture))
        let list = try #require(try await collection(request, in: store))
        #expect(list.facts.freshUntil == nil && list.confirmedAt == date)
        try await store.store(["SK", "LH"], as: request) {
            $0.validators = CollectionValidators(entityTag: Data("1".utf8))
        }
        try await store.apply(.confirmed(request, at: date, freshUntil: date))
        #expect(try await collection(request, in: store)?.facts.freshUntil == date)
    }

    @Test func repeatedObjectAndOtherTotalAreDoubts() async throws {
        let store = try await files.open()
        let request = CollectionRequest.get("airlines", isPaged: true)
        try await store.store(["A", "B"], as: request, extent: .page(0, isFirst: true)) {
            $0.walk.total = 4
            $0.validators = CollectionValidators(entityTag: Data("1".utf8))
        }
        try await store.store(["B", "C"], as: request, extent: .page(1, isFirst: false)) {
            $0.walk.total = 5
            $0.validators = CollectionValidators(entityTag: Data("2".utf8))
        }
        let list = try #require(try await collection(request, in: store))
        #expect(list.incompletenessReasons == [.repeatedObject, .totalChanged])
        #expect(try await store.codes(list.objectIDs) == ["A", "B", "C"])
        let pages = try await store.collectionReader.pages(of: request)
        // A page that lacks a member in the store cannot be confirmed.
        #expect(pages.map(\.validators.isEmpty) == [false, true])
        #expect(pages.map(\.members.count) == [2, 1])
        #expect(pages.map(\.isComplete) == [true, false])
    }

    @Test func pagesKeepFactsOfTheirResponses() async throws {
        let store = try await files.open()
        let request = CollectionRequest.get("airlines", isPaged: true)
        let facts = PageFacts(fields: "f", state: Data("{}".utf8))
        try await store.store(
            ["A"], as: request, extent: .page(index: 0, isFirst: true, facts)
        ) {
            $0.vary = "Accept"
            $0.selection = "accept=1"
            $0.validators = CollectionValidators(lastModified: Data("m".utf8))
        }
        let page = try #require(try await store.collectionReader.pages(of: request).first)
        #expect(page.url == request.url && page.vary == "Accept" && page.selection == "accept=1")
        #expect(page.validators.lastModified == Data("m".utf8))
        #expect(page.facts.fields == "f" && page.facts.state == Data("{}".utf8))
        #expect(page.isComplete)
        // Another walk begins without pages.
        try await store.store(["A"], as: request, walk: 2, extent: .page(0, isFirst: true))
        #expect(try await store.collectionReader.pages(of: request).map(\.facts.fields) == [nil])
        #expect(try await store.collectionReader.pages(of: .get("unknown")).isEmpty)
    }

    @Test func rolledBackTransactionStoresNothing() async throws {
        let store = try await files.open()
        try await store.store(["A"], as: .get("airlines"))
        await #expect(throws: CancellationError.self) {
            try await store.write { context in
                context.record(.removed([1]))
                try context.save()
                throw CancellationError()
            }
        }
        #expect(try await collection(.get("airlines"), in: store)?.objectIDs.count == 1)
    }
}
