// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestSearch
import TestSupport
import Testing

@testable import RestPersistence

@Suite struct SearchPredicateTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    /// Inserts cats and returns the result of a closure.
    private func find<Result: Sendable>(
        _ names: [String], isSaved: Bool,
        _ body: @escaping @Sendable (ManagedObjectContext) throws -> Result
    ) async throws -> Result {
        let store = try await ManagedObjectStore(
            at: files.file,
            model: SearchConfigurationTests.model(
                ["Cat": ["name"]],
                SearchConfiguration(tokenizer: SearchTokenizer(stopWords: ["the"]))))
        return try await store.perform { context in
            defer { context.rollback() }
            for name in names {
                let cat = try context.insert(entity: "Cat")
                try cat.setValue(name as String?, "name")
            }
            if isSaved { try context.save() }
            return try body(context)
        }
    }

    private static func names(
        _ predicate: FetchPredicate, in context: ManagedObjectContext
    ) throws -> [String] {
        try context.fetch(
            FetchRequest("Cat", where: predicate, orderBy: [.ascending("name")])
        ).map { try $0.value("name", as: String.self) }
    }

    @Test(.parity("P303"), arguments: [true, false])
    func findsWordsByPrefix(_ isSaved: Bool) async throws {
        let names = ["Asia Penelope Watters", "Reginald Royford Williams, III"]
        let found = try await find(names, isSaved: isSaved) { context in
            [
                try Self.names(.search(.all("Asia")), in: context),
                try Self.names(.search(.any("Asia Roy")), in: context),
            ]
        }
        #expect(found == [["Asia Penelope Watters"], names])
    }

    /// The parser of FTS5 has a stack of 100 symbols.
    @Test(.threat("T58"), arguments: [true, false])
    func acceptsLongChains(_ isSaved: Bool) async throws {
        let names = (0..<300).map { "cat\($0)x" }
        let words = names.map { SearchPredicate.all($0) }
        let any = words.dropFirst().reduce(words[0]) { $0 || $1 }
        let all = words.dropFirst().reduce(words[0]) { $0 && $1 }
        // From the right, and with negations in between.
        let others = words.dropFirst().reversed().reduce(!words[0]) { !$1 && $0 }
        let found = try await find(names + ["dog"], isSaved: isSaved) { context in
            [
                try Self.names(.search(any), in: context).count,
                try context.search("Cat", any, limit: 1_000).count,
                try Self.names(.search(all), in: context).count,
                try Self.names(.search(others), in: context).count,
                try Self.names(.search(others && .all("dog")), in: context).count,
                try Self.names(.search(.all("dog") || any && !.any("cat7x")), in: context).count,
            ]
        }
        #expect(found == [300, 300, 0, 1, 1, 300])
    }

    @Test(.threat("T58")) func refusesDeepAlternation() async throws {
        @Sendable func predicate(_ depth: Int) -> SearchPredicate {
            (0..<depth).reduce(.all("a")) { inner, level in
                level.isMultiple(of: 2) ? inner || .all("b") : inner && .all("c")
            }
        }
        let codes = try await find(["a b c"], isSaved: true) { context in
            let found = try Self.names(.search(predicate(30)), in: context)
            #expect(found == ["a b c"])
            let fetch = #expect(throws: PersistenceError.self) {
                _ = try Self.names(.search(predicate(1_000)), in: context)
            }
            let search = #expect(throws: PersistenceError.self) {
                _ = try context.search("Cat", predicate(1_000))
            }
            return [fetch?.code, search?.code]
        }
        #expect(codes == [.invalidPredicate, .invalidPredicate])
    }

    @Test(.parity("P304"), arguments: [true, false])
    func findsSymbols(_ isSaved: Bool) async throws {
        let names = ["$", "£ sterling", "€ euro"]
        let found = try await find(names, isSaved: isSaved) { context in
            [
                try Self.names(.search(.all("$")), in: context),
                try Self.names(.search(.any("$ £ €")), in: context),
            ]
        }
        #expect(found == [["$"], names])
    }

    static let cats = [
        "black cat", "black dog", "cat black", "Catalog", "the cat's café", "\"\" *",
    ]

    static let predicates: [(SearchPredicate, [String])] = [
        (.all("cat black"), ["black cat", "cat black"]),
        (.all("cat"), ["Catalog", "black cat", "cat black", "the cat's café"]),
        (.all("cat", wholeWords: true), ["black cat", "cat black"]),
        (.phrase("black cat"), ["black cat"]), (.phrase("CAT'S  CAFE"), ["the cat's café"]),
        (.all("cat") && !.any("black"), ["Catalog", "the cat's café"]),
        (!.all("cat"), ["\"\" *", "black dog"]),
        (.any("dog") || .phrase("cat black"), ["black dog", "cat black"]),
        (.all("cat") && (.any("dog") || .any("cafe")), ["the cat's café"]),
        (.all("\""), ["\"\" *"]), (.all("*"), ["\"\" *"]), (.all("dog OR cat"), []),
        (.all("dog", in: ["name"]), ["black dog"]), (.any("zebra"), []),
    ]

    @Test(arguments: predicates.indices, [true, false])
    func combinesWords(_ index: Int, _ isSaved: Bool) async throws {
        let (predicate, expected) = Self.predicates[index]
        let found = try await find(Self.cats, isSaved: isSaved) { context in
            try Self.names(.search(predicate), in: context)
        }
        #expect(found == expected)
    }

    @Test(.parity("K111"), arguments: ["", " ", "the"])
    func emptyTextMatchesAllOrNone(_ text: String) async throws {
        let found = try await find(Self.cats, isSaved: true) { context in
            [
                try Self.names(.search(.all(text)), in: context).count,
                try Self.names(.search(.any(text)), in: context).count,
                try Self.names(.search(!.any(text)), in: context).count,
                try Self.names(.search(.all("dog") && .all(text)), in: context).count,
                try Self.names(.search(.all("dog") || .any(text)), in: context).count,
            ]
        }
        #expect(found == [6, 0, 6, 1, 1])
    }

    @Test(.parity("K111"), arguments: [true, false], ["", " ", "the"])
    func rankedSearchWithoutWordsIsThatOfFetch(_ isSaved: Bool, _ text: String) async throws {
        let found = try await find(Self.cats, isSaved: isSaved) { context in
            let predicates: [SearchPredicate] = [.all(text), .any(text), .phrase(text)]
            return try predicates.map { predicate in
                let found = try context.search("Cat", predicate, limit: 4, offset: 1)
                #expect(found.allSatisfy { $0.relevance == 0 })
                return try found.map { try $0.object.value("name", as: String.self) }
            }
        }
        let page = Array(Self.cats[1..<5])
        #expect(found == [page, [], page])
    }

    @Test(arguments: [true, false])
    func findsTypographicApostrophe(_ isSaved: Bool) async throws {
        let names = ["I don't", "I don\u{2019}t"]
        let found = try await find(names, isSaved: isSaved) { context in
            [
                try Self.names(.search(.all("don\u{2019}t")), in: context),
                try Self.names(.search(.phrase("i don't")), in: context),
            ]
        }
        #expect(found == [names, names])
    }

    /// Rows that another program deletes leave their words in the index.
    @Test(arguments: [true, false])
    func limitCountsNoDeletedRows(_ isChanged: Bool) async throws {
        let store = try await ManagedObjectStore(
            at: files.file, model: SearchConfigurationTests.model(["Cat": ["name"]]))
        try await store.perform { context in
            defer { context.rollback() }
            for number in 0..<10 {
                try context.insert(entity: "Cat").setValue("cat \(number)" as String?, "name")
            }
            try context.save()
        }
        try files.execute("DELETE FROM Cat WHERE name < 'cat 6'")
        try await store.perform { context in
            defer { context.rollback() }
            if isChanged {
                context.delete(try context.fetch(FetchRequest("Cat"))[0])
            }
            let found = try context.search("Cat", .all("cat"), limit: 3).map {
                try $0.object.value("name", as: String.self)
            }
            #expect(
                Set(found)
                    == (isChanged ? ["cat 7", "cat 8", "cat 9"] : ["cat 6", "cat 7", "cat 8"]))
        }
    }

    @Test(arguments: [true, false])
    func weightsAttributes(_ isSaved: Bool) async throws {
        let model = try ManagedObjectModel([
            EntityDescription(
                "Article",
                attributes: [
                    AttributeDescription("title", .text, isSearchable: true),
                    AttributeDescription("body", .text, isSearchable: true),
                    AttributeDescription("note", .text, default: .text("fjord")),
                ])
        ])
        let store = try await ManagedObjectStore(at: files.file, model: model)
        try await store.perform { context in
            defer { context.rollback() }
            for (title, body) in [("fjord", "sea"), ("sea", "fjord"), ("sun", "rain")] {
                let article = try context.insert(entity: "Article")
                try article.setValue(title, "title")
                try article.setValue(body, "body")
            }
            if isSaved { try context.save() }
            func titles(_ weights: [String: Double]) throws -> [String] {
                try context.search("Article", .all("fjord"), weights: weights).map {
                    try $0.object.value("title", as: String.self)
                }
            }
            #expect(try titles([:]) == ["fjord", "sea"])
            #expect(try titles(["title": 10]) == ["fjord", "sea"])
            #expect(try titles(["body": 10]) == ["sea", "fjord"])
            #expect(try titles(["title": 0, "body": 0.5]) == ["sea", "fjord"])
            let wrong: [[String: Double]] = [
                ["body": -1], ["body": .nan], ["note": 1], ["boby": 1],
            ]
            for weights in wrong {
                let error = #expect(throws: PersistenceError.self) { try titles(weights) }
                #expect(error?.code == .invalidPredicate)
                #expect(error?.property == weights.keys.first)
            }
            context.rollback()
        }
    }

    @Test func considersUnsavedChanges() async throws {
        let found = try await find(Self.cats, isSaved: true) { context in
            let cats = try context.fetch(FetchRequest("Cat", orderBy: [.ascending("name")]))
            try cats[2].setValue("white mouse" as String?, "name")
            context.delete(cats[4])
            let human = try context.insert(entity: "Human")
            try human.setRelated("cats", [cats[3]])
            let first = [
                try Self.names(.search(.all("black")), in: context),
                try Self.names(.search(.all("mouse")), in: context),
                try Self.names(.search(!.all("black") && !.all("cat")), in: context),
                try context.search("Cat", .any("mouse dog")).map {
                    try $0.object.value("name", as: String.self)
                }.sorted(),
            ]
            try cats[2].setValue("grey" as String?, "name")
            let owners = try context.fetch(
                FetchRequest("Human", where: .any("cats", .search(.all("dog")))))
            #expect(owners == [human])
            return first + [try Self.names(.search(.all("mouse")), in: context)]
        }
        #expect(
            found == [
                ["black dog"], ["white mouse"], ["\"\" *", "white mouse"],
                ["black dog", "white mouse"], [],
            ])
    }

    @Test func ranksAndHighlights() async throws {
        let names = ["far off a cat is a long way from home here", "cat, Cát and cats", "dog"]
        let found = try await find(names, isSaved: true) { context in
            try context.search("Cat", .all("cat"), limit: 2).map { result in
                let name = try result.object.value("name", as: String.self)
                #expect(result.relevance > 0)
                return result.snippet(of: name, words: 5).marked("[", "]")
            }
        }
        #expect(found == ["[cat], [Cát] and [cats]", "far off a [cat] is…"])
        let error = await #expect(throws: PersistenceError.self) {
            try await find([], isSaved: false) { _ = try $0.search("Cat", !.all("a")) }
        }
        #expect(error?.details == ["a ranked search cannot have a negation"])
    }

    @Test(arguments: [
        ("One cat.", "One [cat]."), ("Is it a cat?", "…a [cat]?"), ("a cat) ", "a [cat]) "),
        ("A cat is.", "A [cat]…"), ("cat...", "[cat].…"), ("a cat 猫", "a [cat]…"),
        ("\u{1F408} cat", "\u{1F408} [cat]"),
    ])
    func snippetEndsWithFullStop(text: String, expected: String) {
        let highlighter = SearchHighlighter(.all("cat"), SearchTokenizer())
        #expect(highlighter.snippet(of: text, words: 2).marked("[", "]") == expected)
    }

    @Test func namesUnsearchableAttributes() async throws {
        let errors = try await find([], isSaved: false) { context in
            [
                #expect(throws: PersistenceError.self) {
                    _ = try Self.names(.search(.all("a", in: ["human"])), in: context)
                },
                #expect(throws: PersistenceError.self) {
                    _ = try context.search("Human", .all("a"))
                },
            ]
        }
        #expect(errors.map { $0?.code } == [.invalidPredicate, .invalidPredicate])
        #expect(errors[0]?.property == "human")
        #expect(errors[1]?.details == ["the entity has no searchable attributes"])
    }
}
