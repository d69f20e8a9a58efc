// SPDX-License-Identifier: Apache-2.0

import RestPersistence
import TestSupport
import Testing

/// Unsaved changes of ordered relationships in several contexts.
@Suite struct OrderedChangesTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    /// Returns a store with a book that has three tags of the weights 1, 2 and 3, in this order.
    private func openBook() async throws -> ManagedObjectStore {
        let store = try await files.open(RandomContexts.entities(isOrdered: true))
        try await store.perform { context in
            let book = try context.insert(entity: "Book")
            let tags = try (1...3).map { try context.insert("Tag", ["weight": $0]) }
            try book.setRelated("tags", tags)
            try context.save()
        }
        return store
    }

    /// Returns a store with three persons; the first has the others as friends.
    private func openPeople() async throws -> (ManagedObjectStore, [ManagedObjectID]) {
        let store = try await files.open([
            EntityDescription(
                "Person", attributes: [],
                relationships: [.toMany("friends", "Person", inverse: "friends", isOrdered: true)])
        ])
        let ids = try await store.perform { context in
            let people = try (0..<3).map { _ in try context.insert(entity: "Person") }
            try people[0].setRelated("friends", [people[1], people[2]])
            try context.save()
            return people.map(\.objectID)
        }
        return (store, ids)
    }

    /// Removes the first two persons from each other's friends, and saves.
    private func removeFriend(_ ids: [ManagedObjectID], in store: ManagedObjectStore) throws {
        let context = store.makeContext()
        try context.object(with: ids[1]).setRelated("friends", [])
        try save(context)
    }

    /// Returns the stored friends of each person.
    private func friends(
        _ ids: [ManagedObjectID], in store: ManagedObjectStore
    ) throws -> [[ManagedObjectID]] {
        try store.makeContext().objects(with: ids).map { try $0.related("friends").map(\.objectID) }
    }

    private func weights(in context: ManagedObjectContext) throws -> [Int?] {
        let book = try #require(try context.fetch(FetchRequest("Book")).first)
        return try book.related("tags").map { try $0.value("weight", as: Int?.self) }
    }

    private func setTags(
        _ positions: [Int], in context: ManagedObjectContext
    ) throws {
        let book = try #require(try context.fetch(FetchRequest("Book")).first)
        let tags = try book.related("tags")
        try book.setRelated("tags", positions.map { tags[$0] })
    }

    /// Saves synchronously.
    @discardableResult
    private func save(_ context: ManagedObjectContext) throws -> SaveReport {
        try context.save()
    }

    @Test func movesToOtherListAtSamePosition() async throws {
        let store = try await files.open(RandomContexts.entities(isOrdered: true))
        try await store.perform { context in
            let authors = try (0..<2).map { _ in try context.insert(entity: "Author") }
            let books = try (0..<2).map { _ in try context.insert(entity: "Book") }
            for (author, book) in zip(authors, books) { try author.setRelated("books", [book]) }
            try context.save()
            try authors[1].setRelated("books", books)
            #expect(try authors[1].related("books") == books)
            try context.save()
            #expect(try authors[1].related("books") == books)
        }
    }

    @Test func readsPositionOfReleasedDestination() async throws {
        let store = try await files.open(RandomContexts.entities(isOrdered: true))
        let ids = try await store.perform { context in
            defer { context.rollback() }
            let authors = try (0..<2).map { _ in try context.insert(entity: "Author") }
            let books = try (0..<2).map { _ in try context.insert(entity: "Book") }
            for (author, book) in zip(authors, books) { try author.setRelated("books", [book]) }
            try context.save()
            return (authors + books).map(\.objectID)
        }
        try await store.perform { context in
            defer { context.rollback() }
            let author = try context.object(with: ids[1])
            try author.setRelated("books", try ids[2...].map { try context.object(with: $0) })
            // The child has no objects of the books.
            let child = context.child()
            let books = try child.object(with: ids[1]).related("books")
            #expect(books.map(\.objectID) == Array(ids[2...]))
        }
    }

    @Test func movingKeepsRemovalByOtherContext() async throws {
        let store = try await openBook()
        let (context, other) = (store.makeContext(), store.makeContext())
        #expect(try weights(in: context) == [1, 2, 3])
        try setTags([0, 2], in: other)
        try setTags([1, 0, 2], in: context)
        try save(other)
        #expect(try weights(in: context) == [1, 3])
        let request = FetchRequest("Book", where: .any("tags", .attribute("weight", .equal, 2)))
        #expect(try context.fetchIDs(request).isEmpty)
        try save(context)
        #expect(try weights(in: other) == [1, 3])
    }

    @Test func movingKeepsRemovalByParent() async throws {
        let store = try await openBook()
        let parent = store.makeContext()
        let child = parent.child()
        try setTags([1, 0, 2], in: child)
        try setTags([0, 2], in: parent)
        #expect(try weights(in: child) == [1, 3])
        try save(child)
        #expect(try weights(in: parent) == [1, 3])
    }

    /// The row of a join table has a position in each of two lists.
    @Test(arguments: [false, true])
    func keepsPositionsOfBothEnds(isBookFirst: Bool) async throws {
        let store = try await files.open(RandomContexts.entities(isOrdered: true))
        try await store.perform { context in
            let books = try (0..<3).map { _ in try context.insert(entity: "Book") }
            let tags = try (0..<3).map { _ in try context.insert(entity: "Tag") }
            try books[0].setRelated("tags", tags)
            try context.save()
            try tags[0].setRelated("books", books)
            try context.save()
            // The pair of the first book and the first tag moves in both lists.
            let otherBooks = [1, 2, 0].map { books[$0] }
            let otherTags = [1, 2, 0].map { tags[$0] }
            if isBookFirst { try books[0].setRelated("tags", otherTags) }
            try tags[0].setRelated("books", otherBooks)
            if !isBookFirst { try books[0].setRelated("tags", otherTags) }
            #expect(try books[0].related("tags") == otherTags)
            #expect(try tags[0].related("books") == otherBooks)
            try context.save()
            #expect(try books[0].related("tags") == otherTags)
            #expect(try tags[0].related("books") == otherBooks)
        }
    }

    @Test func savesNewDestinationThatMoves() async throws {
        let store = try await openBook()
        let (context, other) = (store.makeContext(), store.makeContext())
        let book = try #require(try context.fetch(FetchRequest("Book")).first)
        let new = try context.insert("Tag", ["weight": 4])
        try book.setRelated("tags", try book.related("tags") + [new])
        try setTags([3, 0, 1, 2], in: context)
        #expect(try weights(in: context) == [4, 1, 2, 3])
        try save(context)
        #expect(try weights(in: other) == [4, 1, 2, 3])
    }

    @Test func movingKeepsRemovalOfSymmetricPair() async throws {
        let (store, ids) = try await openPeople()
        try await store.perform { context in
            let people = try context.objects(with: ids)
            try people[0].setRelated("friends", [people[2], people[1]])
            try self.removeFriend(ids, in: store)
            try context.save()
        }
        #expect(try friends(ids, in: store) == [[ids[2]], [], [ids[0]]])
    }

    @Test func savesSentDestinationThatOthersRemoved() async throws {
        let store = try await openBook()
        let (context, other) = (store.makeContext(), store.makeContext())
        try setTags([1, 0, 2], in: context)
        let book = try #require(try context.fetch(FetchRequest("Book")).first)
        let sent = context.sentChanges(of: book)
        try setTags([0, 2], in: other)
        try save(other)
        _ = try await context.performChildAndSave(sent: sent) { _ in }
        #expect(try weights(in: other) == [2, 1, 3])
    }

    @Test func sentMoveKeepsEarlierRemoval() async throws {
        let store = try await openBook()
        let (context, other) = (store.makeContext(), store.makeContext())
        try setTags([1, 0, 2], in: context)
        try setTags([0, 2], in: other)
        try save(other)
        let book = try #require(try context.fetch(FetchRequest("Book")).first)
        let sent = context.sentChanges(of: book)
        _ = try await context.performChildAndSave(sent: sent) { _ in }
        #expect(try weights(in: other) == [1, 3])
        #expect(!context.hasChanges)
    }

    @Test func savesSentFriendThatOthersRemoved() async throws {
        let (store, ids) = try await openPeople()
        let context = store.makeContext()
        let people = try context.objects(with: ids)
        try people[0].setRelated("friends", [people[2], people[1]])
        let sent = context.sentChanges(of: people[0])
        try removeFriend(ids, in: store)
        _ = try await context.performChildAndSave(sent: sent) { _ in }
        #expect(try friends(ids, in: store) == [[ids[2], ids[1]], [ids[0]], [ids[0]]])
    }

    @Test func savesAcceptedFriendThatOthersRemoved() async throws {
        let (store, ids) = try await openPeople()
        let context = store.makeContext()
        let people = try context.objects(with: ids)
        try people[0].setRelated("friends", [people[2], people[1]])
        let sent = context.sentChanges(of: people[0])
        try removeFriend(ids, in: store)
        context.accept(sent)
        try save(context)
        #expect(try friends(ids, in: store) == [[ids[2], ids[1]], [ids[0]], [ids[0]]])
    }

    @Test func sendsNoPositionInListOfFriend() async throws {
        let (store, ids) = try await openPeople()
        let context = store.makeContext()
        let people = try context.objects(with: ids)
        try people[0].setRelated("friends", [people[2], people[1]])
        let sent = context.sentChanges(of: people[1])
        try removeFriend(ids, in: store)
        _ = try await context.performChildAndSave(sent: sent) { _ in }
        #expect(try friends(ids, in: store) == [[ids[2]], [], [ids[0]]])
    }

    @Test(arguments: [false, true])
    func namesReferenceOfPositionInConflict(isChild: Bool) async throws {
        let store = try await files.open(RandomContexts.entities(isOrdered: true))
        try await store.perform { context in
            let books = try (0..<3).map { _ in try context.insert(entity: "Book") }
            try context.insert(entity: "Author").setRelated("books", books)
            try context.save()
        }
        let feed = store.commits
        let other = store.makeContext()
        let context = isChild ? other.child() : store.makeContext()
        // No book has the same position in both orders, which would be no conflict.
        for (context, order) in [(context, [1, 2, 0]), (other, [2, 0, 1])] {
            let author = try #require(try context.fetch(FetchRequest("Author")).first)
            let books = try author.related("books")
            try author.setRelated("books", order.map { books[$0] })
        }
        if !isChild { try save(other) }
        let error = #expect(throws: PersistenceError.self) { try save(context) }
        #expect(error?.conflicts.map(\.property) == ["author", "author", "author"])
        if isChild { return }
        var commits = feed.makeAsyncIterator()
        let commit = try #require(await commits.next())
        #expect(commit.updatedIDs.count == 3)
        for id in commit.updatedIDs { #expect(commit.changedProperties(of: id) == ["author"]) }
    }

    @Test func namesReferenceAndPositionOnceInConflict() async throws {
        let store = try await files.open(RandomContexts.entities(isOrdered: true))
        let ids = try await store.perform { context in
            let book = try context.insert(entity: "Book")
            try context.insert(entity: "Author").setRelated("books", [book])
            let authors = try (0..<2).map { _ in try context.insert(entity: "Author") }
            for author in authors {
                try author.setRelated("books", [try context.insert(entity: "Book")])
            }
            try context.save()
            return ([book] + authors).map(\.objectID)
        }
        let contexts = [store.makeContext(), store.makeContext()]
        for (context, id) in zip(contexts, ids[1...]) {
            let author = try context.object(with: id)
            let book = try context.object(with: ids[0])
            try author.setRelated("books", try author.related("books") + [book])
        }
        try save(contexts[0])
        let error = #expect(throws: PersistenceError.self) { try save(contexts[1]) }
        #expect(error?.conflicts.map(\.description) == ["\(ids[0]).author"])
    }

    @Test func reportsMovesOfChild() async throws {
        let store = try await openBook()
        let child = store.makeContext().child()
        try setTags([1, 0], in: child)
        let report = try save(child)
        #expect(report.relationships.map(\.moved) == [2])
        #expect(report.relationships.map(\.inserted) == [0])
        #expect(report.relationships.map(\.deleted) == [1])
    }
}
