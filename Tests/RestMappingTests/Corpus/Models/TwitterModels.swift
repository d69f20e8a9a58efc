// SPDX-License-Identifier: Apache-2.0

#if Macros
import RestDocument
import RestMapping

/// The response of a search for messages.
///
/// `JSONDecoder` reads it with its snake-case strategy; the marked keys declare the same names here.
enum Twitter {
    @Mapped struct Search: Decodable, Equatable {
        let statuses: [Status]
        @MappedKey("search_metadata") let searchMetadata: Metadata
    }

    @Mapped struct Metadata: Decodable, Equatable {
        @MappedKey("completed_in") let completedIn: Double
        @MappedKey("max_id") let maxId: Int
        @MappedKey("max_id_str") let maxIdStr: String
        let query: String
        @MappedKey("next_results") let nextResults: String
        let count: Int
    }

    @Mapped struct Status: Decodable, Equatable {
        let id: Int64
        @MappedKey("id_str") let idStr: String
        @MappedKey("created_at") let createdAt: String
        let text: String
        let source: String
        let truncated: Bool
        @MappedKey("in_reply_to_status_id") let inReplyToStatusId: Int64?
        @MappedKey("in_reply_to_screen_name") let inReplyToScreenName: String?
        let user: User
        @MappedKey("retweet_count") let retweetCount: Int
        @MappedKey("favorite_count") let favoriteCount: UInt32
        let favorited: Bool
        let lang: String
        @MappedKey("possibly_sensitive") let possiblySensitive: Bool?
        let entities: Entities
        @MappedKey("retweeted_status") let retweetedStatus: Retweet?
    }

    @Mapped struct Retweet: Decodable, Equatable {
        let id: Int64
        let text: String
        let user: User
    }

    @Mapped struct User: Decodable, Equatable {
        let id: Int
        let name: String
        @MappedKey("screen_name") let screenName: String
        let location: String
        let description: String
        let url: String?
        @MappedKey("followers_count") let followersCount: Int
        @MappedKey("created_at") let createdAt: String
        @MappedKey("utc_offset") let utcOffset: Int?
        @MappedKey("time_zone") let timeZone: String?
        let verified: Bool
        @MappedKey("profile_background_color") let profileBackgroundColor: String
        @MappedKey("profile_image_url_https") let profileImageUrlHttps: String
        @MappedKey("default_profile_image") let defaultProfileImage: Bool
    }

    @Mapped struct Entities: Decodable, Equatable {
        let hashtags: [Hashtag]
        @MappedKey("user_mentions") let userMentions: [Mention]
    }

    @Mapped struct Hashtag: Decodable, Equatable {
        let text: String
        let indices: [Int]
    }

    @Mapped struct Mention: Decodable, Equatable {
        @MappedKey("screen_name") let screenName: String
        let name: String
        let id: Int
        let indices: [Int]
    }
}
#endif
