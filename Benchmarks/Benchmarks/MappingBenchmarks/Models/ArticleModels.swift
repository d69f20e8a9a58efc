// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping

/// A page of the generated REST collection.
@Mapped struct ArticlePage: Codable, Equatable {
    let data: [Article]
}

@Mapped struct Article: Codable, Equatable {
    let id: Int
    let slug: String
    let title: String
    let body: String
    let published: Bool
    @MappedKey("created_at") let createdAt: String
    @MappedKey("updated_at") let updatedAt: String?
    let price: Double
    let rating: Double?
    let views: Int
    let author: Person
    let category: Category?
    let tags: [String]
    let comments: [Comment]

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

@Mapped struct Comment: Codable, Equatable {
    let id: Int
    let author: Person
    let body: String
    let likes: Int
    @MappedKey("created_at") let createdAt: String

    enum CodingKeys: String, CodingKey {
        case id
        case author
        case body
        case likes
        case createdAt = "created_at"
    }
}

@Mapped struct Person: Codable, Equatable {
    let id: Int
    let name: String
    let email: String?
    @MappedKey("avatar_url") let avatarUrl: String
    let verified: Bool

    enum CodingKeys: String, CodingKey {
        case id
        case name
        case email
        case avatarUrl = "avatar_url"
        case verified
    }
}

@Mapped struct Category: Codable, Equatable {
    let id: Int
    let name: String
}
