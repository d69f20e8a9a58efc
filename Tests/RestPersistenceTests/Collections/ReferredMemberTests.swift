// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import RestPersistence

/// Members of collections that rows of other collections are related to.
@Suite struct ReferredMemberTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    /// Authors of articles with comments and tags: an article has an optional author and a required editor.
    private static let entities = [
        EntityDescription(
            "Author", attributes: [],
            relationships: [
                .toOne("mentor", "Author"),
                .toMany("awards", "Award", inverse: "winner", deleteRule: .cascade),
                .toMany("works", "Article", inverse: "reviewer", deleteRule: .deny),
            ]),
        EntityDescription(
            "Award", attributes: [],
            relationships: [.toOne("winner", "Author")]),
        EntityDescription(
            "Article", attributes: [],
            relationships: [
                .toOne("author", "Author"), .toOne("reviewer", "Author", inverse: "works"),
                .toOne("award", "Award"), .toMany("tags", "Tag"),
                .toMany("comments", "Comment", inverse: "article"),
            ]),
        EntityDescription("Tag", attributes: []),
        EntityDescription(
            "Comment", attributes: [],
            relationships: [
                .toOne("article", "Article"), .toOne("writer", "Author", isOptional: false),
            ]),
    ]

    /// A relationship of a row that stays, or of the one that would be deleted.
    private struct Reference: Sendable, CustomTestStringConvertible {
        let source: String
        let name: String
        let destination: String

        var testDescription: String { "\(source).\(name)" }
    }

    private static func reference(
        _ source: String, _ name: String, _ destination: String
    ) -> Reference { Reference(source: source, name: name, destination: destination) }

    /// Opens a store, inserts two related rows, and stores a collection of each.
    private func open(
        _ reference: Reference, staying: String
    ) async throws -> (store: ManagedObjectStore, gone: ManagedObjectID, kept: ManagedObjectID) {
        let store = try await files.open(Self.entities)
        let (gone, kept) = try await store.write { context in
            let source = try context.insert(entity: reference.source)
            let destination = try context.insert(entity: reference.destination)
            if reference.source == "Comment" {
                // The writer is required, and a member of neither collection.
                let writer =
                    reference.name == "writer" ? destination : try context.insert(entity: "Author")
                try source.setRelated("writer", [writer])
            }
            try source.setRelated(reference.name, [destination])
            let isSource = staying == reference.source
            return isSource
                ? (destination.objectID, source.objectID) : (source.objectID, destination.objectID)
        }
        for (path, id) in [("gone", gone), ("kept", kept)] {
            try await store.write { $0.record(Self.response(path, [id])) }
        }
        return (store, gone, kept)
    }

    private static func response(
        _ path: String, _ ids: [ManagedObjectID]
    ) -> CollectionChange {
        let request = CollectionRequest.get(path)
        var facts = CollectionFacts()
        facts.walk = CollectionWalk(id: 1)
        facts.freshUntil = .distantFuture
        facts.validators = CollectionValidators(entityTag: Data("1".utf8))
        // The collections that are evicted are the older ones.
        let date = Date(timeIntervalSince1970: path == "kept" ? 100 : 1)
        return .fetched(
            CollectionResponse(
                request, ids, url: request.url, fetchedAt: date, facts: facts,
                extent: .whole(isComplete: true)))
    }

    private func evict(_ store: ManagedObjectStore) async throws -> Int {
        try await store.evictCollections(confirmedBefore: Date(timeIntervalSince1970: 50))
    }

    private func validators(_ store: ManagedObjectStore) async throws -> CollectionValidators? {
        try await store.collectionReader.collection(of: .get("kept"))?.facts.validators
    }

    @Test(arguments: [
        reference("Article", "author", "Author"), reference("Comment", "writer", "Author"),
        reference("Article", "reviewer", "Author"), reference("Author", "mentor", "Author"),
    ])
    private func evictionKeepsReferredObject(_ reference: Reference) async throws {
        let (store, gone, _) = try await open(reference, staying: reference.source)
        #expect(try await evict(store) == 0)
        #expect(try await store.read { try $0.objects(with: [gone]).count } == 1)
        #expect(try await store.collections().map(\.request) == [.get("kept")])
        #expect(try await validators(store)?.isEmpty == false)
        // It is a member of no collection any more.
        #expect(try await store.evictCollections(confirmedBefore: .distantFuture) == 1)
    }

    @Test(arguments: [
        reference("Article", "tags", "Tag"), reference("Comment", "article", "Article"),
    ])
    private func evictionTakesValidatorsOfRelatedObjects(_ reference: Reference) async throws {
        let staying = reference.source == "Comment" ? "Article" : reference.source
        let (store, gone, kept) = try await open(reference, staying: staying)
        #expect(try await evict(store) == 1)
        #expect(try await store.read { try $0.objects(with: [gone, kept]).count } == 1)
        #expect(try await validators(store)?.isEmpty == true)
        let list = try await store.collectionReader.collection(of: .get("kept"))
        #expect(list?.facts.freshUntil == nil && list?.objectIDs == [kept])
    }

    @Test func evictionOfReferencesWithoutInverseKeepsValidators() async throws {
        let reference = Self.reference("Article", "author", "Author")
        let (store, _, _) = try await open(reference, staying: "Author")
        #expect(try await evict(store) == 1)
        #expect(try await validators(store)?.isEmpty == false)
    }

    @Test func objectsThatReferToEachOtherAreEvicted() async throws {
        let store = try await files.open(Self.entities)
        let ids = try await store.write { context in
            let authors = try (0..<2).map { _ in try context.insert(entity: "Author") }
            try authors[0].setRelated("mentor", [authors[1]])
            try authors[1].setRelated("mentor", [authors[0]])
            return authors.map(\.objectID)
        }
        try await store.write { $0.record(Self.response("gone", ids)) }
        #expect(try await evict(store) == 2)
    }

    /// An article that stays refers to an award, which would be deleted with its winner, who has a mentor.
    @Test func evictionKeepsWhatReferredObjectsNeed() async throws {
        let store = try await files.open(Self.entities)
        let (gone, kept) = try await store.write { context in
            let authors = try (0..<3).map { _ in try context.insert(entity: "Author") }
            let award = try context.insert(entity: "Award")
            let article = try context.insert(entity: "Article")
            try award.setRelated("winner", [authors[0]])
            try authors[0].setRelated("mentor", [authors[1]])
            try article.setRelated("award", [award])
            return (authors.map(\.objectID), article.objectID)
        }
        try await store.write { $0.record(Self.response("gone", gone)) }
        try await store.write { $0.record(Self.response("kept", [kept])) }
        #expect(try await evict(store) == 1)
        let rest = try await store.read { try $0.objects(with: gone).map(\.objectID) }
        #expect(rest == Array(gone.prefix(2)))
        #expect(try await validators(store)?.isEmpty == false)
    }
}
