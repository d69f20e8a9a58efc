// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import RestKit
import RestMirror
import RestTesting
import TestSupport
import Testing

/// URLs and files that no mirror can have, and what the errors say about them.
@Suite(.tags(.socket)) struct UnusableSourceTests {
    private static func error(
        _ body: String, type: String = "application/json"
    ) async throws -> MirrorError? {
        try await LoopbackServer.run { _ in
            LoopbackResponse(headers: [("Content-Type", type)], body: Array(body.utf8))
        } body: { server in
            await #expect(throws: MirrorError.self) {
                _ = try await MirrorDiscovery(
                    of: server.baseURL + "items?key=s3cret", over: CurlTransport()
                ).definition()
            }
        }
    }

    @Test func emptyListShowsNoColumns() async throws {
        let error = try #require(try await Self.error("[]"))
        #expect(error.code == .invalidDefinition && error.description.contains("the list is empty"))
    }

    @Test func pageOfHTMLIsNoAPI() async throws {
        let error = try #require(
            try await Self.error("<html></html>", type: "text/html; charset=utf-8"))
        #expect(error.code == .unreadableResponse && error.description.contains("page of HTML"))
        #expect(error.url?.hasSuffix("/items?…") == true)
    }

    @Test func unreadableBodyHasItsPlace() async throws {
        let error = try #require(try await Self.error("[{\"id\": 1},\n {\"id\": }]"))
        #expect(error.description.contains("the body is no json: "))
        #expect(error.description.contains("2:9") || error.description.contains("line 2"))
    }

    @Test func folderIsNoMirror() throws {
        let folder = FileManager.default.temporaryDirectory
        let error = #expect(throws: MirrorError.self) {
            try MirrorStatus.definition(storedIn: folder)
        }
        #expect(error?.code == .notAMirror && error?.description.contains("folder") == true)
    }

    @Test func databaseOfAnotherProgramIsNoMirror() throws {
        let file = try MirrorFile()
        let path = file.url.path(percentEncoded: false)
        let queue = try DatabaseQueue(path: path)
        try queue.write { try $0.execute(sql: "CREATE TABLE notes (text)") }
        try queue.close()
        let error = #expect(throws: MirrorError.self) {
            try MirrorStatus.definition(storedIn: file.url)
        }
        #expect(error?.code == .notAMirror)
        #expect(error?.description.contains("database of another program") == true)
        // A new mirror can begin in an empty file.
        try Data().write(to: file.url)
        #expect(try MirrorStatus.definition(storedIn: file.url) == nil)
    }

    @Test func queryThatWritesIsRefused() async throws {
        let file = try MirrorFile()
        try await ScriptedAPI.run { api, base in
            api["/items"] = "{\"items\": [{\"id\": 1}]}"
            try await file.run(.items(at: base, by: .linkHeader))
        }
        let error = #expect(throws: MirrorError.self) {
            try MirrorQuery("DELETE FROM Item", of: file.url).run { _, _ in }
        }
        #expect(error?.description.contains("a query can only read") == true)
    }
}
