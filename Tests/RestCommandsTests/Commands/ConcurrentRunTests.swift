// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import RestTesting
import Synchronization
import TestSupport
import Testing

@testable import RestCommands

/// Processes that read into one file, at the same time and one after the other.
@Suite(.serialized, .tags(.socket)) struct ConcurrentRunTests {
    /// A server with ten pages of ten items, a definition of it, and the files.
    private struct Fixture: Sendable {
        let arguments: [String]
        let requestCount: @Sendable () -> Int
        let file: String

        func integer(_ sql: String) throws -> Int {
            try DatabaseQueue(path: file).read { try Int.fetchOne($0, sql: sql) ?? -1 }
        }

        /// Runs the program to its end, and returns its status.
        func run() throws -> Int32? {
            let process = ToolProcess()
            try process.start(arguments)
            #expect(process.waits(milliseconds: 60_000))
            return process.result?.status
        }
    }

    private static func run(
        budget: String, _ action: @escaping @Sendable (_ request: Int) -> Void = { _ in },
        _ body: (Fixture) async throws -> Void
    ) async throws {
        let count = Mutex(0)
        try await TemporaryFiles.with(["api.yaml": ""]) { folder in
            _ = try await LoopbackServer.run { request in
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                action(number)
                let page = request.query.split(separator: "=").last.flatMap { Int($0) } ?? 1
                let items = (1...10).map { #"{"id": \#(page * 10 + $0)}"# }
                let link =
                    "<http://\(request.headers["host"] ?? "")/items?page=\(page + 1)>; rel=\"next\""
                return .json(
                    "[" + items.joined(separator: ",") + "]",
                    headers: page < 10 ? [("Link", link)] : [])
            } body: { server in
                let text = """
                    version: 1
                    api: {base: "\(server.baseURL)", pagination: header_link, budget: \(budget)}
                    resources:
                      items: {path: items, entity: Item}
                    entities:
                      Item: {identity: id, attributes: {id: integer}}
                    """
                try Data(text.utf8).write(to: URL(filePath: folder + "/api.yaml"))
                try await body(
                    Fixture(
                        arguments: ["sync", folder + "/api.yaml", folder + "/a.db"],
                        requestCount: { count.withLock(\.self) }, file: folder + "/a.db"))
            }
        }
    }

    @Test func secondProcessIsRefusedWhileTheFirstRuns() async throws {
        let arguments = Mutex<[String]>([])
        let second = ToolProcess()
        let budget = "{windows: {requests: 1000, per: 1h}}"
        try await Self.run(budget: budget) { request in
            guard request == 4 else { return }
            try? second.start(arguments.withLock(\.self))
            _ = second.waits(milliseconds: 60_000)
        } _: { fixture in
            arguments.withLock { $0 = fixture.arguments }
            let status = try fixture.run()
            #expect(status == 0)
            #expect(second.result?.status == 3)
            #expect(fixture.requestCount() == 10)
            #expect(try fixture.integer("SELECT count(*) FROM Item") == 100)
            #expect(try fixture.integer("SELECT sum(requests) FROM restkit_mirror_budget") == 10)
            #expect(!FileManager.default.fileExists(atPath: fixture.file + "-lock"))
        }
    }

    @Test func requestsOfAnEarlierProcessCount() async throws {
        let budget = "{windows: {requests: 12, per: 1h}, maximum_wait: 1s}"
        try await Self.run(budget: budget) { fixture in
            let first = try fixture.run()
            #expect(first == 0)
            #expect(fixture.requestCount() == 10)
            let second = try fixture.run()
            #expect(second == 3)
            #expect(fixture.requestCount() == 12)
            let third = try fixture.run()
            #expect(third == 3)
            #expect(fixture.requestCount() == 12)
        }
    }

    /// The requests that a killed process has stored count as sent, so that they are at least those that it has sent.
    @Test func requestsOfAKilledProcessCount() async throws {
        let first = ToolProcess()
        let budget = "{windows: {requests: 640, per: 1h}}"
        try await Self.run(budget: budget) { request in
            guard request == 6 else { return }
            first.killNow()
            _ = first.waits(milliseconds: 60_000)
        } _: { fixture in
            try first.start(fixture.arguments)
            #expect(first.waits(milliseconds: 60_000))
            #expect(first.result?.status == SIGKILL)
            #expect(try fixture.integer("SELECT sum(requests) FROM restkit_mirror_budget") == 10)
            #expect(try fixture.run() == 0)
            let spent = try fixture.integer("SELECT sum(requests) FROM restkit_mirror_budget")
            #expect(spent >= fixture.requestCount() && spent <= fixture.requestCount() + 10)
        }
    }
}
