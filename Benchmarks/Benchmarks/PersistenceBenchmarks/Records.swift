// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB

/// The generated collection as records of GRDB, with hand-written columns.
struct ArticleRecords: Decodable, Sendable {
    let data: [ArticleRecord]

    /// Saves all records in one transaction by GRDB's `upsert`.
    func upsert(in database: Database) throws {
        for article in data {
            if let author = article.author { try author.upsert(database) }
            try article.upsert(database)
            for var comment in article.comments {
                comment.articleID = article.id
                if let author = comment.author { try author.upsert(database) }
                try comment.upsert(database)
            }
        }
    }

    static let schema = """
        CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT,
            avatar_url TEXT NOT NULL, verified INTEGER NOT NULL) STRICT;
        CREATE TABLE article (id INTEGER PRIMARY KEY, slug TEXT NOT NULL, title TEXT NOT NULL,
            body TEXT NOT NULL, published INTEGER NOT NULL, created_at TEXT NOT NULL,
            updated_at TEXT, price REAL NOT NULL, rating REAL, views INTEGER NOT NULL,
            author_id INTEGER REFERENCES person) STRICT;
        CREATE TABLE comment (id INTEGER PRIMARY KEY, body TEXT NOT NULL, likes INTEGER NOT NULL,
            created_at TEXT NOT NULL, article_id INTEGER REFERENCES article,
            author_id INTEGER REFERENCES person) STRICT;
        CREATE INDEX article_author ON article (author_id);
        CREATE INDEX comment_article ON comment (article_id);
        CREATE INDEX comment_author ON comment (author_id);
        CREATE TABLE contact (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT,
            avatarUrl TEXT NOT NULL, verified INTEGER NOT NULL) STRICT;
        """
}

struct ArticleRecord: Decodable, PersistableRecord, Sendable {
    static let databaseTableName = "article"

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
    let author: PersonRecord?
    let comments: [CommentRecord]

    enum CodingKeys: String, CodingKey {
        case id, slug, title, body, published, price, rating, views, author, comments
        case createdAt = "created_at"
        case updatedAt = "updated_at"
    }

    func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["slug"] = slug
        container["title"] = title
        container["body"] = body
        container["published"] = published
        container["created_at"] = createdAt
        container["updated_at"] = updatedAt
        container["price"] = price
        container["rating"] = rating
        container["views"] = views
        container["author_id"] = author?.id
    }
}

struct CommentRecord: Decodable, PersistableRecord, Sendable {
    static let databaseTableName = "comment"

    let id: Int
    let body: String
    let likes: Int
    let createdAt: String
    let author: PersonRecord?
    var articleID: Int?

    enum CodingKeys: String, CodingKey {
        case id, body, likes, author
        case createdAt = "created_at"
    }

    func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["body"] = body
        container["likes"] = likes
        container["created_at"] = createdAt
        container["article_id"] = articleID
        container["author_id"] = author?.id
    }
}

struct PersonRecord: Decodable, PersistableRecord, Sendable {
    static let databaseTableName = "person"

    let id: Int
    let name: String
    let email: String?
    let avatarURL: String
    let verified: Bool

    enum CodingKeys: String, CodingKey {
        case id, name, email, verified
        case avatarURL = "avatar_url"
    }

    func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["name"] = name
        container["email"] = email
        container["avatar_url"] = avatarURL
        container["verified"] = verified
    }
}

/// A row that is inserted and fetched.
struct ContactRecord: PersistableRecord, FetchableRecord, Sendable {
    static let databaseTableName = "contact"

    let id: Int
    let name: String
    let email: String?
    let avatarUrl: String
    let verified: Bool

    /// Creates the contact that all engines insert for a number.
    init(number: Int) {
        id = number
        name = "Ann \(number)"
        email = "user\(number)@example.org"
        avatarUrl = "https://img.example.org/\(number).png"
        verified = number.isMultiple(of: 3)
    }

    init(row: Row) {
        id = row[0]
        name = row[1]
        email = row[2]
        avatarUrl = row[3]
        verified = row[4]
    }

    func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["name"] = name
        container["email"] = email
        container["avatarUrl"] = avatarUrl
        container["verified"] = verified
    }
}
