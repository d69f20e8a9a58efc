// SPDX-License-Identifier: Apache-2.0

// Explicit keys, so that no key decoding strategy is part of the measurement.

extension Article {
    enum CodingKeys: String, CodingKey {
        case id
        case slug
        case title
        case body
        case published
        case createdAt = "created_at"
        case updatedAt = "updated_at"
        case price
        case rating
        case views
        case author
        case category
        case tags
        case comments
    }
}

extension Comment {
    enum CodingKeys: String, CodingKey {
        case id
        case author
        case body
        case likes
        case createdAt = "created_at"
    }
}

extension Person {
    enum CodingKeys: String, CodingKey {
        case id
        case name
        case email
        case avatarUrl = "avatar_url"
        case verified
    }
}

extension DatedArticle {
    typealias CodingKeys = Article.CodingKeys
}

extension DatedComment {
    typealias CodingKeys = Comment.CodingKeys
}
