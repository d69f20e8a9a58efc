// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit

/// A relay between lines of JSON and HTTP: each line is a request, its result a line.
struct Relay: Sendable {
    private struct Failure: Encodable {
        var error: String
    }

    private let client: HTTPClient

    /// Creates a relay with an empty cache.
    ///
    /// - Parameters:
    ///   - client: The client that sends the requests, which have absolute URLs.
    ///   - followsRedirects: The default for lines without a `redirect` member.
    init(client: HTTPClient, followsRedirects: Bool) {
        var client = client
        client.redirects.followsRedirects = followsRedirects
        client.cache = HTTPCache(returnsGatewayTimeout: true)
        self.client = client
    }

    /// Returns the result of one line; an invalid line results in an error object.
    ///
    /// - Parameter line: A JSON object.
    /// - Returns: A JSON object without line breaks.
    func result(of line: String) async -> String {
        do {
            return try encoded(await response(to: line))
        } catch {
            let failure = try? encoded(Failure(error: Self.reason(of: error)))
            return failure ?? #"{"error":"unexpected"}"#
        }
    }

    private func response(to line: String) async throws -> RelayResponse {
        let request = try JSONDecoder().decode(RelayRequest.self, from: Data(line.utf8))
        var client = client
        if let redirect = request.redirect {
            client.redirects.followsRedirects = redirect == .follow
        }
        let response = try await client.send(request.transportRequest())
        return RelayResponse(response, body: try await response.collect(), form: request.headers)
    }

    private func encoded(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    /// Returns a description of an error without values of the input line.
    private static func reason(of error: any Error) -> String {
        guard let error = error as? DecodingError else { return "\(error)" }
        let context: DecodingError.Context
        switch error {
        case .keyNotFound(let key, _): return "invalidLine: \(key.stringValue) is missing"
        case .typeMismatch(_, let found), .valueNotFound(_, let found), .dataCorrupted(let found):
            context = found
        @unknown default: return "invalidLine"
        }
        guard let member = context.codingPath.first?.stringValue else {
            return "invalidLine: not a JSON object"
        }
        return "invalidLine: \(member) has an invalid value"
    }
}
