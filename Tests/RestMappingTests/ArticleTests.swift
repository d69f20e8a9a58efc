// SPDX-License-Identifier: Apache-2.0

#if Macros
import Foundation
import RestDocument
import RestMapping
import TestSupport
import Testing

/// Tests of the code in the catalog's articles.
@Suite struct ArticleTests {
    /// This file contains each line of code in the articles, except for comments.
    @Test func containsAllCodeOfArticles() throws {
        let code = try ArticleCode(of: "RestMapping", besides: #filePath)
        #expect(code.articleCount > 8)
        #expect(try code.lines(missingIn: #filePath).isEmpty)
    }

    // MARK: RestMapping

    enum Landing {
        @Mapped struct Article {
            let id: Int
            var title: String
            @MappedKey("published_at") var publishedAt: Date?
            var tags: [String] = []
        }
    }

    @Test func landingPage() throws {
        typealias Article = Landing.Article
        let document = try Document(parsing: #"{"id": 1, "title": "New", "published_at": null}"#)
        let plan = try MappingPlan(Article.self)
        let article = try plan.object(Article.self, from: document.root)
        #expect(article.id == 1 && article.title == "New" && article.publishedAt == nil)
        #expect(article.tags.isEmpty)
    }

    // MARK: GettingStarted

    enum Start {
        @Mapped(keys: .snakeCase) struct Author {
            let id: Int
            var fullName: String
            @MappedKey("links.avatar") var avatar: URL?
            @MappedIgnored var isSelected = false
        }

        @Mapped(keys: .snakeCase) struct Post {
            let id: Int
            var title: String
            var publishedAt: Date?
            var author: Author?
            var comments: [Comment] = []
        }

        @Mapped struct Comment {
            var text: String
            var replies: [Comment] = []
        }
    }

    @Test func gettingStarted() throws {
        typealias Post = Start.Post
        let body = Array(
            #"""
            [{"id": 1, "title": "a", "published_at": "1970-01-01T00:00:10Z",
              "author": {"id": 7, "full_name": "Ann", "links": {"avatar": "https://a.b/c"}},
              "comments": [{"text": "x", "replies": [{"text": "y"}]}]}]
            """#.utf8)
        let change = try Document(parsing: #"{"title": "b"}"#)

        let posts = try MappingPlan(Post.self)
        let document = try Document(parsing: body)
        var report = MappingReport()
        let list = try posts.objects(Post.self, from: document.root, report: &report)
        #expect(report.issues.isEmpty)
        #expect(list[0].author?.fullName == "Ann" && list[0].author?.avatar?.path() == "/c")
        #expect(list[0].publishedAt == Date(timeIntervalSince1970: 10))
        #expect(list[0].comments[0].replies[0].text == "y")
        let changed = try posts.object(updating: list[0], from: change.root, report: &report)
        #expect(changed.title == "b" && changed.comments.count == 1)

        let feed = ObjectMapping(for: Post.self) {
            attribute("guid", to: \.id)
            attribute("headline.text", to: \.title)
            attribute("date", to: \.publishedAt, using: DateFormat.seconds)
            relationship("written_by", to: \.author)
        }
        let feedPlan = try MappingCompiler().compile(feed)
        let item = try Document(
            parsing: #"{"guid": 2, "headline": {"text": "h"}, "date": 20, "written_by": null}"#)
        let post = try feedPlan.object(Post.self, from: item.root, report: &report)
        #expect(post.id == 2 && post.title == "h")
        #expect(post.publishedAt == Date(timeIntervalSince1970: 20))
    }

    // MARK: Concepts

    enum Ideas {
        @Mapped struct Person {
            var name: String
            var email: String?
        }

        @Mapped struct ProfilePatch {
            var nickname: Field<String> = .missing
            var motto: Field<String> = .missing
        }
    }

    @Test func concepts() throws {
        typealias Person = Ideas.Person
        typealias ProfilePatch = Ideas.ProfilePatch
        let sources: [SourcePath] = [
            "author.name",
            "comments[0].text",
            "comments.@count",
            "lines.@sum.price",
            "@parent.id",
            "@root.page",
            "@metadata.HTTP.request.URL",
            #"\@type"#,
        ]
        #expect(sources.last == SourcePath([.key("@type")]))

        var people = ObjectMapping(for: Person.self) {
            keyOfRepresentation(to: \.name)
            attribute("{name}.email", to: \.email)
        }
        people.forcesCollection = true
        let json = #"{"blake": {"email": "B@x.org"}, "ann": {"email": null}}"#
        #expect(try map(Person.self, json, with: people).map(\.name) == ["blake", "ann"])

        let patch = try map(ProfilePatch.self, #"{"motto": null}"#)[0]
        #expect(patch.nickname == .missing && patch.motto == .null)
        let text = try RequestPlan(ProfilePatch.self).bytes(of: patch)
        #expect(String(decoding: text, as: UTF8.self) == #"{"motto":null}"#)

        var checked = ObjectMapping(for: Person.self)
        checked.validate(\Person.name) { name in
            name.isEmpty ? .reject : .accept
        }
        checked.validate(\Person.email) { email in
            guard let email else { return .accept }
            return .replace(email.lowercased())
        }
        let lowered = try map(Person.self, #"{"name": "a", "email": "B@x.org"}"#, with: checked)
        #expect(lowered[0].email == "b@x.org")
        #expect(throws: MappingError.self) {
            try map(Person.self, #"{"name": ""}"#, with: checked)
        }
    }

    // MARK: ChoosingMappings

    @Test func choosingMappings() throws {
        typealias Cat = Zoo.Cat
        typealias Dog = Zoo.Dog
        typealias Owner = Zoo.Owner
        typealias Account = Zoo.Account
        var report = MappingReport()
        let cat = ObjectMapping(for: Cat.self)
        let dog = ObjectMapping(for: Dog.self)
        let animals = DynamicMapping([
            MappingMatcher(at: "kind", mappings: ["cat": cat, "dog": dog]),
            MappingMatcher(at: "barks", is: .boolean, mapping: dog),
            MappingMatcher(mapping: cat) { $0["lives"]?.int64 == 9 },
        ])
        let list = #"[{"kind": "cat", "name": "a"}, {"name": "b", "barks": true}, {"name": "c"}]"#
        let plan = try MappingCompiler().compile(animals)
        do {
            let document = try Document(parsing: list)
            let zoo = try plan.anyObjects(from: document.root, report: &report)
            #expect(zoo.map { "\(type(of: $0))" } == ["Cat", "Dog"])
        }

        let owners = ObjectMapping(for: Owner.self) {
            attribute("name", to: \.name)
            relationship("pets", to: \.pets, mapping: animals)
        }
        let owner = try map(Owner.self, #"{"name": "o", "pets": \#(list)}"#, with: owners)[0]
        #expect(owner.pets[0] is Cat && owner.pets[1] is Dog && owner.pets.count == 2)

        var decoder = DocumentDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let settings = CodableMapping(for: Settings.self, decoder: decoder)
        let accounts = ObjectMapping(for: Account.self) {
            attribute("id", to: \.id)
            relationship("prefs", to: \.settings, mapping: settings)
        }
        let account = try map(
            Account.self, #"{"id": 1, "prefs": {"font_size": 3}}"#, with: accounts)[0]
        #expect(account.settings?.fontSize == 3)

        let operation = try MapperOperation([
            "data.animals": .dynamic(animals),
            "data.settings": .codable(CodableMapping(for: Settings.self)),
        ])
        let document = try Document(
            parsing: #"{"data": {"animals": \#(list), "settings": {"fontSize": 4}}}"#)
        let result = try operation.run(document.root)
        let cats = result.objects(of: Cat.self)
        #expect(cats.map(\.name) == ["a"])
        #expect(result.objects(of: Settings.self).map(\.fontSize) == [4])
    }

    // MARK: ValuesAndTransforms

    enum Conversions {
        @Mapped struct Article {
            let id: Int
            var title: String
            var at: Date?
            var price: Decimal?
            var status: Status?
            var temperature: Celsius?
        }

        struct Unreadable: Error {}

        enum Status: String, MappableValue, UnknownValue {
            case open, closed, other
            static let unknown = other
        }

        struct Celsius: MappableValue {
            var degrees: Double

            static func map(from source: ValueSource) throws(MappingFailure) -> Celsius {
                let degrees = try source.read(Double.self)
                guard degrees > -273.16 else { throw source.failure(.outOfRange, "a temperature") }
                return Celsius(degrees: degrees)
            }

            func write(to writer: inout RequestWriter) throws(MappingFailure) {
                try writer.write(degrees)
            }
        }
    }

    @Test func valuesAndTransforms() throws {
        typealias Article = Conversions.Article
        typealias Unreadable = Conversions.Unreadable
        let strict = ObjectMapping(for: Article.self, conversion: .strict)
        var report = MappingReport()
        let text = #"{"id": 1, "title": 5}"#
        #expect(throws: MappingError.self) { try map(Article.self, text, with: strict) }
        #expect(try map(Article.self, text)[0].title == "5")

        let grown = try map(Article.self, #"{"id": 1, "title": "a", "status": "new"}"#)[0]
        #expect(grown.status == .other)

        var conversion = ConversionOptions()
        conversion.dates.prepend(try DateFormat("dd.MM.yyyy HH:mm"))
        let german = ObjectMapping(for: Article.self, conversion: conversion)
        let dated = try map(
            Article.self, #"{"id": 1, "title": "a", "at": "01.01.1970 00:01"}"#, with: german)[0]
        #expect(dated.at == Date(timeIntervalSince1970: 60))

        let title = ValueTransform<String>("title") { node in
            guard let text = node.string else { throw Unreadable() }
            return text.uppercased()
        }
        let loud = ObjectMapping(for: Article.self) {
            attribute("id", to: \.id)
            attribute("title", to: \.title, using: title, policy: .strict)
        }
        #expect(try map(Article.self, #"{"id": 1, "title": "a"}"#, with: loud)[0].title == "A")
        #expect(throws: MappingError.self) {
            try map(Article.self, #"{"id": 1, "title": 5}"#, with: loud)
        }

        let prices = AnyValueTransform("cents", between: Int.self, and: Decimal.self) { cents in
            Decimal(cents) / 100
        } back: { price in
            NSDecimalNumber(decimal: price * 100).intValue
        }
        var priced = ObjectMapping(for: Article.self)
        priced.remove(to: "price")
        priced.add(AttributeMapping("price", to: "price", using: prices))
        let cheap = try map(
            Article.self, #"{"id": 1, "title": "a", "price": 250}"#, with: priced)[0]
        #expect(cheap.price == Decimal(string: "2.5"))

        _ = try map(
            Article.self, #"{"id": 1, "title": "a", "temperature": -300}"#, with: nil,
            report: &report)
        #expect(report.issues.map(\.code) == [.outOfRange])
    }

    // MARK: ErrorsAndReports

    @Test func errorsAndReports() throws {
        typealias Article = Landing.Article
        var wrong = ObjectMapping(for: Article.self)
        wrong.add("headline", from: "headline")
        wrong.add("titel", from: "name")
        do {
            _ = try MappingCompiler().compile(wrong)
            Issue.record("the invalid mapping was compiled")
        } catch {
            #expect(
                error.diagnostics.map(\.description)
                    == [
                        "Article has no property 'headline'",
                        "Article has no property 'titel'; did you mean 'title'?",
                    ])
        }

        let document = try Document(
            parsing: #"[{"id": 1, "title": "a"}, {"id": "x", "title": "b"}]"#)
        var report = MappingReport()
        let mapping = ObjectMapping(for: Article.self, policy: .lenient)
        let lenient = try MappingCompiler().compile(mapping)
        let articles = try lenient.objects(Article.self, from: document.root, report: &report)
        #expect(articles.count == 1)
        #expect(report.issues.map(\.path.description) == ["[1].id"])
        #expect(report.droppedObjectCount == 1)

        let plan = try MappingPlan(Article.self)
        do {
            _ = try plan.objects(Article.self, from: document.root, report: &report)
            Issue.record("the invalid article was built")
        } catch {
            #expect(error.code == .invalidObject)
            #expect(error.path.description == "[1].id")
        }

        let explanation = plan.explain(document.root[0] ?? document.root)
        let lines = explanation.description
        #expect(lines.contains("Article.id is assigned from 'id'"))
        #expect(
            lines.contains(
                "Article.publishedAt is not assigned: there is no value at 'published_at'"))
    }

    // MARK: WritingRequests

    enum Writing {
        @Mapped struct Author {
            var name: String
        }

        @Mapped struct Article {
            let id: Int
            var title: String
            var publishedAt: Date?
            var author: Author?
        }

        @Mapped struct Search {
            var number: Int?
            var text: String?
        }
    }

    @Test func writingRequests() throws {
        typealias Article = Writing.Article
        typealias Search = Writing.Search
        let article = Article(
            id: 1, title: "a", publishedAt: nil, author: Writing.Author(name: "Ann"))
        let plan = try RequestPlan(Article.self)
        let json = try plan.bytes(of: article)
        let form = try FormFormat().text(of: plan.document(of: article))
        #expect(
            String(decoding: json, as: UTF8.self)
                == #"{"id":1,"title":"a","publishedAt":null,"author":{"name":"Ann"}}"#)
        #expect(form == "author[name]=Ann&id=1&publishedAt&title=a")

        var mapping = RequestMapping(for: Article.self) {
            attribute(\.title, to: "article.headline")
            attribute(\.publishedAt, to: "article.date", using: .rfc3339)
            attribute("author.name", to: "article.by")
        }
        mapping.omitsNil = true
        let wrapped = try RequestPlan(mapping, rootKey: "data")
        #expect(
            String(decoding: try wrapped.bytes(of: article), as: UTF8.self)
                == #"{"data":{"article":{"headline":"a","by":"Ann"}}}"#)

        let responses = ObjectMapping(for: Article.self, ["guid": "id", "headline": "title"])
        let inverse = responses.inverse { $0.destination != "id" }
        #expect(
            String(decoding: try RequestPlan(inverse).bytes(of: article), as: UTF8.self)
                == #"{"headline":"a"}"#)

        var search = DynamicRequestMapping(for: Search.self)
        search.add(RequestMapping(for: Search.self, ["number"])) { (search: Search) in
            search.number != nil
        }
        search.add(RequestMapping(for: Search.self, ["text"])) { (_: Search) in true }
        let searches = try RequestPlan(search).bytes(
            ofAll: [Search(number: 1, text: "a"), Search(number: nil, text: "b")])
        #expect(String(decoding: searches, as: UTF8.self) == #"[{"number":1},{"text":"b"}]"#)
    }

    // MARK: MovingFromRestKit

    enum Moving {
        @Mapped struct Author {
            var name: String
        }

        @Mapped final class Article {
            var articleID: Int = 0
            var title: String = ""
            var author: Author?
        }
    }

    @Test func movingFromRestKit() throws {
        typealias Article = Moving.Article
        let mapping = ObjectMapping(for: Article.self) {
            attribute("id", to: \.articleID)
            attribute("title", to: \.title)
            relationship("author", to: \.author)
        }
        let articles = try map(
            Article.self, #"{"id": 1, "title": "a", "author": {"name": "b"}}"#, with: mapping)
        #expect(articles[0].articleID == 1 && articles[0].author?.name == "b")
    }
}

/// The models of the article about choosing mappings, at file scope because they inherit from each
/// other.
enum Zoo {
    @Mapped class Animal {
        var name: String = ""
    }

    @Mapped final class Cat: Animal {
        var lives: Int = 9
    }

    @Mapped final class Dog: Animal {
        var barks: Bool = false
    }

    @Mapped struct Owner {
        var name: String
        var pets: [Animal] = []
    }

    @Mapped struct Account {
        let id: Int
        var settings: Settings?
    }
}

struct Settings: Codable {
    var fontSize: Int
}

extension Settings: MappableCodable {}
#endif
