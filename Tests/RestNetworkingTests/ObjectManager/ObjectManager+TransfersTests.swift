// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import RestDocument
import RestNetworking
import RestTesting
import RestTransport
import TestSupport
import Testing

@Suite(.tags(.socket)) final class ObjectManagerTransfersTests {
    private let folder = NSTemporaryDirectory() + "restkit-\(UUID().uuidString)"

    init() throws {
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    private func serve(
        _ response: LoopbackResponse, _ work: (ObjectManager, LoopbackServer) async throws -> Void
    ) async throws {
        try await LoopbackServer.run({ _ in response }) { server in
            try await work(manager(at: server.baseURL), server)
        }
    }

    @Test func downloadsFile() async throws {
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7919) }
        try await serve(LoopbackResponse(status: 200, body: bytes)) { api, server in
            let path = folder + "/export.bin"
            let file = try await api.download(
                "exports/1", parameters: ["format": "raw"], to: path
            ) { $0.headerFields[.userAgent] = "test" }
            #expect(file.byteCount == bytes.count)
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(bytes))
            let request = try #require(server.requests.first)
            #expect(request.method == "GET")
            #expect(request.query == "format=raw")
            #expect(request.headers["accept"] == "*/*")
            #expect(request.headers["user-agent"] == "test")
        }
    }

    @Test func mapsErrorOfRefusedDownload() async throws {
        try await serve(.json(#"{"message": "No such export"}"#, status: 404)) { api, _ in
            try api.add(
                ResponseDescriptor(ErrorMessage.self, keyPath: "message", statusCodes: .error))
            let error = await #expect(throws: NetworkingError.self) {
                try await api.download("exports/1", to: self.folder + "/export.bin")
            }
            #expect(error?.status == 404)
            #expect(error?.code == .errorResponse)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
        }
    }

    @Test(arguments: [204, 205]) func refusesDownloadWithoutContent(status: Int) async throws {
        try await serve(LoopbackResponse(status: status)) { api, _ in
            let error = await #expect(throws: NetworkingError.self) {
                try await api.download("exports/1", to: self.folder + "/export.bin")
            }
            #expect(error?.code == .unexpectedStatus)
        }
    }

    @Test func uploadsFile() async throws {
        let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7919) }
        let path = folder + "/cat.png"
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        try await serve(.json(#"{"id": 7, "title": "Cat"}"#)) { api, server in
            let article: Article = try await api.upload(path, to: "photos/7")
            #expect(article == Article(id: 7, title: "Cat"))
            try await api.upload(
                path, to: "photos", method: .post, contentType: MediaType(parsing: "image/x-cat"))
            let requests = server.requests
            #expect(requests.map(\.method) == ["PUT", "POST"])
            #expect(requests.map { $0.headers["content-type"] } == ["image/png", "image/x-cat"])
            #expect(requests.allSatisfy { $0.body == bytes })
        }
    }

    @Test func refusesUploadThatCannotBeSent() async throws {
        let path = folder + "/cat"
        try Data([1]).write(to: URL(fileURLWithPath: path))
        try await serve(LoopbackResponse(status: 204)) { api, server in
            for (file, method) in [
                (path, HTTPRequest.Method.get), (folder + "/missing", .put), (folder, .put),
            ] {
                let error = await #expect(throws: NetworkingError.self) {
                    try await api.upload(file, to: "photos", method: method)
                }
                #expect(error?.code == .invalidRequest)
                #expect(error?.stage == .assembly)
            }
            let error = await #expect(throws: NetworkingError.self) {
                try await api.upload(path, to: "photos") { $0.parameters = ["a": 1] }
            }
            #expect(error?.code == .invalidRequest)
            #expect(server.requests.isEmpty)
        }
    }
}
