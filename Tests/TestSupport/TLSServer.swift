// SPDX-License-Identifier: Apache-2.0

import Foundation

/// An `openssl s_server` on the loopback interface, which responds to every GET with a status page.
package final class TLSServer: Sendable {
    /// The port, which the system chose.
    package let port: Int
    private let process: Process

    /// Returns the server's URL with a host name and a trailing slash.
    package func baseURL(_ host: String = "127.0.0.1") -> String { "https://\(host):\(port)/" }

    private init(_ options: [String]) throws {
        let process = Process()
        process.executableURL = TestAuthority.command
        process.arguments = ["s_server", "-accept", "127.0.0.1:0", "-www"] + options
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        // The line with the port follows once the socket listens.
        var text = ""
        while !text.contains("ACCEPT") || !text.hasSuffix("\n") {
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else {
                throw TestAuthority.Failure(description: "openssl s_server ended: \(text)")
            }
            text += String(decoding: data, as: UTF8.self)
        }
        let line = text.split(separator: "\n").first { $0.hasPrefix("ACCEPT") } ?? ""
        port = Int(line.split(separator: ":").last ?? "") ?? 0
        self.process = process
    }

    /// Runs the body with a server.
    package static func run<Value>(
        _ authority: TestAuthority, _ certificate: TestAuthority.Certificate,
        options: [String] = [], body: (TLSServer) async throws -> Value
    ) async throws -> Value {
        let server = try TLSServer(
            [
                "-cert", authority.certificate(certificate), "-key", authority.key(certificate),
            ] + options)
        defer {
            // The child inherits the signal mask of the thread that started it, which may block other
            // signals.
            kill(server.process.processIdentifier, SIGKILL)
            server.process.waitUntilExit()
        }
        return try await body(server)
    }
}
