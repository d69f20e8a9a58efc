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
    /// Text as a response, and as a request.
    static let markdown = RecordedScenario("markdown") { session in
        let api = try session.manager()
        api.configure { $0.formats.register(TextFormat(), for: "text/html", "text/plain") }
        api.setAccept("text/html")
        let rendered: String = try await api.post(
            "markdown",
            parameters: [
                "text": "### Hello\n\nb597b5d", "context": "octokit-fixture-org/hello-world",
                "mode": "gfm",
            ])
        #expect(rendered.hasPrefix("<h3 dir=\"auto\">Hello</h3>\n<p dir=\"auto\">"))
        #expect(rendered.hasSuffix("<tt>b597b5d</tt></a></p>"))

        try api.setRequestFormat("text/plain")
        let raw: String = try await api.post("### Hello\n\nb597b5d", at: "markdown/raw")
        #expect(raw.hasPrefix("<h3>\n<a id=\"user-content-hello\""))
        #expect(raw.hasSuffix("</h3>\n<p>b597b5d</p>\n"))
    }

    /// A resource that is listed, created, read, changed and deleted.
    static let labels = RecordedScenario("labels") { session in
        let api = try session.manager()
        try api.add(
            RequestDescriptor(
                RequestMapping(for: Resources.Label.self, ["name": "name", "color": "color"]),
                methods: .post),
            RequestDescriptor(
                RequestMapping(for: Resources.Label.self, ["name": "new_name", "color": "color"]),
                methods: .patch))
        let repository = session.repository("labels")
        let all = try await api.getObjects(
            Resources.Label.self, at: .relationship("labels", of: repository))
        #expect(all.map(\.id) == Array(1000...1008))
        #expect(
            all.first == Resources.Label(name: "bug", color: "d73a4a", id: 1000, isDefault: true))

        let made = try await api.send(
            ObjectRequest<Resources.Label>(
                .post, at: .relationship("labels", of: repository),
                object: RequestObject(Resources.Label(name: "test-label", color: "663399"))))
        #expect(made.head.status == .created)
        #expect(made.value == Resources.Label(name: "test-label", color: "663399", id: 1009))

        let path = "repos/octokit-fixture-org/labels/labels/"
        let read: Resources.Label = try await api.get(path + "test-label")
        #expect(read == made.value)
        let changed: Resources.Label = try await api.patch(
            read.with {
                $0.name = "test-label-updated"
                $0.color = "BADA55"
            }, at: path + "test-label")
        #expect(changed == Resources.Label(name: "test-label-updated", color: "BADA55", id: 1009))
        try await api.delete(path + changed.name)
    }

    /// An object that is created by a draft, and parameters that contain a list.
    static let labelsOfIssue = RecordedScenario("add-labels-to-issue") { session in
        let api = try session.manager()
        let issue: Resources.Issue = try await api.post(
            Resources.IssueDraft(title: "Issue without a label"),
            at: "repos/octokit-fixture-org/add-labels-to-issue/issues")
        #expect(issue.number == 1)
        #expect(issue.title == "Issue without a label")
        #expect(issue.labels.isEmpty)
        #expect(issue.createdAt == session.recordedAt)
        let names = ["Foo", "bAr", "baZ"]
        let labels: [Resources.Label] = try await api.post(
            "repos/octokit-fixture-org/add-labels-to-issue/issues/\(issue.number)/labels",
            parameters: ["labels": names])
        #expect(labels.map(\.name) == names)
        #expect(labels.allSatisfy { $0.color == "ededed" && !$0.isDefault })
    }

    /// A relationship without a representation, set and unset.
    static let lock = RecordedScenario("lock-issue") { session in
        let api = try session.manager()
        try api.add(
            Route(
                relationship: "lock", of: Resources.Repository.self,
                "repos/:owner.login/:name/issues/1/lock"))
        let repository = session.repository("lock-issue")
        for method in [.put, .delete] as [HTTPRequest.Method] {
            let response = try await api.send(
                ObjectRequest<Void>(method, at: .relationship("lock", of: repository)))
            #expect(response.head.status == .noContent)
        }
    }

    /// An object that encodes itself.
    static let file = RecordedScenario("create-file") { session in
        let made: Resources.FileCommit = try await session.manager().put(
            Resources.FileDraft(message: "create test.txt", content: Data("Test content".utf8)),
            at: "repos/octokit-fixture-org/create-file/contents/test.txt")
        #expect(made.content.path == "test.txt")
        #expect(made.content.size == 12)
        #expect(made.content.sha == "3f3f005b29247e51a4f4d6b8ce07b67646cd6074")
        #expect(made.commit.message == "create test.txt")
        #expect(made.commit.author.name == "octokit-fixture-user-a")
        #expect(made.commit.author.date == session.recordedAt)
    }

    /// Values of an enumeration, in both directions.
    static let statuses = RecordedScenario("create-status") { session in
        let api = try session.manager()
        let sha = String(repeating: "0", count: 39) + "1"
        let path = "repos/octokit-fixture-org/create-status/"
        for (number, state) in [Resources.State.failure, .success].enumerated() {
            let status: Resources.Status = try await api.post(
                Resources.StatusDraft(
                    state: state, targetUrl: "https://example.com",
                    description: "create-status \(state.rawValue) test",
                    context: "example/\(number + 1)"),
                at: path + "statuses/\(sha)")
            #expect(status.id == 1000 + number)
            #expect(status.state == state)
            #expect(status.creator?.login == "octokit-fixture-user-a")
        }
        let list = try await api.getObjects(
            Resources.Status.self, at: path + "commits/\(sha)/statuses")
        #expect(list.map(\.state) == [.success, .failure])
        #expect(list.map(\.context) == ["example/2", "example/1"])
        let combined: Resources.CombinedStatus = try await api.get(path + "commits/\(sha)/status")
        #expect(combined.state == .failure)
        #expect(combined.sha == sha)
        #expect(combined.totalCount == 2)
        #expect(combined.statuses.map(\.id) == [1000, 1001])
        #expect(combined.statuses.allSatisfy { $0.creator == nil })
        #expect(combined.repository.fullName == "octokit-fixture-org/create-status")
    }

    /// Requests of two users.
    static let collaborator = RecordedScenario("add-and-remove-repository-collaborator") {
        session in
        let api = try session.manager()
        let path = "repos/octokit-fixture-org/add-and-remove-repository-collaborator/"
        let user = "octokit-fixture-user-b"
        let made: Resources.Invitation = try await api.put(path + "collaborators/\(user)")
        #expect(made.invitee == Resources.Account(login: user, id: 1002))
        #expect(made.createdAt == session.recordedAt)
        #expect(made.permissions == "write")
        let invitations = try await api.getObjects(
            Resources.Invitation.self, at: path + "invitations")
        #expect(invitations.map(\.id) == [made.id])
        #expect(invitations.first?.repository.owner.login == session.owner.login)

        try await api.patch("user/repository_invitations/\(made.id)") { request in
            request.headerFields[.authorization] = GitHubSession.authorization(ofUser: 2)
        }
        func collaborators() async throws -> [String] {
            let users = try await api.getObjects(
                Resources.Account.self, at: path + "collaborators")
            return users.map(\.login)
        }
        #expect(try await collaborators() == ["octokit-fixture-user-a", user])
        try await api.delete(path + "collaborators/\(user)")
        #expect(try await collaborators() == ["octokit-fixture-user-a"])
    }
}
#endif
