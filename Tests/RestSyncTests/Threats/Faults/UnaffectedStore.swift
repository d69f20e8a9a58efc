// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import Testing

/// A store with one row and a context with an unsaved change, which failing requests must not affect.
@MainActor final class UnaffectedStore {
    /// The row of the store as JSON.
    nonisolated static let issue =
        #"{"id":1,"number":1,"title":"kept","state":"open","created_at":"1970-01-01T00:00:00Z"}"#

    let store: ManagedObjectStore
    private let temporary: TemporaryStore
    private let issue: Issue
    private let content: [String]

    init() async throws {
        let temporary = try await TemporaryStore()
        try await temporary.store.perform { context in
            let issue = try context.insert(Issue.self)
            issue.id = 1
            issue.number = 1
            issue.title = "kept"
            issue.state = "open"
            issue.createdAt = Date(timeIntervalSince1970: 0)
            try context.save()
        }
        self.temporary = temporary
        store = temporary.store
        content = try Self.content(of: temporary)
        issue = try #require(try temporary.store.mainContext.fetch(Issue.self).first)
        issue.title = "changed here"
    }

    /// A Boolean value that indicates whether the rows and the context are unchanged.
    var isUnchanged: Bool {
        get throws {
            try Self.content(of: temporary) == content && store.mainContext.hasChanges
                && issue.title == "changed here" && issue.number == 1
        }
    }

    private static func content(of temporary: TemporaryStore) throws -> [String] {
        try temporary.rows("SELECT * FROM Issue") + temporary.rows("SELECT * FROM User")
            + temporary.rows("SELECT * FROM restkit_store")
    }
}
