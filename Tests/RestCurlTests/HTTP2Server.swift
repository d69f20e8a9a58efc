// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestTesting
import TestSupport

/// An HTTP/2 server of another project on the loopback interface, over TLS.
///
/// Both implementations answer `/k/n` with `k` header fields of about 1000 bytes and a body of `n`
/// zeros.
final class HTTP2Server: Sendable {
    /// An implementation of HTTP/2.
    enum Implementation: String, CaseIterable {
        /// nginx, which sends files. It also answers `/` with the protocol and the number of the
        /// connection, redirects `/moved` to `/`, and responds to `/early` with 204 before it has read the
        /// body of the request.
        case nginx

        /// The proxy of nghttp2, before a server that also stalls: `/header` is not answered,
        /// `/body` has an incomplete body, and that of `/slow` arrives slowly.
        case nghttpx
    }

    /// The server's base URL, which ends with a slash.
    let baseURL: String

    private let process: Process

    private init(baseURL: String, process: Process) {
        self.baseURL = baseURL
        self.process = process
    }

    /// Runs a server for the duration of a closure.
    static func run<Value>(
        _ implementation: Implementation, _ authority: TestAuthority,
        body: (HTTP2Server) async throws -> Value
    ) async throws -> Value {
        switch implementation {
        case .nginx:
            let directory = FileManager.default.temporaryDirectory
                .appendingPathComponent("restkit-http2-\(UUID().uuidString)", isDirectory: true)
            defer { try? FileManager.default.removeItem(at: directory) }
            return try await run(
                with: { try await startNginx(authority, in: directory, port: $0) }, body: body)
        case .nghttpx:
            return try await LoopbackSocketServer.run(script) { backend in
                try await run(
                    with: { try startNghttpx(authority, before: backend.port, port: $0) },
                    body: body)
            }
        }
    }

    /// Starts a server on a free port and ends it after the closure.
    ///
    /// Neither server can choose a port, so a random one is tried.
    private static func run<Value>(
        with start: (_ port: Int) async throws -> Process,
        body: (HTTP2Server) async throws -> Value
    ) async throws -> Value {
        for _ in 0..<5 {
            let port = Int.random(in: 20_000..<30_000)
            let process = try await start(port)
            guard process.isRunning else { continue }
            defer { process.killAndWait() }
            return try await body(
                HTTP2Server(baseURL: "https://127.0.0.1:\(port)/", process: process))
        }
        throw TestAuthority.Failure(description: "the HTTP/2 server does not start")
    }

    // MARK: nghttpx

    /// Returns the proxy once it listens or has ended.
    private static func startNghttpx(
        _ authority: TestAuthority, before backend: Int, port: Int
    ) throws -> Process {
        let process = Process()
        process.executableURL = try InstalledCommand.location(of: "nghttpx")
        process.arguments = [
            "--conf=/dev/null", "--single-process", "--workers=1", "--no-ocsp",
            "--frontend=127.0.0.1,\(port)", "--backend=127.0.0.1,\(backend)",
            authority.key(.good), authority.certificate(.good),
        ]
        let log = Pipe()
        process.standardError = log
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        var text = ""
        while !text.contains("Listening on") {
            let data = log.fileHandleForReading.availableData
            if data.isEmpty {
                process.waitUntilExit()
                break
            }
            text += String(decoding: data, as: UTF8.self)
        }
        return process
    }

    private static let script: LoopbackSocketServer.Script = { connection in
        let ok = "HTTP/1.1 200 OK\r\n"
        while let request = connection.readRequestText() {
            let path = request.split(separator: " ")[1].dropFirst()
            switch path {
            case "header":
                connection.waitUntilClosed()
            case "body":
                connection.send("\(ok)Content-Length: 10\r\n\r\nshort")
                connection.waitUntilClosed()
            case "slow":
                connection.send("\(ok)Content-Length: 20\r\n\r\n")
                for _ in 0..<20 {
                    guard connection.pause(0.1), connection.send("x") else { return }
                }
            default:
                let numbers = path.split(separator: "/").compactMap { Int($0) }
                guard numbers.count == 2 else { return }
                let fields = (0..<numbers[0]).map { "X-\($0): \(padding)\r\n" }.joined()
                let head = "\(ok)Content-Length: \(numbers[1])\r\n\(fields)\r\n"
                connection.send(Array(head.utf8) + Array(repeating: 0, count: numbers[1]))
            }
        }
    }

    private static let padding = String(repeating: "v", count: 1000)

    // MARK: nginx

    /// The numbers of header fields and the lengths of bodies for which nginx is configured.
    static let headerFieldCounts = 0...20
    static let bodyByteCounts = 14_000...18_000
    static let otherBodyByteCounts = [100, 300, 4 << 20]

    /// Returns nginx once it listens or has ended.
    private static func startNginx(
        _ authority: TestAuthority, in directory: URL, port: Int
    ) async throws -> Process {
        let bodies = directory.appendingPathComponent("bodies", isDirectory: true)
        try FileManager.default.createDirectory(at: bodies, withIntermediateDirectories: true)
        for byteCount in bodyByteCounts + otherBodyByteCounts {
            // Without content: the file system stores only the length.
            let file = bodies.appendingPathComponent("\(byteCount)")
            try Data().write(to: file)
            let handle = try FileHandle(forWritingTo: file)
            try handle.truncate(atOffset: UInt64(byteCount))
            try handle.close()
        }
        // nginx writes its process ID once it listens.
        let ready = directory.appendingPathComponent("ready").path
        let file = directory.appendingPathComponent("nginx.conf")
        try Data(configuration(port, directory.path, bodies.path, ready, authority).utf8)
            .write(to: file)
        let process = Process()
        process.executableURL = try InstalledCommand.location(of: "nginx")
        process.arguments = ["-p", directory.path, "-c", file.path, "-e", "stderr"]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        while process.isRunning, !FileManager.default.fileExists(atPath: ready) {
            try await Task.sleep(for: .milliseconds(5))
        }
        return process
    }

    private static func configuration(
        _ port: Int, _ directory: String, _ bodies: String, _ ready: String,
        _ authority: TestAuthority
    ) -> String {
        let locations = headerFieldCounts.map { count in
            let fields = (0..<count).map { "add_header X-\($0) \(padding);" }.joined(separator: " ")
            return "location /\(count)/ { alias \(bodies)/; \(fields) }"
        }
        return """
            daemon off;
            master_process off;
            worker_processes 1;
            pid "\(ready)";
            error_log stderr crit;
            events { worker_connections 256; }
            http {
                access_log off;
                keepalive_requests 100000;
                client_body_temp_path "\(directory)/body";
                proxy_temp_path "\(directory)/proxy";
                fastcgi_temp_path "\(directory)/fastcgi";
                uwsgi_temp_path "\(directory)/uwsgi";
                scgi_temp_path "\(directory)/scgi";
                server {
                    listen 127.0.0.1:\(port) ssl http2;
                    ssl_certificate "\(authority.certificate(.good))";
                    ssl_certificate_key "\(authority.key(.good))";
                    location = / { return 200 "$server_protocol $connection"; }
                    location = /moved { return 302 /; }
                    location = /early { return 204; }
                    \(locations.joined(separator: "\n        "))
                }
            }
            """
    }
}
