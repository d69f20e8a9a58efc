// SPDX-License-Identifier: Apache-2.0

// Keys as they are written, so that no strategy of a decoder takes part in what is measured.

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
