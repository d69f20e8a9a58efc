// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestTransport

extension HTTPTransportConformance {
    /// Checks of final, interim, bodiless and invalid status codes.
    public var statuses: [Check] {
        [200, 203, 204, 205, 304, 404, 500, 599, 999].map { status in
            Check("delivers status \(status)", of: self) { harness in
                try await Self.deliver(harness, status)
            }
        }
            + [100, 102, 103, 199].map { status in
                Check("skips interim status \(status)", of: self) { harness in
                    try await Self.skipInterim(harness, status)
                }
            }
            + ["204 No Content", "304 Not Modified"].map { status in
                Check("never reads a body of \(status) as the next response", of: self) { harness in
                    try await Self.discardBody(harness, status)
                }
            }
            + ["000", "0", "99", "1000", "20", "-20", "2x0", ""].map { status in
                Check("rejects status code `\(status)`", of: self) { harness in
                    try await Self.reject(harness, status)
                }
            }
            + [
                Check("rejects 101 Switching Protocols", of: self) { harness in
                    try await Self.reject(
                        harness, "101", "Connection: upgrade\r\nUpgrade: echo\r\n")
                }
            ]
    }

    private static func deliver(_ harness: ConformanceHarness, _ status: Int) async throws {
        try await harness.run { connection in
            connection.readRequest()
            connection.send("HTTP/1.1 \(status) Status\r\nContent-Length: 0\r\n\r\n")
            connection.waitUntilClosed()
        } body: { client, _ in
            let response = try await client.send(try client.request(at: "a"))
            try require(response.status.code, is: status, "status")
            try require(try await response.collect(), is: [], "body")
        }
    }

    private static func skipInterim(_ harness: ConformanceHarness, _ status: Int) async throws {
        try await harness.run { connection in
            connection.readRequest()
            for _ in 0..<3 {
                connection.send("HTTP/1.1 \(status) Status\r\nX-Interim: 1\r\n\r\n")
            }
            connection.send("HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nok")
            connection.waitUntilClosed()
        } body: { client, _ in
            let response = try await client.send(try client.request(at: "a"))
            try require(response.status.code, is: 201, "status")
            let names = response.headerFields.map(\.name.canonicalName)
            try require(!names.contains("x-interim"), "a field of the interim response was kept")
            try require(try await response.collect(), is: Array("ok".utf8), "body")
        }
    }

    private static func discardBody(_ harness: ConformanceHarness, _ status: String) async throws {
        try await harness.run { connection in
            while let request = connection.readRequestText() {
                if request.hasPrefix("GET /first ") {
                    // In one write: bytes after the next request would be its valid response.
                    connection.send(
                        "HTTP/1.1 \(status)\r\nContent-Length: 44\r\n\r\n"
                            + "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison")
                } else {
                    connection.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nmine")
                }
            }
        } body: { client, _ in
            let response = try await client.send(try client.request(at: "first"))
            try require(response.status.code, is: Int(status.prefix(3)) ?? 0, "status")
            try require(try await response.collect(), is: [], "body")
            for _ in 0..<3 {
                let text = try? await client.readText("next")
                try require(text == nil || text == "mine", "the body was read as a response")
            }
            try require(try await client.readText("next"), is: "mine", "body")
        }
    }

    private static func reject(
        _ harness: ConformanceHarness, _ status: String,
        _ fields: String = "Content-Length: 2\r\n"
    ) async throws {
        try await harness.run { connection in
            connection.readRequest()
            connection.send("HTTP/1.1 \(status) Status\r\n\(fields)\r\nok")
            connection.waitUntilClosed()
        } body: { client, _ in
            _ = try await harness.error(
                [.malformedResponse, .connectionLost], at: [.receivingHeader]
            ) { _ = try await client.read("a") }
        }
    }
}
