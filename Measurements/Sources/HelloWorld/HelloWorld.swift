// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import RestMapping

/// A program that maps one type, whose size scripts/program-size measures.
@main
enum HelloWorld {
    static func main() throws {
        let document = try Document(parsing: #"{"id": 1, "title": "Hello", "tags": ["world"]}"#)
        let article = try MappingPlan(Article.self).object(Article.self, from: document.root)
        print(article.id, article.title, article.publishedAt ?? .distantPast, article.tags)
    }
}

/// An article; its conformance is written by hand, in the form of the macro's expansion.
struct Article {
    let id: Int
    var title: String
    var publishedAt: Date?
    var tags: [String] = []
}

extension Article: Mapped {
    struct Draft: MappingDraft {
        private var id: Int?
        private var title: String?
        private var publishedAt: Date?
        private var tags: [String]?

        init() {}

        init(editing subject: Article) {
            (id, title) = (subject.id, subject.title)
            (publishedAt, tags) = (subject.publishedAt, subject.tags)
        }

        mutating func assign(_ property: Int, from source: ValueSource) throws(MappingFailure) {
            switch property {
            case 0: try source.assign(&id)
            case 1: try source.assign(&title)
            case 2: try source.assign(nullable: &publishedAt)
            case 3: try source.assign(collection: &tags)
            default: break
            }
        }

        consuming func finish() throws(MappingFailure) -> Article {
            guard let id else { throw .missing(property: 0) }
            guard let title else { throw .missing(property: 1) }
            return Article(id: id, title: title, publishedAt: publishedAt, tags: tags ?? [])
        }
    }

    func write(_ property: Int, to writer: inout RequestWriter) throws(MappingFailure) {
        switch property {
        case 0: try writer.write(id)
        case 1: try writer.write(title)
        case 2: try writer.write(publishedAt)
        case 3: try writer.write(tags)
        default: break
        }
    }

    static let properties = PropertyTable(
        Article.self,
        [
            Property(required: "id", \Article.id, Int.self),
            Property(required: "title", \Article.title, String.self),
            Property("publishedAt", \Article.publishedAt, Date?.self),
            Property("tags", \Article.tags, [String].self),
        ])
}
