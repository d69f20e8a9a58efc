// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import HTTPTypes
import RestKit
import RestTesting
import TestSupport
import Testing

/// Recorded responses, truncated: they must leave no object, no row and no cache entry.
///
/// Over libcurl one response of each recording is truncated at a dense sample of its bytes, all
/// others at a seeded random sample. With `RESTKIT_CUTS=all` in the environment, every response is
/// truncated at every byte over every adapter, as `scripts/nightly` does. Foundation on Linux
/// gets no truncated headers, as it traps on them. The responses alternate in how they are framed
/// and in how the connection ends.
@Suite(
    .tags(.socket, .slow), .serialized,
    .enabled(if: SharedFiles.isAvailable, "shared corpus not found"))
struct TruncatedResponseTests {
    private static let countField = HTTPField.Name("Byte-Count")

    @Test(.threat("T14"), arguments: Adapter.allCases)
    func truncatedResponsesLeaveNothing(adapter: Adapter) async throws {
        let responses = try TruncatedResponse.recorded()
        #expect(Set(responses.map(\.recording)).count >= 8)
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "TruncatedResponseTests-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        let store = try await ManagedObjectStore(
            at: directory.appending(path: "objects.sqlite"), entities: RecordedResource.self)
        var count = 0
        for response in responses {
            let byteCounts = response.byteCounts(over: adapter)
            count += byteCounts.count
            try await check(response, byteCounts, over: adapter, into: store)
        }
        print("TruncatedResponseTests: \(adapter), \(responses.count) responses, \(count) times")
    }

    private func check(
        _ response: TruncatedResponse, _ byteCounts: [Int], over adapter: Adapter,
        into store: ManagedObjectStore
    ) async throws {
        let rows = try await content(of: store)
        let queue = ByteCountQueue(byteCounts)
        try await LoopbackSocketServer.run { connection in
            guard let request = connection.readRequestText(),
                let field = request.firstRange(of: "Byte-Count: "),
                let byteCount = Int(request[field.upperBound...].prefix { $0.isNumber })
            else { return }
            connection.send(Array(response.bytes.prefix(byteCount)))
            if response.endsWithReset, byteCount < response.bytes.count { connection.reset() }
        } body: { server in
            try await adapter.run(server.baseURL) { client in
                var client = client
                client.cache = HTTPCache()
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<4 {
                        let api = try Self.manager(client, for: response)
                        group.addTask {
                            while let byteCount = queue.next() {
                                let code = try await Self.code(
                                    of: response, byteCount, by: api, store)
                                if code == nil { queue.recordAccepted(byteCount) }
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                #expect(queue.accepted == [], "accepted truncations of \(response)")
                #expect(try await content(of: store) == rows, "\(response)")
                let request = try client.request(at: response.path)
                #expect(await client.cache?.entry(for: request) == nil)
                // The complete response becomes rows.
                let complete = try await Self.code(
                    of: response, response.bytes.count, by: Self.manager(client, for: response),
                    store)
                #expect(complete == nil, "\(response), complete")
                #expect(try await !content(of: store).isEmpty, "\(response), complete")
            }
        }
    }

    private static func manager(
        _ client: HTTPClient, for response: TruncatedResponse
    ) throws -> ObjectManager {
        let api = ObjectManager(client: client)
        // A type with a descriptor is not mapped by default at other paths.
        if response.path.hasPrefix("search/issues") {
            let mapping = ObjectMapping(for: RecordedResource.self)
            try api.add(ResponseDescriptor(mapping, at: "search/issues", keyPath: "items"))
        }
        return api
    }

    /// Returns the error code of a truncated response, or `nil` if the response is accepted.
    private static func code(
        of response: TruncatedResponse, _ byteCount: Int, by api: ObjectManager,
        _ store: ManagedObjectStore
    ) async throws -> TransportError.Code? {
        if let countField {
            api.configure { $0.client.defaultHeaders[countField] = "\(byteCount)" }
        }
        do {
            _ = try await api.getObjects(RecordedResource.self, at: response.path, into: store)
            return nil
        } catch let error as NetworkingError {
            let failure = try #require(
                error.underlying as? TransportError, "\(byteCount): \(error)")
            let codes: [TransportError.Code] = [
                .incompleteBody, .connectionLost, .malformedResponse,
            ]
            #expect(codes.contains(failure.code), "\(byteCount): \(error)")
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
