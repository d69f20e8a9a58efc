// SPDX-License-Identifier: Apache-2.0

// Models of public documents, in camel case throughout.

enum Twitter {
    struct Search: Codable, Equatable {
        let statuses: [Status]
        let searchMetadata: Metadata
    }

    struct Metadata: Codable, Equatable {
        let completedIn: Double
        let maxId: Int
        let maxIdStr: String
        let query: String
        let nextResults: String
        let count: Int
    }

    struct Status: Codable, Equatable {
        let id: Int64
        let idStr: String
        let createdAt: String
        let text: String
        let source: String
        let truncated: Bool
        let inReplyToStatusId: Int64?
        let inReplyToScreenName: String?
        let user: User
        let retweetCount: Int
        let favoriteCount: UInt32
        let favorited: Bool
        let lang: String
        let possiblySensitive: Bool?
        let entities: Entities
        let retweetedStatus: Retweet?
    }

    struct Retweet: Codable, Equatable {
        let id: Int64
        let text: String
        let user: User
    }

    struct User: Codable, Equatable {
        let id: Int
        let name: String
        let screenName: String
        let location: String
        let description: String
        let url: String?
        let followersCount: Int
        let createdAt: String
        let utcOffset: Int?
        let timeZone: String?
        let verified: Bool
        let profileBackgroundColor: String
        let profileImageUrlHttps: String
        let defaultProfileImage: Bool
    }

    struct Entities: Codable, Equatable {
        let hashtags: [Hashtag]
        let userMentions: [Mention]
    }

    struct Hashtag: Codable, Equatable {
        let text: String
        let indices: [Int]
    }

    struct Mention: Codable, Equatable {
        let screenName: String
        let name: String
        let id: Int
        let indices: [Int]
    }
}

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

enum Catalog {
    struct Root: Codable, Equatable {
        let areaNames: [String: String]
        let audienceSubCategoryNames: [String: String]
        let blockNames: [String: String]
        let events: [String: Event]
        let performances: [Performance]
        let seatCategoryNames: [String: String]
        let subTopicNames: [String: String]
        let topicNames: [String: String]
        let topicSubTopics: [String: [Int]]
        let venueNames: [String: String]
    }

    struct Event: Codable, Equatable {
        let id: Int
        let name: String
        let description: String?
        let logo: String?
        let subTopicIds: [Int]
        let subtitle: String?
        let topicIds: [Int]
    }

    struct Performance: Codable, Equatable {
        let id: Int
        let eventId: Int
        let logo: String?
        let name: String?
        let prices: [Price]
        let seatCategories: [SeatCategory]
        let start: Int64
        let venueCode: String
    }

    struct Price: Codable, Equatable {
        let amount: Int
        let audienceSubCategoryId: Int
        let seatCategoryId: Int
    }

    struct SeatCategory: Codable, Equatable {
        let areas: [Area]
        let seatCategoryId: Int
    }

    struct Area: Codable, Equatable {
        let areaId: Int
        let blockIds: [Int]
    }
}

enum GeoJSON {
    struct Collection: Codable, Equatable {
        let type: String
        let features: [Feature]
    }

    struct Feature: Codable, Equatable {
        let type: String
        let geometry: Geometry
    }

    struct Geometry: Codable, Equatable {
        let type: String
        let coordinates: [[[Double]]]
    }
}
