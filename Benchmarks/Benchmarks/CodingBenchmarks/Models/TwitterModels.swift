// SPDX-License-Identifier: Apache-2.0

/// An answer of a search for messages.
enum Twitter {
    struct Search: Codable, Equatable {
        let statuses: [Status]
        let searchMetadata: Metadata

        enum CodingKeys: String, CodingKey {
            case statuses
            case searchMetadata = "search_metadata"
        }
    }

    struct Metadata: Codable, Equatable {
        let completedIn: Double
        let maxId: Int
        let maxIdStr: String
        let query: String
        let nextResults: String
        let count: Int

        enum CodingKeys: String, CodingKey {
            case completedIn = "completed_in"
            case maxId = "max_id"
            case maxIdStr = "max_id_str"
            case query
            case nextResults = "next_results"
            case count
        }
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

        enum CodingKeys: String, CodingKey {
            case id
            case idStr = "id_str"
            case createdAt = "created_at"
            case text
            case source
            case truncated
            case inReplyToStatusId = "in_reply_to_status_id"
            case inReplyToScreenName = "in_reply_to_screen_name"
            case user
            case retweetCount = "retweet_count"
            case favoriteCount = "favorite_count"
            case favorited
            case lang
            case possiblySensitive = "possibly_sensitive"
            case entities
            case retweetedStatus = "retweeted_status"
        }
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

        enum CodingKeys: String, CodingKey {
            case id
            case name
            case screenName = "screen_name"
            case location
            case description
            case url
            case followersCount = "followers_count"
            case createdAt = "created_at"
            case utcOffset = "utc_offset"
            case timeZone = "time_zone"
            case verified
            case profileBackgroundColor = "profile_background_color"
            case profileImageUrlHttps = "profile_image_url_https"
            case defaultProfileImage = "default_profile_image"
        }
    }

    struct Entities: Codable, Equatable {
        let hashtags: [Hashtag]
        let userMentions: [Mention]

        enum CodingKeys: String, CodingKey {
            case hashtags
            case userMentions = "user_mentions"
        }
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

        enum CodingKeys: String, CodingKey {
            case screenName = "screen_name"
            case name
            case id
            case indices
        }
    }
}
