// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestTesting
import TestSupport
import Testing

/// Responses with a value of another kind at any path, imported into a store with rows.
@Suite(.tags(.socket, .slow)) struct WrongShapeTests {
    static let issues: Document = [
        [
            "id": 1, "number": 10, "title": "changed", "state": "closed",
            "created_at": "2021-01-01T00:00:00Z", "closed_at": "2021-02-01T00:00:00Z",
            "locked": true, "user": ["id": 5, "login": "bo", "site_admin": true],
            "assignees": [["id": 6, "login": "cy"], ["id": 5, "login": "bo"]],
        ],
        [
            "id": 3, "number": 30, "title": "new", "state": "open",
            "created_at": "2021-01-01T00:00:00Z", "closed_at": nil, "locked": false,
            "user": nil, "assignees": [],
        ],
    ]

    static let users: Document = [["id": 5, "login": "bo"], ["id": 9, "login": "new"]]

    @Test(.threat("T09")) func keepsRowsOfIssue() async throws {
        try await expectSafety(of: Issue.self, WrongShape.all(of: Self.issues))
    }

    @Test(.threat("T09")) func keepsRowsOfUser() async throws {
        try await expectSafety(of: User.self, WrongShape.all(of: Self.users))
    }

    /// Bodies that are not JSON, or JSON with another content type.
    @Test(
        .threat("T09"),
        arguments: ["<html><body>Sign in</body></html>", "\"signed out\"", "{", "[1", "\u{0}"])
    func keepsRowsAfterUnreadableBody(_ body: String) async throws {
        let temporary = try await filledStore()
        let before = try content(temporary)
        for type in ["application/json", "text/html"] {
            let answer = LoopbackResponse(
                headers: [("Content-Type", type)], body: Array(body.utf8))
            try await LoopbackServer.run({ _ in answer }) { server in
                let api = try manager(at: server.baseURL)
                await #expect(throws: NetworkingError.self) {
                    try await api.getObjects(Issue.self, at: "issues", into: temporary.store)
                }
            }
            #expect(try content(temporary) == before)
        }
    }

    /// An empty body is not an empty list.
    @Test(.threat("T09"), arguments: ["", " \n", "null", "[]"])
    func keepsRowsAfterEmptyBody(_ body: String) async throws {
        let temporary = try await filledStore()
        let before = try content(temporary)
        try await LoopbackServer.run({ _ in .json(body) }) { server in
            let api = try manager(at: server.baseURL)
            let result = try await api.getObjects(
                Issue.self, at: "issues", into: temporary.store)
            #expect(result.objectIDs.isEmpty)
        }
        #expect(try content(temporary) == before)
    }

    private func expectSafety<Object: ManagedEntity>(
        of type: Object.Type, _ shapes: [WrongShape]
    ) async throws {
        let temporary = try await filledStore()
        let bodies = shapes.map { JSONWriter.compact.text(of: $0.document) }
        try await LoopbackServer.run({ request in
            .json(bodies[Int(request.query.drop { $0 != "=" }.dropFirst()) ?? 0])
        }) { server in
            let api = try manager(at: server.baseURL)
            var (refused, imported) = (0, 0)
            for (number, body) in bodies.enumerated() {
                let before = try content(temporary)
                do {
                    let result = try await api.getObjects(
                        type, at: "objects", parameters: ["n": "\(number)"],
                        into: temporary.store)
                    imported += 1
                    #expect(result.changes.deleted == 0, "\(body)")
                    // Rows that the response does not contain are unchanged.
                    let after = try content(temporary)
                    for row in before where row.hasPrefix("kept") {
                        #expect(after.contains(row), "\(body)")
                    }
                    #expect(after.count >= before.count, "\(body)")
                } catch {
                    refused += 1
                    let isTyped = error is NetworkingError || error is SyncError
                    #expect(isTyped, "\(error) for \(body)")
                    #expect(try content(temporary) == before, "\(body)")
                }
                #expect(try temporary.rows("PRAGMA foreign_key_check").isEmpty, "\(body)")
            }
            // The test is meaningful only if both outcomes occur.
            #expect(refused > 10 && imported > 10)
        }
    }

    /// Returns a store with two issues and three users, of which responses contain one issue and two
    /// users.
    private func filledStore() async throws -> TemporaryStore {
        let temporary = try await TemporaryStore()
        try await temporary.store.perform { context in
            let users = try [(4, "kept"), (5, "bo"), (6, "cy")].map { id, login in
                let user = try context.insert(User.self)
                (user.id, user.login) = (id, login)
                return user
            }
            for (id, title, user) in [(1, "before", users[1]), (2, "kept", users[0])] {
                let issue = try context.insert(Issue.self)
                (issue.id, issue.number, issue.title, issue.state) = (id, id, title, "open")
                issue.createdAt = Date(timeIntervalSince1970: 0)
                issue.user = user
                issue.assignees = [users[2]]
            }
            try context.save()
        }
        return temporary
    }

    /// Returns all rows; those that no response contains begin with `kept`.
    private func content(_ temporary: TemporaryStore) throws -> [String] {
        try temporary.rows("SELECT title, * FROM Issue ORDER BY id")
            + temporary.rows("SELECT login, * FROM User ORDER BY id")
    }
}
