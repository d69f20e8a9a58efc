// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import RestMapping

/// A page of the collection with `Date` and `Decimal` properties.
@Mapped struct DatedPage: Codable, Equatable {
    let data: [DatedArticle]
}

@Mapped struct DatedArticle: Codable, Equatable {
    let id: Int
    let slug: String
    let title: String
    let body: String
    let published: Bool
    @MappedKey("created_at") let createdAt: Date
    @MappedKey("updated_at") let updatedAt: Date?
    let price: Decimal
    let rating: Double?
    let views: Int
    let author: Person
    let category: Category?
    let tags: [String]
    let comments: [DatedComment]
}

@Mapped struct DatedComment: Codable, Equatable {
    let id: Int
    let author: Person
    let body: String
    let likes: Int
    @MappedKey("created_at") let createdAt: Date
}
