// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping

// The conformances are written by hand, in the form of the macro's expansion, so that the program
// needs no swift-syntax.

/// The author of an article or a comment.
struct Person {
    var id: Int
    var name: String
    var email: String?
    var isVerified: Bool?
}

extension Person: Mapped {
    struct Draft: MappingDraft {
        private var id: Int?
        private var name: String?
        private var email: String?
        private var isVerified: Bool?

        init() {}

        init(editing subject: Person) {
            (id, name) = (subject.id, subject.name)
            (email, isVerified) = (subject.email, subject.isVerified)
        }

        mutating func assign(_ property: Int, from source: ValueSource) throws(MappingFailure) {
            switch property {
            case 0: try source.assign(&id)
            case 1: try source.assign(&name)
            case 2: try source.assign(nullable: &email)
            case 3: try source.assign(nullable: &isVerified)
            default: break
            }
        }

        consuming func finish() throws(MappingFailure) -> Person {
            guard let id else { throw .missing(property: 0) }
            guard let name else { throw .missing(property: 1) }
            return Person(id: id, name: name, email: email, isVerified: isVerified)
        }
    }

    func write(_ property: Int, to writer: inout RequestWriter) throws(MappingFailure) {
        switch property {
        case 0: try writer.write(id)
        case 1: try writer.write(name)
        case 2: try writer.write(email)
        case 3: try writer.write(isVerified)
        default: break
        }
    }

    static let properties = PropertyTable(
        Person.self,
        [
            Property(required: "id", \Person.id, Int.self),
            Property(required: "name", \Person.name, String.self),
            Property("email", \Person.email, String?.self),
            Property("isVerified", \Person.isVerified, Bool?.self, source: "verified"),
        ])
}

/// An article with related objects; comments are articles too.
struct Article {
    var id: Int
    var title: String?
    var rating: Double?
    var author: Person?
    var tags: [String]
    var comments: [Article]
}

extension Article: Mapped {
    struct Draft: MappingDraft {
        private var id: Int?
        private var title: String?
        private var rating: Double?
        private var author: Person?
        private var tags: [String]?
        private var comments: [Article]?

        init() {}

        init(editing subject: Article) {
            (id, title, rating) = (subject.id, subject.title, subject.rating)
            (author, tags, comments) = (subject.author, subject.tags, subject.comments)
        }

        mutating func assign(_ property: Int, from source: ValueSource) throws(MappingFailure) {
            switch property {
            case 0: try source.assign(&id)
            case 1: try source.assign(nullable: &title)
            case 2: try source.assign(nullable: &rating)
            case 3: try source.assign(nullable: &author)
            case 4: try source.assign(collection: &tags)
            case 5: try source.assign(collection: &comments)
            default: break
            }
        }

        consuming func finish() throws(MappingFailure) -> Article {
            guard let id else { throw .missing(property: 0) }
            return Article(
                id: id, title: title, rating: rating, author: author, tags: tags ?? [],
                comments: comments ?? [])
        }
    }

    func write(_ property: Int, to writer: inout RequestWriter) throws(MappingFailure) {
        switch property {
        case 0: try writer.write(id)
        case 1: try writer.write(title)
        case 2: try writer.write(rating)
        case 3: try writer.write(author)
        case 4: try writer.write(tags)
        case 5: try writer.write(comments)
        default: break
        }
    }

    static let properties = PropertyTable(
        Article.self,
        [
            Property(required: "id", \Article.id, Int.self),
            Property("title", \Article.title, String?.self),
            Property("rating", \Article.rating, Double?.self),
            Property("author", \Article.author, Person?.self),
            Property("tags", \Article.tags, [String].self),
            Property("comments", \Article.comments, [Article].self),
        ])
}
