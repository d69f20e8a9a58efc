// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import RestKit

/// Where a command has its token from, and who gets to see it.
///
/// Never from the arguments: every user of a machine can read those of every process.
struct TokenOptions: ParsableArguments {
    /// The variable of the environment.
    static let variable = "REST_TOKEN"

    private static let longestByteCount = 64 << 10

    @Option(
        help: ArgumentHelp(
            "Send the token of --token-file, or else of the variable REST_TOKEN, to this origin.",
            valueName: "url"))
    var tokenOrigin: String?

    @Option(help: ArgumentHelp("A file with the token as its only line.", valueName: "path"))
    var tokenFile: String?

    /// There to be refused.
    @Option(help: .private)
    var token: String?

    func validate() throws {
        if token != nil {
            throw ValidationError(
                "A token is no argument, as every user of this machine could read it: put it into "
                    + "a file for --token-file, or into the variable \(Self.variable).")
        }
        if tokenFile != nil, tokenOrigin == nil {
            throw ValidationError("--token-file needs --token-origin, or nobody gets the token.")
        }
        if tokenOrigin != nil { _ = try origin() }
    }

    /// A client whose requests to the origin, and to no other, carry the token.
    ///
    /// - Parameter environment: That of the process.
    /// - Returns: The client.
    /// - Throws: ``ToolError``, which does not hold the token.
    func client(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> HTTPClient {
        guard tokenOrigin != nil else {
            // Requests name their address; the base is for nothing else.
            return try HTTPClient(baseURL: "http://localhost/")
        }
        var client = try HTTPClient(baseURL: origin().text)
        let token = BearerToken(try readToken(environment))
        var probe = try client.request(at: "")
        do {
            try token.authorize(&probe)
        } catch {
            throw ToolError(
                .unusableToken, "the token is empty or not one line of visible characters")
        }
        client.credential = token
        return client
    }

    private func origin() throws -> HTTPURL {
        do {
            return try HTTPURL(parsing: tokenOrigin ?? "")
        } catch {
            // What is wrong may be a password in it, so it is not shown.
            throw ValidationError("--token-origin is not an http or https address.")
        }
    }

    private func readToken(_ environment: [String: String]) throws -> String {
        guard let tokenFile else {
            guard let token = environment[Self.variable] else {
                throw ToolError(
                    .unusableToken, "there is no token for --token-origin",
                    advice: "set \(Self.variable) or use --token-file")
            }
            return token
        }
        do {
            let file = try FileHandle(forReadingFrom: URL(filePath: tokenFile))
            let data = try file.read(upToCount: Self.longestByteCount) ?? Data()
            return String(decoding: data, as: UTF8.self)
                .trimmingCharacters(in: .whitespacesAndNewlines)
        } catch {
            throw ToolError(
                .fileFailed, "cannot read the file of the token", advice: "check its permissions",
                underlying: error)
        }
    }
}
