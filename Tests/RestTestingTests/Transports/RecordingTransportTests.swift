// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import RestTesting
import RestTransport
import Testing

@Suite struct RecordingTransportTests {
    private let file = FileManager.default.temporaryDirectory
        .appendingPathComponent("restkit-\(UUID()).json")

    private func client(_ transport: any HTTPTransport) throws -> HTTPClient {
        try HTTPClient(baseURL: "https://example.com/", transport: transport)
    }

    /// Records the exchanges of a closure with a stub that numbers its responses.
    private func record(_ body: (HTTPClient) async throws -> Void) async throws {
        let count = Counter()
        let stub = StubTransport { request in
            let isBinary = request.url.path == "/binary"
            let text = "response \(count.next()) to \(request.method.rawValue)"
            return .stub(
                request.url.path == "/gone" ? .gone : .ok,
                headerFields: [
                    .contentType: "text/plain", .setCookie: "canary=1",
                    .location: "b?token=canary&x=1",
                ],
                body: isBinary ? [0xFF, 0, 0x80] : Array(text.utf8), to: request)
        }
        try await body(try client(RecordingTransport(recording: stub, to: file)))
    }

    private func read(_ client: HTTPClient, _ path: String) async throws -> String {
        let response = try await client.send(try client.request(at: path))
        return String(decoding: try await response.collect(), as: UTF8.self)
    }

    @Test func replaysRecordedExchanges() async throws {
        try await record { client in
            #expect(try await read(client, "a?b=1") == "response 0 to GET")
            _ = try await client.send(try client.request(at: "gone"))
            _ = try await client.send(try client.request(at: "binary"))
        }
        let transport = try RecordingTransport(replaying: file)
        let client = try client(transport)
        #expect(transport.unreplayedExchanges.map(\.url).count == 3)
        let binary = try await client.send(try client.request(at: "binary"))
        #expect(try await binary.collect() == [0xFF, 0, 0x80])
        let gone = try await client.send(try client.request(at: "gone"))
        #expect(gone.status == .gone)
        #expect(gone.headerFields[.contentType] == "text/plain")
        #expect(transport.unreplayedExchanges.map(\.url) == ["https://example.com/a?b=1"])
        #expect(try await read(client, "a?b=1") == "response 0 to GET")
        #expect(transport.unreplayedExchanges.isEmpty)
    }

    @Test func repeatsLastOfEqualExchanges() async throws {
        try await record { client in
            for _ in 0..<2 { _ = try await read(client, "a") }
        }
        let client = try client(try RecordingTransport(replaying: file))
        for expected in ["response 0 to GET", "response 1 to GET", "response 1 to GET"] {
            #expect(try await read(client, "a") == expected)
        }
    }

    @Test func comparesBodies() async throws {
        func post(_ client: HTTPClient, _ text: String) async throws -> String {
            let request = try client.request(
                .post, at: "a", body: .bytes(Array(text.utf8)))
            return String(decoding: try await client.send(request).collect(), as: UTF8.self)
        }
        try await record { client in
            _ = try await post(client, "one")
            _ = try await post(client, "two")
        }
        let client = try client(try RecordingTransport(replaying: file))
        #expect(try await post(client, "two") == "response 1 to POST")
        #expect(try await post(client, "one") == "response 0 to POST")
        let error = await #expect(throws: RecordingError.self) { try await post(client, "three") }
        #expect(
            error?.description == "POST https://example.com/a is not recorded, with another body; "
                + "recorded exchanges: POST https://example.com/a, POST https://example.com/a")
    }

    @Test func requiresRecordedOrder() async throws {
        try await record { client in
            _ = try await read(client, "a")
            _ = try await read(client, "b")
        }
        let client = try client(try RecordingTransport(replaying: file, matching: .inOrder))
        let early = await #expect(throws: RecordingError.self) { try await read(client, "b") }
        #expect(
            early?.description == "GET https://example.com/b is request 1, but "
                + "GET https://example.com/a is recorded there")
        _ = try await read(client, "a")
        _ = try await read(client, "b")
        let late = await #expect(throws: RecordingError.self) { try await read(client, "a") }
        #expect(
            late?.description
                == "GET https://example.com/a is request 3, but only 2 are recorded")
    }

    @Test func listsRecordedExchangesForUnknownRequest() async throws {
        try await record { client in _ = try await read(client, "a") }
        let client = try client(try RecordingTransport(replaying: file))
        let error = await #expect(throws: RecordingError.self) { try await read(client, "b") }
        #expect(
            error?.description == "GET https://example.com/b is not recorded; "
                + "recorded exchanges: GET https://example.com/a")
    }

    @Test func recordsNoCredentials() async throws {
        try await record { client in
            var client = client
            client.defaultHeaders = [
                .authorization: "Bearer canary", .cookie: "a=canary", .accept: "text/plain",
            ]
            try client.defaultHeaders.set("canary", for: "X-Unusual-Key")
            let path = "a?page=2&access_token=canary&API_KEY=canary"
            #expect(try await read(client, path) == "response 0 to GET")
        }
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(!text.contains("canary"))
        #expect(text.contains("text/plain"))
        #expect(text.contains("a?page=2&access_token=redacted&API_KEY=redacted"))
        // A request with another token matches.
        let client = try client(try RecordingTransport(replaying: file))
        let path = "a?page=2&access_token=other&API_KEY=another"
        #expect(try await read(client, path) == "response 0 to GET")
    }

    @Test func transformsBodies() async throws {
        var redaction = RecordingRedaction.default
        redaction.transformBody = { _ in Array("hidden".utf8) }
        let stub = StubTransport { .json(#"{"password": "canary"}"#, to: $0) }
        let recording = try client(
            RecordingTransport(recording: stub, to: file, redaction: redaction))
        #expect(try await read(recording, "a") == #"{"password": "canary"}"#)
        #expect(try !String(contentsOf: file, encoding: .utf8).contains("canary"))
        let client = try client(try RecordingTransport(replaying: file, redaction: redaction))
        #expect(try await read(client, "a") == "hidden")
    }

    @Test func doesNotRecordFailedExchanges() async throws {
        let plan = FaultInjectingTransport.Plan.inOrder([.reset(at: .receivingBody), nil])
        let stub = StubTransport { .json("[1, 2, 3]", to: $0) }
        let recording = RecordingTransport(
            recording: FaultInjectingTransport(stub, plan: plan), to: file)
        let client = try client(recording)
        await #expect(throws: TransportError.self) { try await read(client, "a") }
        #expect(recording.exchanges.isEmpty)
        _ = try await read(client, "a")
        #expect(recording.exchanges.map(\.body) == [Array("[1, 2, 3]".utf8)])
    }

    @Test(arguments: [
        ("", "is not JSON"), ("[]", "is not a recording of version 1"),
        (#"{"version": 2, "exchanges": []}"#, "is not a recording of version 1"),
        (#"{"version": 1, "exchanges": [{"request": {}}]}"#, "exchange 1 of the recording"),
    ])
    func reportsInvalidFile(text: String, expected: String) throws {
        try Data(text.utf8).write(to: file)
        let error = #expect(throws: RecordingError.self) {
            try RecordingTransport(replaying: file)
        }
        #expect(error?.description.contains(expected) == true)
        #expect(error?.description.contains(file.path) == true)
    }

    @Test func reportsMissingFile() {
        let error = #expect(throws: RecordingError.self) {
            try RecordingTransport(replaying: file)
        }
        #expect(error?.description == "there is no recording \(file.path); record one first")
    }
}
