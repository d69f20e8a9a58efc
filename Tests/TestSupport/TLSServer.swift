// SPDX-License-Identifier: Apache-2.0

import Foundation

/// An `openssl s_server` on the loopback interface.
package final class TLSServer: Sendable {
    /// The port, which the system chose.
    package let port: Int
    private let process: Process
    private let input = Pipe()
    private let output = Pipe()

    /// Returns the server's URL with a host name and a trailing slash.
    package func baseURL(_ host: String = "127.0.0.1") -> String { "https://\(host):\(port)/" }

    private init(_ options: [String], in directory: URL) throws {
        let process = Process()
        process.currentDirectoryURL = directory
        process.executableURL = try InstalledCommand.location(of: "openssl")
        process.arguments = ["s_server", "-accept", "127.0.0.1:0"] + options
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.standardInput = input
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

    /// Runs the body with a server that responds to every GET with a status page.
    package static func run<Value>(
        _ authority: TestAuthority, _ certificate: TestAuthority.Certificate,
        options: [String] = [], body: (TLSServer) async throws -> Value
    ) async throws -> Value {
        try await run(authority, certificate, with: ["-www"] + options, body: body)
    }

    /// Runs the body with a server that responds to a GET of `/response` with a text, header included,
    /// and ends the connection with a `close_notify` alert.
    package static func run<Value>(
        _ authority: TestAuthority, response: String, options: [String] = [],
        body: (TLSServer) async throws -> Value
    ) async throws -> Value {
        let file = authority.directory.appendingPathComponent("response")
        try Data(response.utf8).write(to: file)
        return try await run(authority, .good, with: ["-HTTP"] + options, body: body)
    }

    /// Runs the body with a server that sends what ``send(_:)`` passes to it to its only client.
    package static func runInteractive<Value>(
        _ authority: TestAuthority, options: [String] = [],
        body: (TLSServer) async throws -> Value
    ) async throws -> Value {
        try await run(authority, .good, with: options, body: body)
    }

    private static func run<Value>(
        _ authority: TestAuthority, _ certificate: TestAuthority.Certificate,
        with options: [String], body: (TLSServer) async throws -> Value
    ) async throws -> Value {
        let server = try TLSServer(
            [
                "-cert", authority.certificate(certificate), "-key", authority.key(certificate),
            ] + options, in: authority.directory)
        defer { server.process.killAndWait() }
        return try await body(server)
    }

    // MARK: Interactive servers

    /// Waits until the client has sent the header of a request.
    ///
    /// - Throws: ``TestAuthority/Failure`` if the server has ended.
    package func waitForRequest() throws {
        var text = ""
        while !text.contains("\r\n\r\n") {
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else {
                throw TestAuthority.Failure(description: "openssl s_server ended: \(text)")
            }
            text += String(decoding: data, as: UTF8.self)
        }
    }

    /// Sends text to the client, in one record; openssl waits for the client.
    ///
    /// - Parameter text: The text, which does not begin with a letter that is a command of openssl.
    /// - Throws: `CocoaError` if the server has ended.
    package func send(_ text: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
    }

    /// Closes the connection without a `close_notify` alert.
    package func closeWithoutNotice() {
        process.killAndWait()
    }
}
