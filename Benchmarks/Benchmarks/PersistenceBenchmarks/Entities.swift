// SPDX-License-Identifier: Apache-2.0

import RestKit

/// An article of the generated collection.
@Entity final class Article: ManagedObject {
    @Identity var id: Int
    var slug: String
    var title: String
    var body: String
    var published: Bool
    @MappedKey("created_at") var createdAt: String
    @MappedKey("updated_at") var updatedAt: String?
    var price: Double
    var rating: Double?
    var views: Int
    var author: Person?
    @Inverse(\Comment.article) var comments: Set<Comment>
}

@Entity final class Comment: ManagedObject {
    @Identity var id: Int
    var body: String
    var likes: Int
    @MappedKey("created_at") var createdAt: String
    var author: Person?
    var article: Article?
}

@Entity final class Person: ManagedObject {
    @Identity var id: Int
    var name: String
    var email: String?
    @MappedKey("avatar_url") var avatarUrl: String
    var verified: Bool
    @Inverse(\Article.author) var articles: Set<Article>
    @Inverse(\Comment.author) var comments: Set<Comment>
}

/// A row that a context inserts, changes and fetches.
@Entity final class Contact: ManagedObject {
    @Identity var id: Int
    var name: String
    var email: String?
    var avatarUrl: String
    var verified: Bool
    @Inverse(\Remark.contact) var remarks: Set<Remark>
}

/// A row that refers to a contact by its ID.
@Entity final class Remark: ManagedObject {
    @Identity var id: Int
    var text: String
    @MappedKey("contact_id") var contactID: Int
    var contact: Contact?
}

/// A row of 100 words.
@Entity final class Page: ManagedObject {
    @Searchable var text: String
}
