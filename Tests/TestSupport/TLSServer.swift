// SPDX-License-Identifier: Apache-2.0

import Foundation

/// `openssl s_server` on the loopback interface, answering every GET with a page of its own.
package final class TLSServer: Sendable {
    /// The port, chosen by the system.
    package let port: Int
    private let process: Process

    /// The server's address under a name, with a slash at its end.
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
        // The line that names the port comes once the socket listens.
        var said = ""
        while !said.contains("ACCEPT") || !said.hasSuffix("\n") {
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else {
                throw TestAuthority.Failure(description: "openssl s_server ended: \(said)")
            }
            said += String(decoding: data, as: UTF8.self)
        }
        let line = said.split(separator: "\n").first { $0.hasPrefix("ACCEPT") } ?? ""
        port = Int(line.split(separator: ":").last ?? "") ?? 0
        self.process = process
    }

    /// Runs a server while the body runs.
    package static func run<Value>(
        _ authority: TestAuthority, _ certificate: TestAuthority.Certificate,
        options: [String] = [], body: (TLSServer) async throws -> Value
    ) async throws -> Value {
        let server = try TLSServer(
            [
                "-cert", authority.certificate(certificate), "-key", authority.key(certificate),
            ] + options)
        defer {
            // A signal that can be blocked would be: the child inherits the mask of the thread that
            // started it.
            kill(server.process.processIdentifier, SIGKILL)
            server.process.waitUntilExit()
        }
        return try await body(server)
    }
}
