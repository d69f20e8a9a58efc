// SPDX-License-Identifier: Apache-2.0

#if Macros
import Testing

/// A recorded use of the GitHub API: the calls that send its requests, and checks of their results.
struct RecordedScenario: Sendable, CustomTestStringConvertible {
    /// The name of the recording without its extension.
    let name: String

    /// The origins that a redirect leads to, which receive no credentials.
    ///
    /// The recorded client sent its credentials there too.
    var redirectedOrigins: Set<String> = []

    /// Sends the requests and checks the values of the responses.
    let run: @Sendable (GitHubSession) async throws -> Void

    init(
        _ name: String, redirectedOrigins: Set<String> = [],
        run: @escaping @Sendable (GitHubSession) async throws -> Void
    ) {
        self.name = name
        self.redirectedOrigins = redirectedOrigins
        self.run = run
    }

    var testDescription: String { name }

    static let all: [RecordedScenario] = [
        root, repository, content, search, pages, archive, markdown, labels, labelsOfIssue, lock,
        file, statuses, collaborator, assets, conflictingAsset,
    ]
}
#endif
