// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import RestTesting
import RestTransport
import TestSupport
import Testing

@Suite(.tags(.socket), .serialized) struct DownloadTests {
    private let folder: TemporaryFolder
    private let path: String
    private let bytes = sampleBytes(3 << 20)

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path + "/export.csv"
    }

    private var files: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }
    }

    private func content() throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    /// Calls a closure with a client of the server.
    private func run(
        _ server: RangeServer, over adapter: Adapter = .curl,
        body: (HTTPClient) async throws -> Void
    ) async throws {
        try await LoopbackSocketServer.run {
            server.serve($0)
        } body: { socket in
            try await adapter.run(socket.baseURL, body: body)
        }
    }

    private func file(_ outcome: DownloadOutcome) throws -> DownloadedFile {
        guard case .file(let file) = outcome else {
            throw TransportError(.closed, stage: .preparing, reason: "the download was declined")
        }
        return file
    }

    @Test(arguments: Adapter.allCases)
    func writesCompleteFile(adapter: Adapter) async throws {
        let server = RangeServer(bytes)
        try await run(server, over: adapter) { client in
            var request = try client.request(at: "export")
            let (observer, reports) = ProgressObserver.stream(interval: .zero)
            request.progress = observer
            let file = try file(try await client.download(request, to: path))
            #expect(file.path == path)
            #expect(file.byteCount == bytes.count)
            #expect(file.resumedByteCount == 0)
            #expect(file.head.status == .ok)
            #expect(file.url == request.url)
            #expect(try content() == bytes)
            #expect(try files == ["export.csv"])
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            let last = await reports.reduce(nil) { _, report in report }
            #expect(last?.receivedByteCount == bytes.count)
            #expect(server.heads.first?.contains("accept-encoding: identity\r\n") == true)
        }
    }

    @Test(arguments: Adapter.allCases)
    func resumesAfterLostConnection(adapter: Adapter) async throws {
        let server = RangeServer(
            bytes, plans: [.init(byteCount: 1 << 20), .init(byteCount: 1 << 19)])
        try await run(server, over: adapter) { client in
            let file = try file(
                try await client.download(client.request(at: "export"), to: path, retrying: .quick))
            #expect(file.head.status == .partialContent)
            #expect(file.byteCount == bytes.count)
        }
        #expect(try content() == bytes)
        #expect(server.heads.count == 3)
        #expect(server.ranges.first == .some(nil))
        #expect(server.ranges.dropFirst().allSatisfy { $0?.hasPrefix("bytes=") == true })
        #expect(server.heads.dropFirst().allSatisfy { $0.contains("if-range: \"1\"\r\n") })
        #expect(try files == ["export.csv"])
    }

    @Test func resumesInLaterCall() async throws {
        let server = RangeServer(bytes, plans: [.init(byteCount: 1 << 20)])
        try await run(server) { client in
            let request = try client.request(at: "export")
            await #expect(throws: TransportError.self) {
                try await client.download(request, to: path, retrying: .once)
            }
            #expect(try files == ["export.csv.download", "export.csv.download-state"])
            let file = try file(try await client.download(request, to: path))
            #expect(file.resumedByteCount > 0)
            #expect(file.resumedByteCount <= 1 << 20)
            #expect(server.ranges == [nil, "bytes=\(file.resumedByteCount)-"])
        }
        #expect(try content() == bytes)
        #expect(try files == ["export.csv"])
    }

    @Test func resumesOnlyConfirmedBytes() async throws {
        let server = RangeServer(bytes, plans: [.init(byteCount: 1 << 20)])
        try await run(server) { client in
            let request = try client.request(at: "export")
            await #expect(throws: TransportError.self) {
                try await client.download(request, to: path, retrying: .once)
            }
            // Bytes after the confirmed ones, as after a crash.
            let partial = try #require(FileHandle(forWritingAtPath: path + ".download"))
            try partial.seekToEnd()
            try partial.write(contentsOf: Data(repeating: 0, count: 5_000))
            try partial.close()
            _ = try file(try await client.download(request, to: path))
        }
        #expect(try content() == bytes)
    }

    @Test(arguments: ["", "restkit-download 1\n0\n99999999\n-\n\"1\"\n", "\u{0}"])
    func startsAgainWithoutUsableState(state: String) async throws {
        try Data(bytes[..<1000]).write(to: URL(fileURLWithPath: path + ".download"))
        try Data(state.utf8).write(to: URL(fileURLWithPath: path + ".download-state"))
        let server = RangeServer(bytes)
        try await run(server) { client in
            let file = try file(try await client.download(client.request(at: "export"), to: path))
            #expect(file.resumedByteCount == 0)
        }
        #expect(server.ranges == [nil])
        #expect(try content() == bytes)
    }

    @Test func startsAgainForOtherRequest() async throws {
        let server = RangeServer(
            bytes, plans: [.init(byteCount: 1 << 20), .init(byteCount: 1 << 20)])
        try await run(server) { client in
            var request = try client.request(at: "export")
            await #expect(throws: TransportError.self) {
                try await client.download(request, to: path, retrying: .once)
            }
            let other = try client.request(at: "export?page=2")
            await #expect(throws: TransportError.self) {
                try await client.download(other, to: path, retrying: .once)
            }
            request = other
            request.principal = Principal("ann")
            _ = try file(try await client.download(request, to: path))
        }
        #expect(server.ranges == [nil, nil, nil])
        #expect(try content() == bytes)
    }

    @Test func startsAgainWhenRepresentationChanged() async throws {
        let server = RangeServer(bytes, plans: [.init(byteCount: 1 << 20)])
        let changed = Array(bytes.reversed())
        try await run(server) { client in
            let request = try client.request(at: "export")
            await #expect(throws: TransportError.self) {
                try await client.download(request, to: path, retrying: .once)
            }
            server.replace(changed, validators: "ETag: \"2\"\r\n")
            let file = try file(try await client.download(request, to: path))
            #expect(file.resumedByteCount == 0)
        }
        #expect(try content() == changed)
    }

    @Test(arguments: [
        "HTTP/1.1 206 Partial Content\r\nETag: \"2\"\r\nContent-Range: bytes 1-1/9\r\n",
        "HTTP/1.1 206 Partial Content\r\nETag: \"1\"\r\nContent-Range: bytes 0-0/3145728\r\n",
        "HTTP/1.1 206 Partial Content\r\nETag: \"1\"\r\n",
        "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 1000-1000/3145728\r\n",
        "HTTP/1.1 416 Range Not Satisfiable\r\nContent-Range: bytes */1\r\n",
    ])
    func neverAppendsOtherBytes(head: String) async throws {
        let server = RangeServer(bytes, plans: [.init(byteCount: 1000)])
        try await run(server) { client in
            let request = try client.request(at: "export")
            await #expect(throws: TransportError.self) {
                try await client.download(request, to: path, retrying: .once)
            }
            server.plan([.init(response: "\(head)Content-Length: 1\r\n\r\nx")])
            _ = try file(try await client.download(request, to: path))
        }
        #expect(try content() == bytes)
        #expect(server.ranges == [nil, "bytes=1000-", nil])
    }

    @Test func finishesFileThatWasNotRenamed() async throws {
        let server = RangeServer(bytes, plans: [.init(byteCount: 1 << 20)])
        try await run(server) { client in
            let request = try client.request(at: "export")
            await #expect(throws: TransportError.self) {
                try await client.download(request, to: path, retrying: .once)
            }
            // The rest arrived, but the process ended before the file was renamed.
            try Data(bytes).write(to: URL(fileURLWithPath: path + ".download"))
            let state = try String(contentsOfFile: path + ".download-state", encoding: .utf8)
            var lines = state.components(separatedBy: "\n")
            lines[2] = String(bytes.count)
            try Data(lines.joined(separator: "\n").utf8).write(
                to: URL(fileURLWithPath: path + ".download-state"))
            let file = try file(try await client.download(request, to: path))
            #expect(file.resumedByteCount == bytes.count)
        }
        #expect(try content() == bytes)
        #expect(server.ranges == [nil, "bytes=\(bytes.count)-"])
    }

    @Test(arguments: [
        "", "ETag: W/\"1\"\r\n", "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\n",
        "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\nDate: Sun, 06 Nov 1994 08:49:38 GMT\r\n",
    ])
    func removesFileWithoutStrongValidator(validators: String) async throws {
        let server = RangeServer(
            bytes, validators: validators, plans: [.init(byteCount: 1 << 20)])
        try await run(server) { client in
            await #expect(throws: TransportError.self) {
                try await client.download(client.request(at: "export"), to: path, retrying: .quick)
            }
        }
        #expect(server.heads.count == 1)
        #expect(try files == [])
    }

    @Test func resumesByModificationDate() async throws {
        let server = RangeServer(
            bytes,
            validators: "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
                + "Date: Sun, 06 Nov 1994 09:49:37 GMT\r\n",
            plans: [.init(byteCount: 1 << 20)])
        try await run(server) { client in
            _ = try file(
                try await client.download(client.request(at: "export"), to: path, retrying: .quick))
        }
        #expect(server.heads.last?.contains("if-range: sun, 06 nov 1994 08:49:37 gmt") == true)
        #expect(try content() == bytes)
    }

    @Test func keepsPartAfterCancellation() async throws {
        try await LoopbackSocketServer.run { connection in
            guard connection.readHead() != nil else { return }
            connection.send("HTTP/1.1 200 OK\r\nETag: \"1\"\r\nContent-Length: 2000\r\n\r\n")
            connection.send(sampleBytes(1000))
            _ = connection.readHead()
        } body: { server in
            try await Adapter.curl.run(server.baseURL) { client in
                var request = try client.request(at: "export")
                let (observer, reports) = ProgressObserver.stream(interval: .zero)
                request.progress = observer
                let path = path
                let task = Task { [request] in try await client.download(request, to: path) }
                for await report in reports where report.receivedByteCount == 1000 { break }
                task.cancel()
                await #expect(throws: CancellationError.self) { try await task.value }
            }
        }
        let part = try Data(contentsOf: URL(fileURLWithPath: path + ".download"))
        #expect([UInt8](part) == sampleBytes(1000))
        #expect(try files.contains("export.csv.download-state"))
    }

    @Test func declinesOtherStatus() async throws {
        let server = RangeServer(
            bytes,
            plans: [.init(response: "HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\nnone")])
        try await run(server) { client in
            let outcome = try await client.download(client.request(at: "export"), to: path)
            guard case .declined(let response) = outcome else {
                Issue.record("the status is not one of success")
                return
            }
            #expect(response.status == .notFound)
            #expect(try await response.body.collect() == Array("none".utf8))
        }
        #expect(try files == [])
    }

    @Test func givesUpWithoutProgress() async throws {
        let server = RangeServer(
            bytes,
            plans: [.init(byteCount: 1000)]
                + Array(
                    repeating: .init(byteCount: 0), count: 10))
        try await run(server) { client in
            await #expect(throws: TransportError.self) {
                try await client.download(client.request(at: "export"), to: path, retrying: .quick)
            }
        }
        #expect(server.heads.count == 4)
    }

    @Test func refusesSecondWriter() async throws {
        try await LoopbackSocketServer.run { connection in
            guard connection.readHead() != nil else { return }
            connection.send("HTTP/1.1 200 OK\r\nETag: \"1\"\r\nContent-Length: 2000\r\n\r\n")
            connection.send(sampleBytes(1000))
            _ = connection.readHead()
        } body: { server in
            try await Adapter.curl.run(server.baseURL) { client in
                var request = try client.request(at: "export")
                let (observer, reports) = ProgressObserver.stream(interval: .zero)
                request.progress = observer
                let path = path
                let task = Task { [request] in try await client.download(request, to: path) }
                for await report in reports where report.receivedByteCount == 1000 { break }
                let error = await #expect(throws: TransportError.self) {
                    try await client.download(client.request(at: "export"), to: path)
                }
                #expect(error?.code == .fileUnavailable)
                #expect(error?.reason == "another download writes to this file")
                task.cancel()
                _ = await task.result
            }
        }
    }

    @Test func namesReasonForUnwritableFile() async throws {
        let server = RangeServer(bytes)
        try await run(server) { client in
            let request = try client.request(at: "export")
            let missing = await #expect(throws: TransportError.self) {
                try await client.download(request, to: folder.path + "/missing/export.csv")
            }
            #expect(missing?.code == .fileUnavailable)
            #expect(missing?.reason == "the directory of the file does not exist")
            let zero = await #expect(throws: TransportError.self) {
                try await client.download(request, to: folder.path + "/a\u{0}b")
            }
            #expect(zero?.code == .fileUnavailable)
            let isDirectory = await #expect(throws: TransportError.self) {
                try await client.download(request, to: folder.path)
            }
            #expect(isDirectory?.code == .fileUnavailable)
        }
    }

    /// A link to a device stands for the device, so that a failing test does not replace one.
    @Test(arguments: [
        ("directory", "the path is that of a directory"),
        ("link to directory", "the path is that of a directory"),
        (
            "link to device",
            "the path is that of a device, a pipe or a socket, which is not replaced"
        ),
        ("pipe", "the path is that of a device, a pipe or a socket, which is not replaced"),
    ])
    func refusesPathOfOtherThanFile(kind: String, reason: String) async throws {
        let manager = FileManager.default
        switch kind {
        case "directory":
            try manager.createDirectory(atPath: path, withIntermediateDirectories: false)
        case "link to directory":
            try manager.createSymbolicLink(atPath: path, withDestinationPath: "/")
        case "link to device":
            try manager.createSymbolicLink(atPath: path, withDestinationPath: "/dev/null")
        default:
            #expect(unsafe mkfifo(path, 0o600) == 0)
        }
        let server = RangeServer(bytes)
        try await run(server) { client in
            let error = await #expect(throws: TransportError.self) {
                try await client.download(client.request(at: "export"), to: path)
            }
            #expect(error?.code == .fileUnavailable)
            #expect(error?.reason == reason)
        }
        #expect(server.heads.isEmpty)
        #expect(try files == ["export.csv"])
    }

    @Test func replacesFileBehindLink() async throws {
        try FileManager.default.createSymbolicLink(
            atPath: path, withDestinationPath: "other.csv")
        let server = RangeServer(bytes)
        try await run(server) { client in
            _ = try file(try await client.download(client.request(at: "export"), to: path))
        }
        #expect(try content() == bytes)
        #expect(try files == ["export.csv"])
    }

    @Test(arguments: ["", "ETag: \"1\"\r\n"])
    func leavesNothingWithoutByte(validators: String) async throws {
        let server = RangeServer(
            bytes, validators: validators,
            plans: Array(repeating: .init(byteCount: 0), count: 10))
        try await run(server) { client in
            let request = try client.request(at: "export")
            await #expect(throws: TransportError.self) {
                try await client.download(request, to: path, retrying: .quick)
            }
            #expect(try files == [])
        }
        try await LoopbackSocketServer.runRefusing { baseURL in
            try await Adapter.curl.run(baseURL) { client in
                let request = try client.request(at: "export")
                await #expect(throws: TransportError.self) {
                    try await client.download(request, to: path, retrying: .quick)
                }
            }
        }
        #expect(try files == [])
    }

    /// A request that fails before it receives anything does not touch what another one has received.
    @Test func keepsPartOfOtherRequestAfterFailure() async throws {
        let server = RangeServer(bytes, plans: [.init(byteCount: 1 << 20)])
        try await run(server) { client in
            await #expect(throws: TransportError.self) {
                try await client.download(
                    client.request(at: "export"), to: path, retrying: .once)
            }
        }
        _ = try await LoopbackSocketServer.runRefusing { baseURL in
            try await Adapter.curl.run(baseURL) { client in
                await #expect(throws: TransportError.self) {
                    try await client.download(
                        client.request(at: "other"), to: path, retrying: .once)
                }
            }
        }
        #expect(try files == ["export.csv.download", "export.csv.download-state"])
    }

    @Test func refusesRequestThatIsNotPlainGet() async throws {
        let server = RangeServer(bytes)
        try await run(server) { client in
            for (method, fields) in [
                (HTTPRequest.Method.post, HTTPFields()), (.get, [.range: "bytes=0-1"]),
                (.get, [.ifRange: "\"1\""]),
            ] as [(HTTPRequest.Method, HTTPFields)] {
                let error = await #expect(throws: TransportError.self) {
                    try await client.download(
                        client.request(method, at: "export", headerFields: fields), to: path)
                }
                #expect(error?.code == .invalidRequest)
            }
        }
        #expect(server.heads.isEmpty)
    }
}

extension RetryPolicy {
    /// A policy with short delays that gives up after three attempts without progress.
    fileprivate static var quick: RetryPolicy {
        var policy = RetryPolicy()
        policy.baseDelay = .milliseconds(1)
        policy.attemptCount = 3
        return policy
    }

    /// A policy without further attempts.
    fileprivate static var once: RetryPolicy {
        var policy = RetryPolicy()
        policy.attemptCount = 1
        return policy
    }
}
