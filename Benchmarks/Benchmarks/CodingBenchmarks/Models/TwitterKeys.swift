// SPDX-License-Identifier: Apache-2.0

// Explicit keys, so that no key decoding strategy is part of the measurement.

extension Twitter.Search {
    enum CodingKeys: String, CodingKey {
        case statuses
        case searchMetadata = "search_metadata"
    }
}

extension Twitter.Metadata {
    enum CodingKeys: String, CodingKey {
        case completedIn = "completed_in"
        case maxId = "max_id"
        case maxIdStr = "max_id_str"
        case query
        case nextResults = "next_results"
        case count
    }
}

extension Twitter.Status {
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

extension Twitter.User {
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

extension Twitter.Entities {
    enum CodingKeys: String, CodingKey {
        case hashtags
        case userMentions = "user_mentions"
    }
}

extension Twitter.Mention {
    enum CodingKeys: String, CodingKey {
        case screenName = "screen_name"
        case name
        case id
        case indices
    }
}
