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
}

@Mapped struct Comment: Codable, Equatable {
    let id: Int
    let author: Person
    let body: String
    let likes: Int
    @MappedKey("created_at") let createdAt: String
}

@Mapped struct Person: Codable, Equatable {
    let id: Int
    let name: String
    let email: String?
    @MappedKey("avatar_url") let avatarUrl: String
    let verified: Bool
}

@Mapped struct Category: Codable, Equatable {
    let id: Int
    let name: String
}
