// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestTransport
import TestSupport
import Testing

// Serialized: each case runs servers and clients of its own, and all at once starve each other.
@Suite(.tags(.socket), .serialized) struct LimitTests {
    private static let ok = "HTTP/1.1 200 OK\r\n"

    /// Answers each request with what its path asks for.
    private static let script: LoopbackSocketServer.Script = { connection in
        while let request = connection.readRequestText() {
            let words = request.split(separator: " ")[1].split(separator: "/")
            guard words.count == 2, let count = Int(words[1]) else { return }
            switch words[0] {
            case "sized":
                connection.send("\(ok)Content-Length: \(count)\r\n\r\n")
                connection.send(Array(repeating: 65, count: count))
            case "chunked":
                connection.send("\(ok)Transfer-Encoding: chunked\r\n\r\n")
                connection.send("\(String(count, radix: 16))\r\n")
                connection.send(Array(repeating: 65, count: count))
                connection.send("\r\n0\r\n\r\n")
            case "endless":
                connection.send("\(ok)Transfer-Encoding: chunked\r\n\r\n")
                let chunk = Array("4000\r\n".utf8) + Array(repeating: 65, count: 0x4000) + [13, 10]
                while connection.send(chunk) {}
                return
            case "fields":
                let fields = (1..<count).map { "X-\($0): v\r\n" }.joined()
                connection.send("\(ok)Content-Length: 0\r\n\(fields)\r\n")
            case "line":
                // Status line, length, this field and the empty line: `count` bytes in all.
                let rest = "\(ok)Content-Length: 0\r\nX: \r\n\r\n".utf8.count
                let value = String(repeating: "v", count: count - rest)
                connection.send("\(ok)Content-Length: 0\r\nX: \(value)\r\n\r\n")
            case "interim":
                while connection.send("HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n") {}
                return
            default:
                return
            }
        }
    }

    private func status(
        _ path: String, over adapter: Adapter, _ change: (inout TransportLimits) -> Void
    ) async throws -> Result<Int, TransportError> {
        var limits = TransportLimits.short
        change(&limits)
        return try await LoopbackSocketServer.run(Self.script) { server in
            try await adapter.run(server.baseURL, limits: limits) { client in
                do {
                    return .success(try await client.read(path).count)
                } catch let error as TransportError {
                    return .failure(error)
                }
            }
        }
    }

    @Test(arguments: Adapter.allCases, ["sized", "chunked"])
    func countsTheBody(adapter: Adapter, kind: String) async throws {
        for limit in [1, 1000, 1 << 20] {
            let within = try await status("\(kind)/\(limit)", over: adapter) {
                $0.bodyByteCount = limit
            }
            #expect(try within.get() == limit)
            for excess in [limit + 1, limit * 10] {
                let past = try await status("\(kind)/\(excess)", over: adapter) {
                    $0.bodyByteCount = limit
                }
                guard case .failure(let error) = past else {
                    Issue.record("\(excess) bytes taken")
                    return
                }
                #expect(error.code == .bodyTooLarge)
                #expect(error.stage == .receivingBody)
                #expect(error.reason.contains("\(limit)"))
            }
        }
    }

    @Test(arguments: Adapter.allCases)
    func endsAnEndlessBody(adapter: Adapter) async throws {
        let result = try await status("endless/1", over: adapter) { $0.bodyByteCount = 4 << 20 }
        guard case .failure(let error) = result else {
            Issue.record("an endless body ended")
            return
        }
        #expect(error.code == .bodyTooLarge)
    }

    @Test(arguments: Adapter.allCases)
    func countsHeaderFields(adapter: Adapter) async throws {
        #expect(try await status("fields/256", over: adapter) { _ in }.get() == 0)
        let counts = adapter == .curl ? [257, 25_600] : [257, 2560]
        for count in counts {
            let result = try await status("fields/\(count)", over: adapter) { _ in }
            guard case .failure(let error) = result else {
                Issue.record("\(count) fields taken")
                return
            }
            #expect(error.code == .headerTooLarge)
            #expect(error.stage == .receivingHeader)
        }
    }

    @Test func countsHeaderBytes() async throws {
        #expect(try await status("line/65536", over: .curl) { _ in }.get() == 0)
        for count in [65_537, 2 << 20] {
            let result = try await status("line/\(count)", over: .curl) { _ in }
            guard case .failure(let error) = result else {
                Issue.record("\(count) bytes taken")
                return
            }
            #expect(error.code == .headerTooLarge)
            #expect(error.stage == .receivingHeader)
        }
        let interim = try await status("interim/1", over: .curl) { _ in }
        guard case .failure(let error) = interim else {
            Issue.record("endless interim responses ended")
            return
        }
        #expect(error.code == .headerTooLarge)
    }

    @Test(arguments: Adapter.allCases)
    func refusesAHugeHeaderLine(adapter: Adapter) async throws {
        let result = try await status("line/\(2 << 20)", over: adapter) { _ in }
        guard case .failure = result else {
            Issue.record("2 MiB taken")
            return
        }
    }

    @Test(.threat("T12"), arguments: Adapter.allCases)
    func stopsCompressedBombs(adapter: Adapter) async throws {
        let bomb = Gzip.zeros(megabytes: 150)
        #expect(bomb.count < 250_000)
        try await LoopbackServer.run { request in
            LoopbackResponse(
                headers: [("Content-Encoding", request.path == "/nested" ? "gzip, gzip" : "gzip")],
                body: bomb)
        } body: { server in
            try await adapter.run(server.baseURL) { client in
                var client = client
                // The ratio ends it long before the limit on the body, which is larger than it.
                client.limits.bodyByteCount = 1 << 30
                let ratio = await transportError { _ = try await client.read("bomb") }
                #expect(ratio?.code == .bodyTooLarge)
                #expect(ratio?.reason.contains("100 times") == true)
                client.limits.decompressionRatio = .max
                client.limits.bodyByteCount = 64 << 20
                let size = await transportError { _ = try await client.read("bomb") }
                #expect(size?.code == .bodyTooLarge)
                #expect(size?.reason.contains("\(64 << 20)") == true)
                let nested = await transportError { _ = try await client.read("nested") }
                #expect(nested?.code == .malformedResponse)
            }
        }
    }

    @Test(arguments: Adapter.allCases)
    func refusesConflictingLengths(adapter: Adapter) async throws {
        try await LoopbackSocketServer.run { connection in
            connection.readRequest()
            connection.send(
                "\(Self.ok)Content-Length: 5\r\nContent-Length: 4\r\n\r\nhello")
        } body: { server in
            try await adapter.run(server.baseURL) { client in
                let error = await transportError { _ = try await client.read("a") }
                #expect(error?.code == .malformedResponse)
            }
        }
    }
}
