// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import RestMapping
import RestNetworking
import RestTesting
import TestSupport
import Testing

/// The recorded traffic of a public API, page by page, into plain types.
@Suite(.tags(.socket), .enabled(if: SharedFiles.isAvailable, "shared corpus not found"))
struct RecordedPagesTests {
    @Test func walksAllPagesOfAnIssueList() async throws {
        let recording = "recorded/github/paginate-issues.json"
        try await ReplayServer.run(recording) { server in
            let api = try manager(at: server.baseURL)
            var pages: [[GitHub.Issue]] = []
            for try await page in api.pages(
                of: GitHub.Issue.self, at: "repos/octokit-fixture-org/paginate-issues/issues",
                parameters: ["per_page": 3], by: .linkHeader)
            {
                #expect(page.report.issueCount == 0)
                pages.append(page.objects)
            }
            #expect(pages.map(\.count) == [3, 3, 3, 3, 1])
            let issues = pages.flatMap(\.self)
            #expect(issues.map(\.number) == Array((1...13).reversed()))
            #expect(issues.map(\.id) == Array(1000...1012))
            #expect(issues.allSatisfy { $0.title == "Test issue \($0.number)" })
            #expect(issues.allSatisfy { $0.user.login == "octokit-fixture-user-a" })
            #expect(issues.allSatisfy { $0.closedAt == nil && !$0.isLocked && $0.labels.isEmpty })
            let created = try Date("2017-10-10T16:00:00Z", strategy: .iso8601)
            #expect(issues.allSatisfy { $0.createdAt == created })
            #expect(server.requests.count == 5)
        }
    }
}
