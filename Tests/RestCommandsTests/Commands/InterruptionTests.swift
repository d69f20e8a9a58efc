// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import RestMirror
import RestTesting
import Synchronization
import TestSupport
import Testing

@testable import RestCommands

/// Signals to the program, in a process of its own.
@Suite(.serialized, .tags(.socket)) struct InterruptionTests {
    private static func page(_ request: LoopbackRequest, _ base: String) -> LoopbackResponse {
        let number = request.query.split(separator: "=").last.flatMap { Int($0) } ?? 1
        let items = (1...10).map { #"{"id": \#(number * 10 + $0)}"# }.joined(separator: ",")
        let link = "<\(base)items?page=\(number + 1)>; rel=\"next\""
        return .json("[\(items)]", headers: number < 10 ? [("Link", link)] : [])
    }

    private static func withFolder(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "interruption-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder.appending(path: "mirror.db"))
    }

    private static func count(_ file: URL) throws -> Int {
        try DatabaseQueue(path: file.path(percentEncoded: false)).read { database in
            try Int.fetchOne(database, sql: "SELECT count(*) FROM Item") ?? -1
        }
    }

    /// Runs a server whose responses wait for an action, given the number of the request.
    private static func serve(
        _ action: @escaping @Sendable (Int, String) -> Void,
        _ body: (String) async throws -> Void
    ) async throws {
        let count = Mutex(0)
        _ = try await LoopbackServer.run { request in
            let number = count.withLock { count in
                count += 1
                return count
            }
            let base = "http://\(request.headers["host"] ?? "")/"
            action(number, base)
            return page(request, base)
        } body: { server in
            try await body(server.baseURL)
        }
    }

    @Test func firstSignalEndsAfterThePageInHand() async throws {
        try await Self.withFolder { file in
            let child = ToolProcess()
            let definition = file.deletingLastPathComponent().appending(path: "api.yaml")
            // The definition names all attributes, so that no page is sampled.
            try await Self.serve { number, _ in
                guard number == 5 else { return }
                child.interrupt()
                _ = child.waits(milliseconds: 20_000)
            } _: { base in
                try Data(Self.yaml(base).utf8).write(to: definition)
                let arguments = [
                    "sync", definition.path(percentEncoded: false),
                    file.path(percentEncoded: false),
                ]
                try child.start(arguments)
                #expect(child.waits(milliseconds: 30_000))
                #expect(child.result?.reason == .exit)
                #expect(child.result?.status == 130)
                // The page that was received is saved, and the request in flight was given up.
                #expect(try Self.count(file) == 40)
                let next = ToolProcess()
                try next.start(arguments)
                #expect(next.waits(milliseconds: 30_000))
                #expect(next.result?.status == 0)
                #expect(try Self.count(file) == 100)
            }
        }
    }

    @Test func secondSignalEndsAtOnce() async throws {
        try await Self.withFolder { file in
            let child = ToolProcess()
            let lock = Mutex<DatabaseQueue?>(nil)
            let definition = file.deletingLastPathComponent().appending(path: "api.yaml")
            let path = file.path(percentEncoded: false)
            try await Self.serve { number, _ in
                if number == 3 {
                    // The page before is written at the same time.
                    for _ in 0..<3_000 where (try? Self.count(file)) != 20 {
                        Thread.sleep(forTimeInterval: 0.01)
                    }
                    // The page cannot be written, so that the first signal does not end the process.
                    var configuration = Configuration()
                    configuration.allowsUnsafeTransactions = true
                    configuration.busyMode = .timeout(20)
                    let queue = try? DatabaseQueue(path: path, configuration: configuration)
                    try? queue?.inDatabase { try $0.execute(sql: "BEGIN IMMEDIATE") }
                    lock.withLock { $0 = queue }
                }
                guard number == 4 else { return }
                for _ in 0..<100 {
                    child.interrupt()
                    if child.waits(milliseconds: 100) { break }
                }
            } _: { base in
                try Data(Self.yaml(base).utf8).write(to: definition)
                try child.start([
                    "sync", definition.path(percentEncoded: false), path,
                ])
                #expect(child.waits(milliseconds: 30_000))
                #expect(child.result?.reason == .uncaughtSignal)
                #expect(child.result?.status == SIGINT)
                lock.withLock { $0 = nil }
                #expect(try Self.count(file) <= 20)
            }
        }
    }

    private static func yaml(_ base: String) -> String {
        """
        version: 1
        api: {base: "\(base)", pagination: header_link}
        resources:
          items: {path: items, entity: Item}
        entities:
          Item: {identity: id, attributes: {id: integer}}
        """
    }
}
