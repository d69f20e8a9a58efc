// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestTesting
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

    private func targets(_ server: LoopbackServer) -> [String] {
        server.requests.dropFirst().map { $0.path + ($0.query.isEmpty ? "" : "?" + $0.query) }
    }

    @Test func batchesConnectReferences() async throws {
        try await run { api, temporary, server in
            try temporary.execute("INSERT INTO Hangar (restkit_key, code) VALUES (1000000, 'Q')")
            // A batch is not the whole list, so that it deletes no other hangar.
            api.addFetchRequest { _ in FetchRequest("Hangar") }
            let before = try await temporary.store.missing(of: Hangar.self)
            #expect(before.map(\.identityText) == ["A", "B", "Z"])
            #expect(before.map(\.referenceCount) == [2, 1, 1])
            let load = try await api.loadMissing(
                of: Hangar.self, at: "hangars", parameter: "codes", batchSize: 2)
            #expect(
                targets(server) == [
                    "/hangars?codes=A%2CB", "/hangars?codes=Z", "/hangars?codes=C",
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
            let again = try await api.loadMissing(
                of: Hangar.self, at: "hangars", parameter: "codes")
            #expect(again.loadedCount == 0 && again.remaining == load.remaining)
            #expect(targets(server).last == "/hangars?codes=Z")
        }
    }

    @Test func closureChoosesRequests() async throws {
        try await run { api, temporary, server in
            let load = try await api.loadMissing(of: Hangar.self, batchSize: 1) { missing in
                let code = missing[0].identityText
                return code == "Z" ? nil : ObjectRequest(to: .path("hangars/\(code)"))
            }
            #expect(targets(server) == ["/hangars/A", "/hangars/B", "/hangars/C"])
            #expect(load.loadedCount == 3 && load.remaining.map(\.identityText) == ["Z"])
            #expect(try temporary.rows("SELECT name FROM Hangar ORDER BY name") == ["a", "b", "c"])
        }
    }

    @Test func requestsAreLimited() async throws {
        try await run { api, temporary, server in
            let load = try await api.loadMissing(
                of: Hangar.self, at: "hangars", parameter: "codes", batchSize: 1,
                maximumRequestCount: 2)
            #expect(targets(server) == ["/hangars?codes=A", "/hangars?codes=B"])
            #expect(load.loadedCount == 2)
            #expect(load.remaining.map(\.identityText) == ["C", "Z"])
        }
    }

    @Test func identityWithSeparatorIsRefused() async throws {
        try await run { api, temporary, server in
            try temporary.execute(
                "UPDATE restkit_pending SET identity = 'X,Y' WHERE identity = 'Z'")
            let error = await #expect(throws: NetworkingError.self) {
                try await api.loadMissing(of: Hangar.self, at: "hangars", parameter: "codes")
            }
            #expect(error?.code == .invalidRequest)
            #expect(error?.causes.first?.contains("contains a comma") == true)
            #expect(targets(server).isEmpty)
        }
    }

    @Test func failureKeepsEarlierBatches() async throws {
        try await run { api, temporary, server in
            await #expect(throws: NetworkingError.self) {
                try await api.loadMissing(of: Hangar.self, batchSize: 1) { missing in
                    ObjectRequest(to: .path("hangars/\(missing[0].identityText)"))
                }
            }
            // The hangar Z does not exist; the annex is not asked for.
            #expect(targets(server) == ["/hangars/A", "/hangars/B", "/hangars/Z"])
            let codes = try temporary.rows("SELECT code FROM Hangar ORDER BY code")
            #expect(codes == ["A", "B"])
        }
    }

    @Test func nothingMissingSendsNothing() async throws {
        try await run { api, temporary, server in
            try temporary.execute("DELETE FROM restkit_pending")
            let load = try await api.loadMissing(
                of: Hangar.self, at: "hangars", parameter: "codes")
            #expect(load.loadedCount == 0 && load.remaining.isEmpty && load.results.isEmpty)
            #expect(server.requests.count == 1)
        }
    }
}
