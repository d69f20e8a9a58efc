// SPDX-License-Identifier: Apache-2.0

#if Macros
import Foundation
import RestCurl
import RestDocument
import RestNetworking
import RestTesting
import RestTransport
import Testing

/// The replayed servers of one recording, and managers for them.
struct GitHubSession {
    /// The servers by recorded origin.
    let servers: [String: LoopbackServer]

    /// The owner of all recorded repositories.
    let owner = Resources.Account(login: "octokit-fixture-org")

    /// The instant of all recorded dates.
    let recordedAt = Date(timeIntervalSince1970: 1_507_651_200)

    /// Returns the Authorization field of a recorded user.
    static func authorization(ofUser number: Int) -> String {
        "token " + String(repeating: "0", count: 39) + "\(number)"
    }

    /// Returns a manager of the first user that sends JSON.
    func manager(for host: String = "api.github.com") throws -> ObjectManager {
        let server = try #require(servers["https://\(host)"])
        var client = try HTTPClient(baseURL: server.baseURL, transport: CurlTransport())
        let token = Self.authorization(ofUser: 1).split(separator: " ")
        client.credential = BearerToken(String(token[1]), scheme: String(token[0]))
        let api = try ObjectManager(client: client, requestFormat: .json)
        api.setAccept("application/vnd.github.v3+json")
        try api.add(
            Route(Resources.Repository.self, "repos/:owner.login/:name"),
            Route(
                relationship: "issues", of: Resources.Repository.self,
                "repos/:owner.login/:name/issues"),
            Route(
                relationship: "labels", of: Resources.Repository.self,
                "repos/:owner.login/:name/labels"))
        return api
    }

    /// Returns a repository of the owner, known by its name only.
    func repository(_ name: String) -> Resources.Repository {
        Resources.Repository(name: name, owner: owner)
    }

    /// Runs the body with the path of a file with the given text.
    func withFile<Value>(
        _ text: String, _ body: (String) async throws -> Value
    ) async throws -> Value {
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent(UUID().uuidString).path
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        defer { try? FileManager.default.removeItem(atPath: file) }
        return try await body(file)
    }
}
#endif
