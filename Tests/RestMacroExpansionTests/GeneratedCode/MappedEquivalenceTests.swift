// SPDX-License-Identifier: Apache-2.0

#if Macros
import RestDocument
import RestMapping
import TestSupport
import Testing

/// Types with generated members.
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

/// Types with handwritten members that equal the generated ones.
enum Handwritten {
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

extension Handwritten.Article: Mapped {
    struct Draft: MappingDraft {
        private var id: Int?
        private var title: String?
        private var year: Int?
        private var author: Handwritten.Author?
        private var tags = ["untagged"]

        init() {}

        init(editing subject: Handwritten.Article) {
            id = subject.id
            title = subject.title
            year = subject.year
            author = subject.author
            tags = subject.tags
        }

        mutating func assign(
            _ property: Int, from source: ValueSource
        ) throws(MappingFailure) {
            switch property {
            case 0: id = try source.read(Int.self)
            case 1: title = try source.read(String.self)
            case 2: year = try source.read(Int?.self)
            case 3: author = try source.read(Handwritten.Author?.self)
            case 4: tags = try source.read([String].self)
            default: break
            }
        }

        consuming func finish() throws(MappingFailure) -> Handwritten.Article {
            guard let id else { throw .missing(property: 0) }
            guard let title else { throw .missing(property: 1) }
            return Handwritten.Article(id: id, title: title, year: year, author: author, tags: tags)
        }
    }

    func write(
        _ property: Int, to writer: inout RequestWriter
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
        Handwritten.Article.self,
        [
            Property("id", \Handwritten.Article.id, Int.self, isRequired: true),
            Property("title", \Handwritten.Article.title, String.self, isRequired: true),
            Property("year", \Handwritten.Article.year, Int?.self, source: "publication.year"),
            Property("author", \Handwritten.Article.author, Handwritten.Author?.self),
            Property("tags", \Handwritten.Article.tags, [String].self),
        ])
}

extension Handwritten.Author: Mapped {
    struct Draft: MappingDraft {
        private var subject: Handwritten.Author?
        private var id: Int?
        private var name: String?
        private var articles: [Handwritten.Article]?

        init() {}

        init(editing subject: Handwritten.Author) { self.subject = subject }

        mutating func assign(
            _ property: Int, from source: ValueSource
        ) throws(MappingFailure) {
            switch property {
            case 0: id = try source.read(Int.self)
            case 1: name = try source.read(String.self)
            case 2: articles = try source.read([Handwritten.Article].self)
            default: break
            }
        }

        consuming func finish() throws(MappingFailure) -> Handwritten.Author {
            let author: Handwritten.Author
            if let subject {
                author = subject
            } else {
                guard let id else { throw .missing(property: 0) }
                author = Handwritten.Author(id: id)
            }
            if let name { author.name = name }
            if let articles { author.articles = articles }
            return author
        }
    }

    func write(
        _ property: Int, to writer: inout RequestWriter
    ) throws(MappingFailure) {
        switch property {
        case 0: try writer.write(id)
        case 1: try writer.write(name)
        case 2: try writer.write(articles)
        default: break
        }
    }

    static let properties = PropertyTable(
        Handwritten.Author.self,
        [
            Property("id", \Handwritten.Author.id, Int.self, isRequired: true),
            Property("name", \Handwritten.Author.name, String.self),
            Property("articles", \Handwritten.Author.articles, [Handwritten.Article].self),
        ])
}

@Suite struct MappedEquivalenceTests {
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

    @Test(arguments: articles) func generatesEquivalentStructureMapping(_ json: String) throws {
        let expected = try outcome(of: Handwritten.Article.self, json)
        #expect(try outcome(of: Generated.Article.self, json) == expected)
    }

    @Test(arguments: articles) func generatesEquivalentStructureUpdates(_ json: String) throws {
        let written = Handwritten.Article(id: 9, title: "old", year: 1, author: nil, tags: ["old"])
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

    @Test(arguments: authors) func generatesEquivalentClassMapping(_ json: String) throws {
        let expected = try outcome(of: Handwritten.Author.self, json)
        #expect(try outcome(of: Generated.Author.self, json) == expected)
    }

    @Test func generatesEqualPropertyTables() {
        #expect(rows(of: Generated.Article.properties) == rows(of: Handwritten.Article.properties))
        #expect(rows(of: Generated.Author.properties) == rows(of: Handwritten.Author.properties))
    }

    @Test func resolvesKeyPathsToIndices() {
        let article = Generated.Article.properties
        #expect(article.index(of: \Generated.Article.id) == 0)
        #expect(article.index(of: \Generated.Article.year) == 2)
        #expect(article.index(of: \Generated.Article.tags) == 4)
        #expect(Generated.Author.properties.index(of: \Generated.Author.articles) == 2)
    }

    // MARK: Comparison

    /// The result of a run: the values or the error, and the report.
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

    /// Returns the values of all properties, including those of related objects.
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
