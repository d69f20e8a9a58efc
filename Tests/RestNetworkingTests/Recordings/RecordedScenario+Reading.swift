// SPDX-License-Identifier: Apache-2.0

#if Macros
import Foundation
import HTTPTypes
import RestDocument
import RestMapping
import RestNetworking
import RestTransport
import Testing

extension RecordedScenario {
    /// A dictionary of addresses.
    static let root = RecordedScenario("get-root") { session in
        let addresses: [String: String] = try await session.manager().get("/")
        #expect(addresses.count == 33)
        #expect(addresses["user_url"] == "https://api.github.com/users/{user}")
    }

    /// One object, by the route of its type.
    static let repository = RecordedScenario("get-repository") { session in
        let repository = try await session.manager().get(session.repository("hello-world"))
        #expect(repository.id == 1000)
        #expect(repository.fullName == "octokit-fixture-org/hello-world")
        #expect(repository.owner == Resources.Account(login: "octokit-fixture-org", id: 1000))
        #expect(repository.defaultBranch == "master")
        #expect(repository.topics == ["fixtures", "hello", "hello-world"])
        #expect(repository.pushedAt == session.recordedAt)
        #expect(repository.license == nil)
    }

    /// A list of one object, and text of another media type.
    static let content = RecordedScenario("get-content") { session in
        let api = try session.manager()
        api.configure {
            $0.formats.register(
                TextFormat(), for: "application/vnd.github.v3.raw", isAccepted: false)
        }
        let path = "repos/octokit-fixture-org/hello-world/contents/"
        let files = try await api.getObjects(Resources.Content.self, at: path)
        #expect(files.map(\.path) == ["README.md"])
        #expect(files.map(\.size) == [13])
        let text: String = try await api.get(path + "README.md") { request in
            request.headerFields[.accept] = "application/vnd.github.v3.raw"
        }
        #expect(text == "# hello-world")
    }

    /// Two types at two key paths of one response.
    static let search = RecordedScenario("search-issues") { session in
        let api = try session.manager()
        try api.add(
            ResponseDescriptor(Resources.SearchSummary.self, at: "search/:kind"),
            ResponseDescriptor(Resources.Issue.self, at: "search/issues", keyPath: "items"))
        let found = try await api.getObjects(
            at: "search/issues",
            parameters: ["q": "sesame repo:octokit-fixture-org/search-issues"])
        let summary = try #require(found.objects(of: Resources.SearchSummary.self).first)
        #expect(summary.totalCount == 2)
        #expect(!summary.isIncomplete)
        let issues = found.objects(of: Resources.Issue.self)
        #expect(
            issues.map(\.title) == ["Sesame seeds split without a pop!", "The doors don’t open"])
        #expect(issues.first?.body?.hasSuffix("but there was no pop 😭") == true)
        #expect(issues.map(\.user.login) == ["octokit-fixture-user-b", "octokit-fixture-user-a"])
    }

    /// Pages by the Link header, which leads to another path.
    static let pages = RecordedScenario("paginate-issues") { session in
        let api = try session.manager()
        var counts: [Int] = []
        var numbers: [Int] = []
        let pages = api.pages(
            of: Resources.Issue.self, at: "repos/octokit-fixture-org/paginate-issues/issues",
            parameters: ["per_page": 3], by: .linkHeader)
        for try await page in pages {
            counts.append(page.objects.count)
            numbers += page.objects.map(\.number)
            #expect(page.report.issueCount == 0)
        }
        #expect(counts == [3, 3, 3, 3, 1])
        #expect(numbers == Array((1...13).reversed()))
    }

    /// A file that another origin sends.
    static let archive = RecordedScenario(
        "get-archive", redirectedOrigins: ["https://codeload.github.com"]
    ) { session in
        let api = try session.manager()
        try await session.withFile("") { file in
            let archive = try await api.download(
                "repos/octokit-fixture-org/get-archive/tarball/main", to: file
            ) { $0.headerFields[.accept] = "application/vnd.github.v3+json" }
            let bytes = try Array(Data(contentsOf: URL(fileURLWithPath: file)))
            #expect(archive.byteCount == 176)
            #expect(bytes.count == 176)
            #expect(bytes.starts(with: [0x1F, 0x8B, 0x08]))
            #expect(
                archive.url.path == "/octokit-fixture-org/get-archive/legacy.tar.gz/refs/heads/main"
            )
        }
    }
}
#endif
