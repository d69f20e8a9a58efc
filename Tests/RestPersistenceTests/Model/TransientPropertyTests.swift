// SPDX-License-Identifier: Apache-2.0

#if Macros
import RestMapping
import RestPersistence
import Testing

@Entity final class Bookmark: ManagedObject {
    @Identity var id: Int
    var title: String = ""
    @MappedIgnored var isSelected = false
    @MappedIgnored var note: String?
}

/// Properties with `@MappedIgnored`, which belong to an object and not to its row.
@Suite struct TransientPropertyTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    private func open() async throws -> ManagedObjectStore {
        try await ManagedObjectStore(at: files.file, entities: Bookmark.self)
    }

    @Test func isNoChangeOfContext() async throws {
        let store = try await open()
        let columns = try files.rows("SELECT name FROM pragma_table_info('Bookmark')")
        #expect(columns == [["restkit_key"], ["id"], ["title"]])
        try await store.perform { context in
            let bookmark = try Bookmark.insert(into: context, id: 1)
            #expect(!bookmark.isSelected)
            try context.save()
            bookmark.isSelected = true
            bookmark.note = "later"
            #expect(!context.hasChanges)
            #expect(context.updatedObjects.isEmpty)
            #expect(bookmark.changedValues.isEmpty)
            #expect(bookmark.objectState == .saved)
            let report = try context.save()
            #expect(report.updated == 0)
            #expect(bookmark.isSelected)
            #expect(try context.child().object(Bookmark.self, with: bookmark.objectID).note == nil)
        }
    }

    @Test func survivesRefreshAndMerge() async throws {
        let store = try await open()
        let context = store.makeContext()
        let bookmark = try Bookmark.insert(into: context, id: 1, title: "old")
        try await context.save()
        bookmark.isSelected = true
        bookmark.note = "later"
        let id = bookmark.objectID
        try await store.perform { other in
            try other.object(Bookmark.self, with: id).title = "new"
            try other.save()
        }
        #expect(try context.fetch(Bookmark.self) == [bookmark])
        #expect(bookmark.title == "new")
        try files.execute("UPDATE Bookmark SET title = 'newer'")
        try context.refresh(bookmark)
        #expect(bookmark.title == "newer")
        bookmark.title = "unsaved"
        try context.refresh(bookmark, keepingChanges: false)
        #expect(bookmark.title == "newer")
        context.refreshAllObjects()
        context.rollback()
        #expect(bookmark.isSelected)
        #expect(bookmark.note == "later")
        #expect(!context.hasChanges)
    }
}
#endif
