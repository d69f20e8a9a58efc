// SPDX-License-Identifier: Apache-2.0

// Keys as they are written, so that no strategy of a decoder takes part in what is measured.

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
