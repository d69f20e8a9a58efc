// SPDX-License-Identifier: Apache-2.0

// Explicit keys, so that no key decoding strategy is part of the measurement.

extension GitHub.Event {
    enum CodingKeys: String, CodingKey {
        case id
        case type
        case createdAt = "created_at"
        case `public`
        case actor
        case repo
        case org
        case payload
    }
}

extension GitHub.Actor {
    enum CodingKeys: String, CodingKey {
        case id
        case login
        case url
        case avatarUrl = "avatar_url"
        case gravatarId = "gravatar_id"
    }
}
