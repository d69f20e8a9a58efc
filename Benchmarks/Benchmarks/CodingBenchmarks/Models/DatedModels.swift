// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A page of the collection with `Date` and `Decimal` properties.
struct DatedPage: Codable, Equatable {
    let data: [DatedArticle]
}

struct DatedArticle: Codable, Equatable {
    let id: Int
    let slug: String
    let title: String
    let body: String
    let published: Bool
    let createdAt: Date
    let updatedAt: Date?
    let price: Decimal
    let rating: Double?
    let views: Int
    let author: Person
    let category: Category?
    let tags: [String]
    let comments: [DatedComment]
}

struct DatedComment: Codable, Equatable {
    let id: Int
    let author: Person
    let body: String
    let likes: Int
    let createdAt: Date
}
