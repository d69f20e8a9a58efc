// SPDX-License-Identifier: Apache-2.0

#if Macros
import RestDocument
import RestMapping
import TestSupport
import Testing

/// The types as a user writes them.
private enum Generated {
    @Mapped struct Article {
        let id: Int
        var title: String
        @MappedKey("publication.year") var year: Int?
        var author: Author?
        var tags: [String] = ["untagged"]
    }

    @Mapped final class Author {
        let id: Int
        var name = "unknown"
        var articles: [Article] = []
    }
}

/// The same types with everything the macro writes written by hand.
enum Written {
    struct Article {
        let id: Int
        var title: String
        var year: Int?
        var author: Author?
        var tags: [String] = ["untagged"]
    }

    final class Author {
        let id: Int
        var name = "unknown"
        var articles: [Article] = []

        init(id: Int) { self.id = id }
    }
}

extension Written.Article: Mapped {
    struct Draft: MappingDraft {
        private var id: Int?
        private var title: String?
        private var year: Int?
        private var author: Written.Author?
        private var tags = ["untagged"]

        init() {}

        init(editing subject: Written.Article) {
            id = subject.id
            title = subject.title
            year = subject.year
            author = subject.author
            tags = subject.tags
        }

        mutating func assign(
            _ property: Int, from source: MappingSource
        ) throws(MappingFailure) {
            switch property {
            case 0: id = try source.read(Int.self)
            case 1: title = try source.read(String.self)
            case 2: year = try source.read(Int?.self)
            case 3: author = try source.read(Written.Author?.self)
            case 4: tags = try source.read([String].self)
            default: break
            }
        }

        consuming func finish() throws(MappingFailure) -> Written.Article {
            guard let id else { throw .missing(property: 0) }
            guard let title else { throw .missing(property: 1) }
            return Written.Article(id: id, title: title, year: year, author: author, tags: tags)
        }
    }

    func write(
        _ property: Int, to writer: inout RepresentationWriter
    ) throws(MappingFailure) {
        switch property {
        case 0: try writer.write(id)
        case 1: try writer.write(title)
        case 2: try writer.write(year)
        case 3: try writer.write(author)
        case 4: try writer.write(tags)
        default: break
        }
    }

    static let properties = PropertyTable(
        Written.Article.self,
        [
            Property("id", \Written.Article.id, Int.self, isRequired: true),
            Property("title", \Written.Article.title, String.self, isRequired: true),
            Property("year", \Written.Article.year, Int?.self, source: "publication.year"),
            Property("author", \Written.Article.author, Written.Author?.self),
            Property("tags", \Written.Article.tags, [String].self),
        ])
}

extension Written.Author: Mapped {
    struct Draft: MappingDraft {
        private var subject: Written.Author?
        private var id: Int?
        private var name: String?
        private var articles: [Written.Article]?

        init() {}

        init(editing subject: Written.Author) { self.subject = subject }

        mutating func assign(
            _ property: Int, from source: MappingSource
        ) throws(MappingFailure) {
            switch property {
            case 0: id = try source.read(Int.self)
            case 1: name = try source.read(String.self)
            case 2: articles = try source.read([Written.Article].self)
            default: break
            }
        }

        consuming func finish() throws(MappingFailure) -> Written.Author {
            let author: Written.Author
            if let subject {
                author = subject
            } else {
                guard let id else { throw .missing(property: 0) }
                author = Written.Author(id: id)
            }
            if let name { author.name = name }
            if let articles { author.articles = articles }
            return author
        }
    }

    func write(
        _ property: Int, to writer: inout RepresentationWriter
    ) throws(MappingFailure) {
        switch property {
        case 0: try writer.write(id)
        case 1: try writer.write(name)
        case 2: try writer.write(articles)
        default: break
        }
    }

    static let properties = PropertyTable(
        Written.Author.self,
        [
            Property("id", \Written.Author.id, Int.self, isRequired: true),
            Property("name", \Written.Author.name, String.self),
            Property("articles", \Written.Author.articles, [Written.Article].self),
        ])
}

@Suite struct MappedTwinTests {
    static let articles = [
        #"{"id":1,"title":"a","publication":{"year":1999},"tags":["x"],"author":{"id":2,"name":"b"}}"#,
        #"{"id":1,"title":"a"}"#,
        #"{"id":1,"title":"a","publication":{"year":null},"tags":null,"author":null}"#,
        #"{"title":"a"}"#,
        #"{"id":1}"#,
        #"{"id":1,"title":"a","author":{"name":"no id"}}"#,
        #"{"id":"x","title":[],"tags":[1,{},"c"]}"#,
        #"{"id":"7","title":5,"tags":"one","author":{"id":3,"articles":[{"id":4,"title":"t"}]}}"#,
        #"[]"#,
    ]

    @Test(arguments: articles) func structuresMapAlike(_ json: String) throws {
        let expected = try outcome(of: Written.Article.self, json)
        #expect(try outcome(of: Generated.Article.self, json) == expected)
    }

    @Test(arguments: articles) func structuresAreUpdatedAlike(_ json: String) throws {
        let written = Written.Article(id: 9, title: "old", year: 1, author: nil, tags: ["old"])
        let generated = Generated.Article(id: 9, title: "old", year: 1, author: nil, tags: ["old"])
        #expect(try outcome(updating: generated, json) == outcome(updating: written, json))
    }

    static let authors = [
        #"{"id":1,"name":"a","articles":[{"id":2,"title":"b"},{"id":3}]}"#,
        #"{"id":1}"#,
        #"{"name":"a"}"#,
        #"{"id":null,"name":null,"articles":null}"#,
        #"{"articles":{"id":2,"title":"b"}}"#,
    ]

    @Test(arguments: authors) func classesMapAlike(_ json: String) throws {
        let expected = try outcome(of: Written.Author.self, json)
        #expect(try outcome(of: Generated.Author.self, json) == expected)
    }

    @Test func propertyTablesAreTheSame() {
        #expect(rows(of: Generated.Article.properties) == rows(of: Written.Article.properties))
        #expect(rows(of: Generated.Author.properties) == rows(of: Written.Author.properties))
    }

    @Test func keyPathsNameTheSameIndices() {
        let article = Generated.Article.properties
        #expect(article.index(of: \Generated.Article.id) == 0)
        #expect(article.index(of: \Generated.Article.year) == 2)
        #expect(article.index(of: \Generated.Article.tags) == 4)
        #expect(Generated.Author.properties.index(of: \Generated.Author.articles) == 2)
    }

    // MARK: What is compared

    /// Everything a run says: the values or the error, and the report.
    private struct Outcome: Equatable {
        var values: String
        var report: MappingReport
    }

    private func outcome<Subject: Mapped>(
        of type: Subject.Type, _ json: String
    ) throws -> Outcome {
        try outcome(json) { node, report in
            try MappingPlan(type).object(type, from: node, report: &report)
        }
    }

    private func outcome<Subject: Mapped>(
        updating subject: Subject, _ json: String
    ) throws -> Outcome {
        try outcome(json) { node, report in
            try MappingPlan(Subject.self).object(updating: subject, from: node, report: &report)
        }
    }

    private func outcome(
        _ json: String, _ run: (Node, inout MappingReport) throws -> Any
    ) throws -> Outcome {
        let root = try Document(parsing: Array(json.utf8)).root
        var report = MappingReport()
        do {
            return Outcome(values: text(of: try run(root, &report)), report: report)
        } catch let error as MappingError {
            return Outcome(values: "\(error)", report: report)
        }
    }

    /// The values of all properties, those of related objects included.
    private func text(of value: Any) -> String {
        let mirror = Mirror(reflecting: value)
        guard !mirror.children.isEmpty else { return "\(value)" }
        let parts = mirror.children.map { "\($0.label ?? ""):\(text(of: $0.value))" }
        return "(\(parts.joined(separator: " ")))"
    }

    private func rows(of table: PropertyTable) -> [String] {
        [table.name]
            + table.properties.map {
                let relation = $0.relation.map { "\($0.table.name) \($0.isToMany)" } ?? "none"
                return "\($0.name) \($0.source) \($0.isRequired) \(relation)"
            }
    }
}
#endif
