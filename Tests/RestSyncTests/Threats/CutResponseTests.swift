// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import HTTPTypes
import RestKit
import RestTesting
import TestSupport
import Testing

/// Recorded responses, cut at every byte: no result, no row, and no half in the cache.
///
/// Over libcurl at every byte of one response of each recording, elsewhere at a sample with a seed;
/// with `RESTKIT_CUTS=all` in the environment at every byte of every response over every adapter.
/// Foundation on Linux is spared cuts in the header, at which it ends the process. The responses take
/// turns in how they are framed and in how the connection ends.
@Suite(
    .tags(.socket, .slow), .serialized,
    .enabled(if: SharedFiles.isAvailable, "shared corpus not found"))
struct CutResponseTests {
    private static let cutField = HTTPField.Name("Cut")

    @Test(.threat("T14"), arguments: Adapter.allCases)
    func leaveNothing(adapter: Adapter) async throws {
        let responses = try CutResponse.recorded()
        #expect(Set(responses.map(\.recording)).count >= 8)
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "CutResponseTests-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        let store = try await ManagedObjectStore(
            at: directory.appending(path: "objects.sqlite"), entities: RecordedResource.self)
        var cutCount = 0
        for response in responses {
            let cuts = response.cuts(over: adapter)
            cutCount += cuts.count
            try await check(response, cuts, over: adapter, into: store)
        }
        print("CutResponseTests: \(adapter), \(responses.count) responses, \(cutCount) cuts")
    }

    private func check(
        _ response: CutResponse, _ cuts: [Int], over adapter: Adapter,
        into store: ManagedObjectStore
    ) async throws {
        let rows = try await content(of: store)
        let queue = CutQueue(cuts)
        try await LoopbackSocketServer.run { connection in
            guard let request = connection.readRequestText(),
                let field = request.firstRange(of: "Cut: "),
                let cut = Int(request[field.upperBound...].prefix { $0.isNumber })
            else { return }
            connection.send(Array(response.bytes.prefix(cut)))
            if response.endsWithReset, cut < response.bytes.count { connection.reset() }
        } body: { server in
            try await adapter.run(server.baseURL) { client in
                var client = client
                client.cache = HTTPCache()
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<4 {
                        let api = try Self.manager(client)
                        group.addTask {
                            while let cut = queue.next() {
                                let code = try await Self.code(of: response, cut, by: api, store)
                                if code == nil { queue.noteTaken(cut) }
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                #expect(queue.taken == [], "cuts of \(response) that were taken")
                #expect(try await content(of: store) == rows, "\(response)")
                let request = try client.request(at: response.path)
                #expect(await client.cache?.entry(for: request) == nil)
                // The whole response is one that becomes rows and is stored.
                let whole = try await Self.code(
                    of: response, response.bytes.count, by: Self.manager(client), store)
                #expect(whole == nil, "\(response), whole")
                #expect(try await !content(of: store).isEmpty, "\(response), whole")
            }
        }
    }

    private static func manager(_ client: HTTPClient) throws -> ObjectManager {
        let api = ObjectManager(client: client)
        try api.add(
            ResponseDescriptor(
                ObjectMapping(for: RecordedResource.self), at: "search/issues", keyPath: "items"))
        return api
    }

    /// The error that a cut response ends in, `nil` when it is taken.
    private static func code(
        of response: CutResponse, _ cut: Int, by api: ObjectManager, _ store: ManagedObjectStore
    ) async throws -> TransportError.Code? {
        if let cutField { api.defaultHeaders[cutField] = "\(cut)" }
        do {
            _ = try await api.getObjects(RecordedResource.self, at: response.path, into: store)
            return nil
        } catch let error as NetworkingError {
            let failure = try #require(error.underlying as? TransportError, "\(cut): \(error)")
            let codes: [TransportError.Code] = [
                .incompleteBody, .connectionLost, .malformedResponse,
            ]
            #expect(codes.contains(failure.code), "\(cut): \(error)")
            return failure.code
        }
    }

    private func content(of store: ManagedObjectStore) async throws -> [String] {
        try await DatabaseQueue(path: store.url.path).read { database in
            try Row.fetchAll(database, sql: "SELECT * FROM RecordedResource ORDER BY url").map {
                "\($0)"
            }
        }
    }
}
