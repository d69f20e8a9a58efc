// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import RestKit
import RestTesting
import TestSupport
import Testing

@testable import RestCommands

/// Tests of the sources of the token of `rest http`, and of its absence from all output.
@Suite struct TokenTests {
    private static let canary = "canary-7Zq"

    /// Calls a closure with a temporary file that contains a text.
    private func withFile<Value>(
        _ text: String, _ body: (String) async throws -> Value
    ) async throws -> Value {
        let url = FileManager.default.temporaryDirectory.appending(
            path: "token-\(UUID().uuidString)")
        try Data(text.utf8).write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        return try await body(url.path)
    }

    private func authorization(
        _ arguments: [String], _ environment: [String: String] = [:], at url: String
    ) throws -> String? {
        let client = try TokenOptions.parse(arguments).client(environment: environment)
        var request = TransportRequest(method: .get, url: try HTTPURL(parsing: url))
        guard request.url.origin == client.baseURL.origin else { return nil }
        try client.credential?.authorize(&request)
        return request.headerFields[.authorization]
    }

    @Test(.threat("T29")) func readsTokenFromFileOrEnvironment() async throws {
        let origin = ["--token-origin", "https://api.example"]
        let variable = [TokenOptions.variable: "other"]
        try await withFile(" \(Self.canary)\r\n") { path in
            let arguments = origin + ["--token-file", path]
            let url = "https://api.example/a"
            let fromFile = try authorization(arguments, at: url)
            #expect(fromFile == "Bearer \(Self.canary)")
            // The file has precedence over the environment.
            let fromBoth = try authorization(arguments, variable, at: url)
            #expect(fromBoth == "Bearer \(Self.canary)")
            let elsewhere = try authorization(arguments, at: "https://other.example/a")
            #expect(elsewhere == nil)
        }
        #expect(try authorization(origin, variable, at: "https://api.example/") == "Bearer other")
        #expect(try authorization([], variable, at: "https://api.example/") == nil)
    }

    @Test(
        .threat("T29"),
        arguments: [
            ["--token", canary], ["--token=\(canary)"],
            ["--token-origin", "https://api.example", "--token", canary],
        ])
    func isNoArgument(arguments: [String]) {
        let error = #expect(throws: (any Error).self) {
            _ = try HTTPCommand.parse(arguments)
        }
        guard let error else { return }
        let message = HTTPCommand.fullMessage(for: error)
        #expect(message.contains("REST_TOKEN") && message.contains("--token-file"))
        #expect(!message.contains(Self.canary))
        #expect(HTTPCommand.exitCode(for: error).rawValue == 64)
        #expect(!HTTPCommand.helpMessage().contains("--token <"))
    }

    @Test(arguments: [
        ["--token-file", "a"], ["--token-origin", "ftp://api.example"],
        ["--token-origin", "https://user:canary-7Zq@api.example"], ["--token-origin", ""],
    ])
    func hasToHaveAnOrigin(arguments: [String]) {
        let error = #expect(throws: (any Error).self) { _ = try HTTPCommand.parse(arguments) }
        if let error { #expect(!HTTPCommand.fullMessage(for: error).contains(Self.canary)) }
    }

    @Test(arguments: ["", "\n", "a b\(canary)", "\(canary)\n\(canary)", "\(canary)é"])
    func hasToBeOneLineOfVisibleCharacters(text: String) async throws {
        try await withFile(text) { path in
            let options = try TokenOptions.parse([
                "--token-origin", "http://localhost", "--token-file", path,
            ])
            let error = #expect(throws: ToolError.self) { _ = try options.client(environment: [:]) }
            #expect(error?.code == .unusableToken)
            #expect(error?.description.contains(Self.canary) == false)
        }
        let options = try TokenOptions.parse(["--token-origin", "http://localhost"])
        #expect(throws: ToolError.self) { _ = try options.client(environment: [:]) }
        let variable = [TokenOptions.variable: text]
        #expect(throws: ToolError.self) { _ = try options.client(environment: variable) }
        let missing = try TokenOptions.parse([
            "--token-origin", "http://localhost", "--token-file", "/nowhere/token",
        ])
        #expect(throws: ToolError.self) { _ = try missing.client(environment: variable) }
    }

    #if os(Linux)
    /// The path of the program, if it was built beside the tests.
    private static let program: URL? = {
        let tests = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        let program = tests.deletingLastPathComponent().appendingPathComponent("rest")
        return FileManager.default.isExecutableFile(atPath: program.path) ? program : nil
    }()

    @Test(
        .threat("T29"), .tags(.socket), .enabled(if: program != nil, "the program is not built"),
        arguments: [true, false])
    func showsInNoListOfProcesses(isInFile: Bool) async throws {
        let answer: @Sendable (LoopbackRequest) async -> LoopbackResponse = { _ in
            .json(#"{"is": "there"}"#)
        }
        try await LoopbackServer.run(answer) { server in
            try await withFile(Self.canary) { path in
                let process = Process()
                process.executableURL = Self.program
                process.arguments =
                    ["http", "--token-origin", server.baseURL]
                    + (isInFile ? ["--token-file", path] : [])
                process.environment = isInFile ? [:] : [TokenOptions.variable: Self.canary]
                let (input, output, diagnostics) = (Pipe(), Pipe(), Pipe())
                process.standardInput = input
                process.standardOutput = output
                process.standardError = diagnostics
                try process.run()
                defer { process.waitUntilExit() }
                var said = ""
                // The second line is for another origin without a server.
                for line in [
                    #"{"url":"\#(server.baseURL)a"}"#, #"{"url":"http://127.0.0.2:1/"}"#,
                    #"{"url":"\#(server.baseURL)b","method":"secret method"}"#,
                ] {
                    try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8))
                    said += String(
                        decoding: output.fileHandleForReading.availableData, as: UTF8.self)
                    // The program is running and has sent the token.
                    let id = process.processIdentifier
                    let arguments = try Data(
                        contentsOf: URL(fileURLWithPath: "/proc/\(id)/cmdline"))
                    #expect(String(decoding: arguments, as: UTF8.self).contains("--token-origin"))
                    #expect(!String(decoding: arguments, as: UTF8.self).contains(Self.canary))
                    // No child process exists that could have received the token.
                    let tasks = try FileManager.default.contentsOfDirectory(
                        atPath: "/proc/\(id)/task")
                    for task in tasks {
                        let children = try? String(
                            contentsOfFile: "/proc/\(id)/task/\(task)/children", encoding: .utf8)
                        #expect(children ?? "" == "")
                    }
                }
                try input.fileHandleForWriting.close()
                said += String(
                    decoding: try diagnostics.fileHandleForReading.readToEnd() ?? Data(),
                    as: UTF8.self)
                #expect(said.contains(#"\"is\": \"there\""#))
                #expect(!said.contains(Self.canary))
            }
            #expect(
                server.requests.map { $0.headers["authorization"] } == ["Bearer \(Self.canary)"])
        }
    }
    #endif
}
