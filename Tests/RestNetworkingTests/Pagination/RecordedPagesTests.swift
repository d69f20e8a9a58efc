// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestMapping
import RestNetworking
import TestSupport
import Testing

/// The recorded traffic of a public API, page by page, into plain types.
@Suite(.tags(.socket), .enabled(if: SharedFiles.isAvailable, "shared corpus not found"))
struct RecordedPagesTests {
    @Test func walksAllPagesOfAnIssueList() async throws {
        let recording = "recorded/github/paginate-issues.json"
        try await ReplayServer.run(recording) { server in
            let api = try manager(at: server.baseURL)
            var pages: [[Issue]] = []
            for try await page in api.pages(
                of: Issue.self, at: "repos/octokit-fixture-org/paginate-issues/issues",
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

struct Label: Equatable {
    var name: String
}

extension Label: Mapped {
    struct Draft: MappingDraft {
        private var name: String?

        init() {}

        init(editing subject: Label) {
            name = subject.name
        }

        mutating func assign(
            _ property: Int, from source: MappingSource
        ) throws(MappingFailure) {
            if property == 0 { name = try source.read(String.self) }
        }

        consuming func finish() throws(MappingFailure) -> Label {
            guard let name else { throw .missing(property: 0) }
            return Label(name: name)
        }
    }

    static let properties = PropertyTable(
        Label.self, [Property("name", \Label.name, String.self, isRequired: true)])
}

struct User: Equatable {
    let id: Int
    let login: String
    var isAdmin: Bool = false
}

extension User: Mapped {
    struct Draft: MappingDraft {
        private var id: Int?
        private var login: String?
        private var isAdmin = false

        init() {}

        init(editing subject: User) {
            id = subject.id
            login = subject.login
            isAdmin = subject.isAdmin
        }

        mutating func assign(
            _ property: Int, from source: MappingSource
        ) throws(MappingFailure) {
            switch property {
            case 0: id = try source.read(Int.self)
            case 1: login = try source.read(String.self)
            case 2: isAdmin = try source.read(Bool.self)
            default: break
            }
        }

        consuming func finish() throws(MappingFailure) -> User {
            guard let id else { throw .missing(property: 0) }
            guard let login else { throw .missing(property: 1) }
            return User(id: id, login: login, isAdmin: isAdmin)
        }
    }

    static let properties = PropertyTable(
        User.self,
        [
            Property("id", \User.id, Int.self, isRequired: true),
            Property("login", \User.login, String.self, isRequired: true),
            Property("isAdmin", \User.isAdmin, Bool.self, source: "site_admin"),
        ])
}

struct Issue: Equatable {
    let id: Int
    let number: Int
    var title: String
    var user: User
    var labels: [Label] = []
    var isLocked = false
    var createdAt: Date
    var closedAt: Date?
}

extension Issue: Mapped {
    struct Draft: MappingDraft {
        private var id: Int?
        private var number: Int?
        private var title: String?
        private var user: User?
        private var labels: [Label] = []
        private var isLocked = false
        private var createdAt: Date?
        private var closedAt: Date?

        init() {}

        init(editing subject: Issue) {
            id = subject.id
            number = subject.number
            title = subject.title
            user = subject.user
            labels = subject.labels
            isLocked = subject.isLocked
            createdAt = subject.createdAt
            closedAt = subject.closedAt
        }

        mutating func assign(
            _ property: Int, from source: MappingSource
        ) throws(MappingFailure) {
            switch property {
            case 0: id = try source.read(Int.self)
            case 1: number = try source.read(Int.self)
            case 2: title = try source.read(String.self)
            case 3: user = try source.read(User.self)
            case 4: labels = try source.read([Label].self)
            case 5: isLocked = try source.read(Bool.self)
            case 6: createdAt = try source.read(Date.self)
            case 7: closedAt = try source.read(Date?.self)
            default: break
            }
        }

        consuming func finish() throws(MappingFailure) -> Issue {
            guard let id else { throw .missing(property: 0) }
            guard let number else { throw .missing(property: 1) }
            guard let title else { throw .missing(property: 2) }
            guard let user else { throw .missing(property: 3) }
            guard let createdAt else { throw .missing(property: 6) }
            return Issue(
                id: id, number: number, title: title, user: user, labels: labels,
                isLocked: isLocked, createdAt: createdAt, closedAt: closedAt)
        }
    }

    static let properties = PropertyTable(
        Issue.self,
        [
            Property("id", \Issue.id, Int.self, isRequired: true),
            Property("number", \Issue.number, Int.self, isRequired: true),
            Property("title", \Issue.title, String.self, isRequired: true),
            Property("user", \Issue.user, User.self, isRequired: true),
            Property("labels", \Issue.labels, [Label].self),
            Property("isLocked", \Issue.isLocked, Bool.self, source: "locked"),
            Property(
                "createdAt", \Issue.createdAt, Date.self, source: "created_at", isRequired: true),
            Property("closedAt", \Issue.closedAt, Date?.self, source: "closed_at"),
        ])
}
