// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

/// nginx on the loopback interface, with HTTP/2 and HTTP/1.1 over TLS.
///
/// Answers `/` with the protocol and the number of the connection, `/large` with 4 MiB of zeros, and
/// redirects `/moved` to `/`.
final class HTTP2Server: Sendable {
    /// The location of the nginx executable, or `nil` if nginx is not installed.
    static let command: URL? = {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        // Debian and Homebrew install it outside of a user's usual path.
        return
            (path.split(separator: ":").map(String.init)
            + ["/usr/sbin", "/usr/local/sbin", "/opt/homebrew/bin"])
            .map { URL(fileURLWithPath: $0).appendingPathComponent("nginx") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }()

    /// The server's base URL, which ends with a slash.
    let baseURL: String

    private let process: Process
    private let directory: URL

    private init(_ authority: TestAuthority) async throws {
        directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("restkit-http2-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        try Data(count: 4 << 20).write(to: directory.appendingPathComponent("large"))
        let ready = directory.appendingPathComponent("ready").path
        let configuration = directory.appendingPathComponent("nginx.conf")
        process = Process()
        process.executableURL = Self.command
        process.arguments = ["-p", directory.path, "-c", configuration.path, "-e", "stderr"]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        // nginx cannot choose a free port. It writes its process ID once it listens.
        let port = Int.random(in: 20_000..<30_000)
        baseURL = "https://127.0.0.1:\(port)/"
        try Data(Self.configuration(port, directory.path, ready, authority).utf8)
            .write(to: configuration)
        try process.run()
        while process.isRunning, !FileManager.default.fileExists(atPath: ready) {
            try await Task.sleep(for: .milliseconds(5))
        }
        guard process.isRunning else {
            throw TestAuthority.Failure(description: "nginx does not start on port \(port)")
        }
    }

    /// Runs a server for the duration of a closure.
    static func run<Value>(
        _ authority: TestAuthority, body: (HTTP2Server) async throws -> Value
    ) async throws -> Value {
        let server = try await HTTP2Server(authority)
        defer {
            // SIGKILL, as the child inherits the signal mask of the thread that started it, which may
            // block any other signal.
            kill(server.process.processIdentifier, SIGKILL)
            server.process.waitUntilExit()
            try? FileManager.default.removeItem(at: server.directory)
        }
        return try await body(server)
    }

    private static func configuration(
        _ port: Int, _ directory: String, _ ready: String, _ authority: TestAuthority
    ) -> String {
        """
        daemon off;
        master_process off;
        worker_processes 1;
        pid "\(ready)";
        error_log stderr crit;
        events { worker_connections 256; }
        http {
            access_log off;
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
                location = /large { root "\(directory)"; }
                location = /moved { return 302 /; }
            }
        }
        """
    }
}
