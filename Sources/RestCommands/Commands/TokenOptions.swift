// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import RestKit

/// The source of a command's token and the origin that receives it.
///
/// Arguments are no source: every user of a machine can read the arguments of every process.
struct TokenOptions: ParsableArguments {
    /// The name of the environment variable.
    static let variable = "REST_TOKEN"

    private static let longestByteCount = 64 << 10

    @Option(
        help: ArgumentHelp(
            "Send the token of --token-file, or else of the variable REST_TOKEN, to this origin.",
            valueName: "url"))
    var tokenOrigin: String?

    @Option(help: ArgumentHelp("A file with the token as its only line.", valueName: "path"))
    var tokenFile: String?

    /// An option that is declared in order to be refused with an explanation.
    @Option(help: .private)
    var token: String?

    func validate() throws {
        if token != nil {
            throw ValidationError(
                "A token must not be an argument, which every user of this machine can read; put it "
                    + "into a file for --token-file, or into the variable \(Self.variable).")
        }
        if tokenFile != nil, tokenOrigin == nil {
            throw ValidationError(
                "--token-file requires --token-origin, the origin that receives the token.")
        }
        if tokenOrigin != nil { _ = try origin() }
    }

    /// Creates a client that sends the token to its origin and to no other.
    ///
    /// - Parameter environment: The environment of the process.
    /// - Returns: The client; without a token if `--token-origin` is absent.
    /// - Throws: ``ToolError``; its description does not contain the token.
    func client(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> HTTPClient {
        guard tokenOrigin != nil else {
            // Requests have absolute URLs; the base URL is not used otherwise.
            return try HTTPClient(baseURL: "http://localhost/")
        }
        var client = try HTTPClient(baseURL: origin().text)
        let token = BearerToken(try readToken(environment))
        var probe = try client.request(at: "")
        do {
            try token.authorize(&probe)
        } catch {
            throw ToolError(
                .unusableToken,
                "the token is empty or contains characters that are not visible ASCII")
        }
        client.credential = token
        return client
    }

    private func origin() throws -> HTTPURL {
        do {
            return try HTTPURL(parsing: tokenOrigin ?? "")
        } catch {
            // The value is not shown, as it may contain a password.
            throw ValidationError("--token-origin is not an http or https URL.")
        }
    }

    private func readToken(_ environment: [String: String]) throws -> String {
        guard let tokenFile else {
            guard let token = environment[Self.variable] else {
                throw ToolError(
                    .unusableToken, "no token for --token-origin",
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
                .fileFailed, "cannot read the token file", advice: "check its permissions",
                underlying: error)
        }
    }
}
