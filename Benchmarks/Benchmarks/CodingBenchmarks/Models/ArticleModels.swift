// SPDX-License-Identifier: Apache-2.0

/// A page of the generated REST collection.
struct ArticlePage: Codable, Equatable {
    let data: [Article]
}

struct Article: Codable, Equatable {
    let id: Int
    let slug: String
    let title: String
    let body: String
    let published: Bool
    let createdAt: String
    let updatedAt: String?
    let price: Double
    let rating: Double?
    let views: Int
    let author: Person
    let category: Category?
    let tags: [String]
    let comments: [Comment]
}

struct Comment: Codable, Equatable {
    let id: Int
    let author: Person
    let body: String
    let likes: Int
    let createdAt: String
}

struct Person: Codable, Equatable {
    let id: Int
    let name: String
    let email: String?
    let avatarUrl: String
    let verified: Bool
}

struct Category: Codable, Equatable {
    let id: Int
    let name: String
}
