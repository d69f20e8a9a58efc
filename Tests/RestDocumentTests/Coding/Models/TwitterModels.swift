// SPDX-License-Identifier: Apache-2.0

/// The response to a search for messages, with keys in camel case.
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
