// SPDX-License-Identifier: Apache-2.0

/// A list of events of a code host, with keys in camel case.
enum GitHub {
    enum EventType: String, Codable {
        case issues = "IssuesEvent"
        case issueComment = "IssueCommentEvent"
        case fork = "ForkEvent"
        case push = "PushEvent"
        case create = "CreateEvent"
        case gollum = "GollumEvent"
        case watch = "WatchEvent"
    }

    struct Event: Codable, Equatable {
        let id: String
        let type: EventType
        let createdAt: String
        let `public`: Bool
        let actor: Actor
        let repo: Repository
        let org: Actor?
        let payload: Payload
    }

    struct Actor: Codable, Equatable {
        let id: Int
        let login: String
        let url: String
        let avatarUrl: String
        let gravatarId: String?
    }

    struct Repository: Codable, Equatable {
        let id: Int
        let name: String
        let url: String
    }

    struct Payload: Codable, Equatable {
        let ref: String?
        let size: Int?
        let head: String?
        let action: String?
        let commits: [Commit]?
    }

    struct Commit: Codable, Equatable {
        let sha: String
        let message: String
        let distinct: Bool
        let author: Author
    }

    struct Author: Codable, Equatable {
        let name: String
        let email: String
    }
}
