// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import RestMapping

/// The models of the recorded GitHub API, written as the `@Mapped` macro expands them.
enum GitHub {}

extension GitHub {
    struct Label: Equatable {
        var name: String
    }
}

extension GitHub.Label: Mapped {
    struct Draft: MappingDraft {
        private var name: String?

        init() {}

        init(editing subject: GitHub.Label) {
            name = subject.name
        }

        mutating func assign(
            _ property: Int, from source: ValueSource
        ) throws(MappingFailure) {
            if property == 0 { name = try source.read(String.self) }
        }

        consuming func finish() throws(MappingFailure) -> GitHub.Label {
            guard let name else { throw .missing(property: 0) }
            return GitHub.Label(name: name)
        }
    }

    func write(
        _ property: Int, to writer: inout RequestWriter
    ) throws(MappingFailure) {
        switch property {
        case 0: try writer.write(self.name)
        default: break
        }
    }

    static let properties = PropertyTable(
        GitHub.Label.self, [Property("name", \GitHub.Label.name, String.self, isRequired: true)])
}

extension GitHub {
    struct User: Equatable {
        let id: Int
        let login: String
        var isAdmin: Bool = false
    }
}

extension GitHub.User: Mapped {
    struct Draft: MappingDraft {
        private var id: Int?
        private var login: String?
        private var isAdmin = false

        init() {}

        init(editing subject: GitHub.User) {
            id = subject.id
            login = subject.login
            isAdmin = subject.isAdmin
        }

        mutating func assign(
            _ property: Int, from source: ValueSource
        ) throws(MappingFailure) {
            switch property {
            case 0: id = try source.read(Int.self)
            case 1: login = try source.read(String.self)
            case 2: isAdmin = try source.read(Bool.self)
            default: break
            }
        }

        consuming func finish() throws(MappingFailure) -> GitHub.User {
            guard let id else { throw .missing(property: 0) }
            guard let login else { throw .missing(property: 1) }
            return GitHub.User(id: id, login: login, isAdmin: isAdmin)
        }
    }

    func write(
        _ property: Int, to writer: inout RequestWriter
    ) throws(MappingFailure) {
        switch property {
        case 0: try writer.write(self.id)
        case 1: try writer.write(self.login)
        case 2: try writer.write(self.isAdmin)
        default: break
        }
    }

    static let properties = PropertyTable(
        GitHub.User.self,
        [
            Property("id", \GitHub.User.id, Int.self, isRequired: true),
            Property("login", \GitHub.User.login, String.self, isRequired: true),
            Property("isAdmin", \GitHub.User.isAdmin, Bool.self, source: "site_admin"),
        ])
}

extension GitHub {
    struct Issue: Equatable {
        let id: Int
        let number: Int
        var title: String
        var user: User
        var labels: [GitHub.Label] = []
        var isLocked = false
        var createdAt: Date
        var closedAt: Date?
    }
}

extension GitHub.Issue: Mapped {
    struct Draft: MappingDraft {
        private var id: Int?
        private var number: Int?
        private var title: String?
        private var user: GitHub.User?
        private var labels: [GitHub.Label] = []
        private var isLocked = false
        private var createdAt: Date?
        private var closedAt: Date?

        init() {}

        init(editing subject: GitHub.Issue) {
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
            _ property: Int, from source: ValueSource
        ) throws(MappingFailure) {
            switch property {
            case 0: id = try source.read(Int.self)
            case 1: number = try source.read(Int.self)
            case 2: title = try source.read(String.self)
            case 3: user = try source.read(GitHub.User.self)
            case 4: labels = try source.read([GitHub.Label].self)
            case 5: isLocked = try source.read(Bool.self)
            case 6: createdAt = try source.read(Date.self)
            case 7: closedAt = try source.read(Date?.self)
            default: break
            }
        }

        consuming func finish() throws(MappingFailure) -> GitHub.Issue {
            guard let id else { throw .missing(property: 0) }
            guard let number else { throw .missing(property: 1) }
            guard let title else { throw .missing(property: 2) }
            guard let user else { throw .missing(property: 3) }
            guard let createdAt else { throw .missing(property: 6) }
            return GitHub.Issue(
                id: id, number: number, title: title, user: user, labels: labels,
                isLocked: isLocked, createdAt: createdAt, closedAt: closedAt)
        }
    }

    func write(
        _ property: Int, to writer: inout RequestWriter
    ) throws(MappingFailure) {
        switch property {
        case 0: try writer.write(self.id)
        case 1: try writer.write(self.number)
        case 2: try writer.write(self.title)
        case 3: try writer.write(self.user)
        case 4: try writer.write(self.labels)
        case 5: try writer.write(self.isLocked)
        case 6: try writer.write(self.createdAt)
        case 7: try writer.write(self.closedAt)
        default: break
        }
    }

    static let properties = PropertyTable(
        GitHub.Issue.self,
        [
            Property("id", \GitHub.Issue.id, Int.self, isRequired: true),
            Property("number", \GitHub.Issue.number, Int.self, isRequired: true),
            Property("title", \GitHub.Issue.title, String.self, isRequired: true),
            Property("user", \GitHub.Issue.user, GitHub.User.self, isRequired: true),
            Property("labels", \GitHub.Issue.labels, [GitHub.Label].self),
            Property("isLocked", \GitHub.Issue.isLocked, Bool.self, source: "locked"),
            Property(
                "createdAt", \GitHub.Issue.createdAt, Date.self, source: "created_at",
                isRequired: true),
            Property("closedAt", \GitHub.Issue.closedAt, Date?.self, source: "closed_at"),
        ])
}
