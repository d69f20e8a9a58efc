// SPDX-License-Identifier: Apache-2.0

#if Macros
import RestDocument
import RestMapping

/// The events of a software forge.
///
/// `JSONDecoder` reads it with its snake-case strategy; the marked keys declare the same names here.
enum GitHub {
    enum EventType: String, Decodable, MappableValue {
        case issues = "IssuesEvent"
        case issueComment = "IssueCommentEvent"
        case fork = "ForkEvent"
        case push = "PushEvent"
        case create = "CreateEvent"
        case gollum = "GollumEvent"
        case watch = "WatchEvent"
    }

    @Mapped struct Event: Decodable, Equatable {
        let id: String
        let type: EventType
        @MappedKey("created_at") let createdAt: String
        let `public`: Bool
        let actor: Actor
        let repo: Repository
        let org: Actor?
        let payload: Payload
    }

    @Mapped struct Actor: Decodable, Equatable {
        let id: Int
        let login: String
        let url: String
        @MappedKey("avatar_url") let avatarUrl: String
        @MappedKey("gravatar_id") let gravatarId: String?
    }

    @Mapped struct Repository: Decodable, Equatable {
        let id: Int
        let name: String
        let url: String
    }

    @Mapped struct Payload: Decodable, Equatable {
        let ref: String?
        let size: Int?
        let head: String?
        let action: String?
        let commits: [Commit]?
    }

    @Mapped struct Commit: Decodable, Equatable {
        let sha: String
        let message: String
        let distinct: Bool
        let author: Author
    }

    @Mapped struct Author: Decodable, Equatable {
        let name: String
        let email: String
    }
}
#endif
