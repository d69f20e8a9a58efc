// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestTesting
import TestSupport
import Testing

/// Text with U+0000, from the response to the row and back.
@Suite(.tags(.socket)) struct NulCharacterTests {
    static let texts = ["a\u{0}b", "\u{0}", "\u{0}a", "a\u{0}", "a\u{0}\u{0}é\u{0}"]

    @Test(.threat("T04"), arguments: texts) func survivesStorage(_ text: String) async throws {
        let temporary = try await TemporaryStore()
        let escaped = text.replacing("\u{0}", with: "\\u0000")
        let json =
            #"[{"id":1,"login":"\#(escaped)"},{"id":2,"login":"a"},"#
            + #"{"id":3,"login":"plain"}]"#
        try await LoopbackServer.run({ _ in .json(json) }) { server in
            let api = try manager(at: server.baseURL)
            let result = try await api.getObjects(User.self, at: "users", into: temporary.store)
            #expect(result.report.issues.isEmpty)
        }
        let hex = text.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16).uppercased() }
        #expect(
            try temporary.rows("SELECT hex(login), typeof(login) FROM User WHERE id = 1")
                == ["\(hex.joined())|text"])
        // Another store reads from the file only.
        let reopened = try await ManagedObjectStore(
            at: temporary.store.url, entities: Issue.self, User.self)
        let logins = try await reopened.perform { context in
            try context.fetch(User.self, orderBy: \.id).map(\.login)
        }
        #expect(logins.map { Array($0.utf8) } == [text, "a", "plain"].map { Array($0.utf8) })
        let found = try await reopened.perform { context in
            try context.fetch(User.self, where: { $0.login == text }).map(\.id)
        }
        #expect(found == [1])
    }
}
