// SPDX-License-Identifier: Apache-2.0

#if Macros
import RestTesting
import TestSupport
import Testing

/// Recorded GitHub traffic, sent again by the calls of a manager.
@Suite(.tags(.socket), .enabled(if: SharedFiles.isAvailable, "shared corpus not found"))
struct RecordedTrafficTests {
    /// Sends exactly the recorded requests, and maps the recorded responses.
    @Test(arguments: RecordedScenario.all) func replays(scenario: RecordedScenario) async throws {
        let recording = "recorded/github/\(scenario.name).json"
        let exchanges = try ReplayedExchange.read(SharedFiles.data(recording))
        #expect(!exchanges.isEmpty)
        try await ReplayServer.runAll(recording) { servers in
            try await scenario.run(GitHubSession(servers: servers))
            for (origin, server) in servers {
                let isRedirected = scenario.redirectedOrigins.contains(origin)
                let recorded = exchanges.filter { $0.origin == origin }.map {
                    RecordedRequest($0, without: isRedirected ? ["authorization"] : [])
                }
                #expect(server.requests.map { RecordedRequest($0) } == recorded)
            }
        }
    }

    @Test func replaysEveryRecording() throws {
        let recordings = try SharedFiles.files(in: "recorded/github", suffix: ".json")
        let names = RecordedScenario.all.map { "recorded/github/\($0.name).json" }
        #expect(names.sorted() == recordings)
    }
}
#endif
