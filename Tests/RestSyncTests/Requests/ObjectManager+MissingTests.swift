// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestTesting
import Synchronization
import TestSupport
import Testing

@Entity private final class Hangar: ManagedObject {
    @Identity var code: String
    var name: String?
    @Reference var annex: Hangar?
}

@Entity private final class Plane: ManagedObject {
    @Identity var id: Int
    @Reference var hangar: Hangar?
}

/// The loading of objects that others refer to.
@Suite(.tags(.socket)) struct MissingLoadTests {
    /// The hangars that the server has, of which one refers to another.
    private static let hangars = [
        "A": #"{"code":"A","name":"a","annex":"C"}"#, "B": #"{"code":"B","name":"b"}"#,
        "C": #"{"code":"C","name":"c"}"#,
    ]

    private static func answer(_ request: LoopbackRequest) -> LoopbackResponse {
        if request.path == "/planes" {
            return .json(
                #"""
                [{"id":1,"hangar":"A"},{"id":2,"hangar":"B"},{"id":3,"hangar":"A"},
                {"id":4,"hangar":"Z"}]
                """#)
        }
        if request.path == "/hangars" {
            let codes = request.query.replacing("codes=", with: "").split(separator: "%2C")
            return .json("[\(codes.compactMap { hangars[String($0)] }.joined(separator: ","))]")
        }
        let hangar = hangars[request.path.replacing("/hangars/", with: "")]
        return hangar.map { .json($0) } ?? LoopbackResponse(status: 404)
    }

    private func run(
        _ body: (ObjectManager, TemporaryStore, LoopbackServer) async throws -> Void
    ) async throws {
        let temporary = try await TemporaryStore([Hangar.self, Plane.self])
        try await LoopbackServer.run({ Self.answer($0) }) { server in
            let api = try manager(at: server.baseURL)
            api.store = temporary.store
            try await api.getObjects(Plane.self, at: "planes")
            try await body(api, temporary, server)
        }
    }

    /// The targets of the requests for hangars, in groups that were sent at the same time.
    private func targets(_ server: LoopbackServer, inGroupsOf counts: Int...) -> [[String]] {
        var rest = server.requests.dropFirst().map {
            $0.path + ($0.query.isEmpty ? "" : "?" + $0.query)
        }[...]
        var groups: [[String]] = []
        for count in counts {
            groups.append(rest.prefix(count).sorted())
            rest = rest.dropFirst(count)
        }
        return rest.isEmpty ? groups : groups + [Array(rest)]
    }

    @Test func batchesConnectReferences() async throws {
        try await run { api, temporary, server in
            try temporary.execute("INSERT INTO Hangar (restkit_key, code) VALUES (1000000, 'Q')")
            // A batch is not the whole list, so that it deletes no other hangar.
            api.addFetchRequestRule { _ in FetchRequest("Hangar") }
            let before = try await temporary.store.missingObjects(of: Hangar.self)
            #expect(before.map(\.identityText) == ["A", "B", "Z"])
            #expect(before.map(\.referenceCount) == [2, 1, 1])
            let load = try await api.loadMissingObjects(
                of: Hangar.self, at: "hangars", parameter: "codes", batchSize: 2)
            #expect(
                targets(server, inGroupsOf: 2, 1) == [
                    ["/hangars?codes=A%2CB", "/hangars?codes=Z"], ["/hangars?codes=C"],
                ])
            #expect(load.loadedCount == 3 && load.results.count == 3)
            #expect(load.remaining.map(\.identityText) == ["Z"])
            let rows = """
                SELECT p.id, h.code, a.code FROM Plane p LEFT JOIN Hangar h ON h.restkit_key = p.hangar \
                LEFT JOIN Hangar a ON a.restkit_key = h.annex ORDER BY p.id
                """
            #expect(try temporary.rows(rows) == ["1|A|C", "2|B|-", "3|A|C", "4|-|-"])
            let codes = try temporary.rows("SELECT code FROM Hangar ORDER BY code")
            #expect(codes == ["A", "B", "C", "Q"])
            // The batches are not collections, and the next call asks for what is still missing.
            #expect(try await temporary.store.collections().map(\.request.url).count == 1)
            let again = try await api.loadMissingObjects(
                of: Hangar.self, at: "hangars", parameter: "codes")
            #expect(again.loadedCount == 0 && again.remaining == load.remaining)
            #expect(targets(server, inGroupsOf: 2, 1, 1).last == ["/hangars?codes=Z"])
        }
    }

    @Test(.parity("S012", "S040")) func requestsAreOperations() async throws {
        try await run { api, _, _ in
            let (performed, queue) = (Journal(), ObjectRequestQueue())
            api.configure { $0.operationQueue = queue }
            api.register(NotedOperations(performed: performed), for: .store)
            queue.isSuspended = true
            let load = Task {
                try await api.loadMissingObjects(
                    of: Hangar.self, at: "hangars", parameter: "codes")
            }
            while queue.operationCount == 0 { await Task.yield() }
            let operations = try api.operations(methods: .get, matching: "hangars")
            #expect(operations.count == 1)
            #expect(performed.entries.isEmpty)
            queue.isSuspended = false
            let loaded = try await load.value
            #expect(loaded.loadedCount == 3)
            #expect(performed.entries == ["/hangars", "/hangars"])
        }
    }

    @Test func closureChoosesRequests() async throws {
        try await run { api, temporary, server in
            let load = try await api.loadMissingObjects(of: Hangar.self, batchSize: 1) { missing in
                let code = missing[0].identityText
                return code == "Z" ? nil : ManagedRequest(at: "hangars/\(code)")
            }
            #expect(
                targets(server, inGroupsOf: 2, 1) == [
                    ["/hangars/A", "/hangars/B"], ["/hangars/C"],
                ])
            #expect(load.loadedCount == 3 && load.remaining.map(\.identityText) == ["Z"])
            #expect(try temporary.rows("SELECT name FROM Hangar ORDER BY name") == ["a", "b", "c"])
        }
    }

    @Test func requestsAreLimited() async throws {
        try await run { api, temporary, server in
            let load = try await api.loadMissingObjects(
                of: Hangar.self, at: "hangars", parameter: "codes", batchSize: 1,
                maximumRequestCount: 2)
            #expect(targets(server, inGroupsOf: 2) == [["/hangars?codes=A", "/hangars?codes=B"]])
            #expect(load.loadedCount == 2)
            #expect(load.remaining.map(\.identityText) == ["C", "Z"])
        }
    }

    @Test func identityWithSeparatorIsRefused() async throws {
        try await run { api, temporary, server in
            try temporary.execute(
                "UPDATE restkit_pending SET identity = 'X,Y' WHERE identity = 'Z'")
            let error = await #expect(throws: NetworkingError.self) {
                try await api.loadMissingObjects(of: Hangar.self, at: "hangars", parameter: "codes")
            }
            #expect(error?.code == .invalidRequest)
            #expect(error?.causes.first?.contains("contains a comma") == true)
            #expect(targets(server) == [])
        }
    }

    @Test func failureKeepsEarlierBatches() async throws {
        try await run { api, temporary, server in
            await #expect(throws: NetworkingError.self) {
                try await api.loadMissingObjects(of: Hangar.self, batchSize: 1) { missing in
                    ManagedRequest(at: "hangars/\(missing[0].identityText)")
                }
            }
            // The hangar Z does not exist; the annex is not asked for.
            #expect(
                targets(server, inGroupsOf: 3) == [["/hangars/A", "/hangars/B", "/hangars/Z"]])
            let codes = try temporary.rows("SELECT code FROM Hangar ORDER BY code")
            #expect(codes == ["A", "B"])
        }
    }

    /// The number of requests in progress.
    private final class Progress: Sendable {
        private let counts = Mutex((present: 0, greatest: 0))

        var greatest: Int { counts.withLock(\.greatest) }

        func begin() {
            counts.withLock { counts in
                counts.present += 1
                counts.greatest = max(counts.greatest, counts.present)
            }
        }

        func end() { counts.withLock { $0.present -= 1 } }
    }

    @Test(arguments: [1, 3]) func requestsInProgressAreLimited(limit: Int) async throws {
        let temporary = try await TemporaryStore([Hangar.self, Plane.self])
        let (progress, gate) = (Progress(), Gate())
        try await LoopbackServer.run({ request in
            if request.path == "/planes" {
                let planes = (1...8).map { #"{"id":\#($0),"hangar":"H\#($0)"}"# }
                return .json("[\(planes.joined(separator: ","))]")
            }
            progress.begin()
            await gate.pass()
            progress.end()
            return .json(#"{"code":"\#(request.path.suffix(2))"}"#)
        }) { server in
            let api = try manager(at: server.baseURL)
            api.store = temporary.store
            try await api.getObjects(Plane.self, at: "planes")
            async let load = api.loadMissingObjects(
                of: Hangar.self, batchSize: 1, concurrentRequestCount: limit
            ) { ManagedRequest(at: "hangars/\($0[0].identityText)") }
            await gate.arrivals(limit)
            gate.open()
            let result = try await load
            #expect(progress.greatest == limit)
            #expect(result.loadedCount == 8 && result.remaining.isEmpty)
            let ids = result.results.flatMap(\.objectIDs)
            let codes = try await temporary.store.read {
                try $0.objects(Hangar.self, with: ids).map(\.code)
            }
            #expect(codes == (1...8).map { "H\($0)" })
        }
    }

    @Test func nothingMissingSendsNothing() async throws {
        try await run { api, temporary, server in
            try temporary.execute("DELETE FROM restkit_pending")
            let load = try await api.loadMissingObjects(
                of: Hangar.self, at: "hangars", parameter: "codes")
            #expect(load.loadedCount == 0 && load.remaining.isEmpty && load.results.isEmpty)
            #expect(server.requests.count == 1)
        }
    }
}
