// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestTesting
import TestSupport
import Testing

/// Faulty responses, after which the store is unchanged and the error has the location.
@Suite(.tags(.socket)) struct ResponseImportTests {
    private static let issue =
        #"{"id":1,"number":2,"title":"changed","state":"x","created_at":"2021-01-01","user":null}"#
    private static let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"

    struct Case: CustomTestStringConvertible {
        let testDescription: String
        let code: NetworkingError.Code
        var transportCode: TransportError.Code?
        var path: DocumentPath?
        let script: LoopbackSocketServer.Script

        init(
            _ name: String, _ code: NetworkingError.Code, transport: TransportError.Code? = nil,
            path: DocumentPath? = nil, _ script: @escaping LoopbackSocketServer.Script
        ) {
            testDescription = name
            self.code = code
            transportCode = transport
            self.path = path
            self.script = script
        }

        /// Creates a case with a complete response.
        init(
            _ name: String, _ code: NetworkingError.Code, transport: TransportError.Code? = nil,
            path: DocumentPath? = nil, status: String = "200 OK",
            type: String = "application/json", body: String
        ) {
            self.init(name, code, transport: transport, path: path) { connection in
                connection.readRequest()
                connection.send(
                    "HTTP/1.1 \(status)\r\nContent-Type: \(type)\r\n"
                        + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
            }
        }
    }

    static let cases: [Case] = [
        Case("malformed", .malformedBody, path: "[1]", body: "[\(issue),{]"),
        Case(
            "truncated document", .malformedBody, path: "[1].title", body: #"[\#(issue),{"title":"#),
        Case("too deep", .malformedBody, body: String(repeating: "[", count: 100_000)),
        Case(
            "oversized", .transportFailed, transport: .bodyTooLarge,
            body: "[\(issue)]" + String(repeating: " ", count: 20_000)),
        Case("wrong content type", .unexpectedContentType, type: "text/html", body: "[\(issue)]"),
        Case("server error", .unexpectedStatus, status: "503 Unavailable", body: "[\(issue)]"),
        Case("not found", .unexpectedStatus, status: "404 Not Found", body: "[\(issue)]"),
        Case(
            "an object that cannot be built", .mappingFailed, path: "[1]",
            body: #"[\#(issue),"no object"]"#),
        Case("cut body", .transportFailed, transport: .incompleteBody) { connection in
            connection.readRequest()
            connection.send(head + "Content-Length: 1000\r\n\r\n[\(issue),")
        },
        Case("closed at once", .transportFailed, transport: .connectionLost) { connection in
            connection.readRequest()
        },
        Case("silent", .transportFailed, transport: .timedOut) { connection in
            connection.readRequest()
            connection.send(head + "Content-Length: 1000\r\n\r\n[\(issue),")
            connection.waitUntilClosed()
        },
    ]

    @Test(arguments: cases) func storeIsUnchanged(after fault: Case) async throws {
        let temporary = try await TemporaryStore()
        try await temporary.store.perform { context in
            let user = try context.insert(User.self)
            user.id = 5
            user.login = "ann"
            let issue = try context.insert(Issue.self)
            issue.id = 1
            issue.number = 1
            issue.title = "before"
            issue.state = "open"
            issue.createdAt = Date(timeIntervalSince1970: 0)
            issue.user = user
            try context.save()
        }
        let before = try content(temporary)
        var limits = TransportLimits()
        limits.bodyByteCount = 10_000
        limits.idleTimeout = .milliseconds(300)
        if fault.testDescription == "too deep" { limits.bodyByteCount = 1_000_000 }
        let error = try await LoopbackSocketServer.run(fault.script) { [limits] server in
            let api = try manager(at: server.baseURL, limits: limits)
            let error = await #expect(throws: NetworkingError.self) {
                try await api.getObjects(
                    Issue.self, at: "issues", parameters: ["token": "s3cret"],
                    into: temporary.store)
            }
            #expect(error?.url == server.baseURL + "issues?…")
            return error
        }
        #expect(error?.code == fault.code)
        #expect(error?.method == "GET")
        #expect((error?.underlying as? TransportError)?.code == fault.transportCode)
        if let path = fault.path { #expect(error?.path == path) }
        #expect(error?.description.contains("s3cret") == false)
        #expect(try content(temporary) == before)
    }

    private func content(_ temporary: TemporaryStore) throws -> [String] {
        try temporary.rows("SELECT * FROM Issue") + temporary.rows("SELECT * FROM User")
            + temporary.rows("SELECT * FROM restkit_store")
    }
}
