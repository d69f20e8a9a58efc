// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestPersistence
import RestSearch
import TestSupport
import Testing

/// Texts of users as search words, values of predicates, and names.
@Suite(.enabled(if: SharedFiles.isAvailable, "shared corpus not found"))
struct NaughtyStringTests {
    private static let syntax = [
        "\"", "a\" OR \"b", "a AND", "NOT", "NEAR(a b, 1)", "body : a", "{body} : a", "^a", "a*",
        "(a",
        "a + b", "- a", "body:a", "'", "'; DROP TABLE Text; --", "%", "_", "a%b_c", "[a]", "?1",
        ":a",
        "\\", "x\0y", "\0",
    ]

    private static func texts() throws -> [String] {
        let data = try SharedFiles.data("suites/naughty-strings/blns.json")
        return try JSONDecoder().decode([String].self, from: data) + syntax
    }

    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    /// Opens a store with an object for each text.
    private func open(_ texts: [String]) async throws -> ManagedObjectStore {
        let store = try await files.open([
            EntityDescription(
                "Text",
                attributes: [
                    AttributeDescription("number", .integer),
                    AttributeDescription("body", .text, isSearchable: true),
                ])
        ])
        try await store.perform { context in
            for (number, text) in texts.enumerated() {
                let object = try context.insert(entity: "Text")
                try object.setValue(number, "number")
                try object.setValue(text, "body")
            }
            try context.save()
        }
        return store
    }

    private static func numbers(
        _ predicate: FetchPredicate, in context: ManagedObjectContext
    ) throws -> Set<Int> {
        Set(
            try context.fetch(FetchRequest("Text", where: predicate)).map {
                try $0.value("number", as: Int.self)
            })
    }

    @Test(.threat("T58")) func searchFindsWhatWordsMean() async throws {
        let texts = try Self.texts()
        let tokenizer = SearchTokenizer()
        let words = texts.map { tokenizer.words(in: $0) }
        let store = try await open(texts)
        try await store.read { context in
            for (number, text) in texts.enumerated() {
                let query = words[number]
                let all = try Self.numbers(.search(.all(text)), in: context)
                let expected = texts.indices.filter { index in
                    query.allSatisfy { word in
                        words[index].contains { Array($0.utf8).starts(with: word.utf8) }
                    }
                }
                #expect(all == Set(expected), "text \(number)")
                let any = try Self.numbers(.search(.any(text, wholeWords: true)), in: context)
                let some = texts.indices.filter { !Set(words[$0]).isDisjoint(with: query) }
                #expect(any == Set(some), "text \(number)")
                let phrase = try Self.numbers(.search(.phrase(text)), in: context)
                #expect(phrase.contains(number), "text \(number)")
                let excluded = try Self.numbers(.search(!.all(text)), in: context)
                #expect(excluded == Set(texts.indices).subtracting(all), "text \(number)")
                if !query.isEmpty {
                    #expect(try !context.search("Text", .all(text)).isEmpty, "text \(number)")
                }
            }
        }
    }

    @Test(.threat("T58")) func predicatesCompareValues() async throws {
        let texts = try Self.texts()
        let bytes = texts.map { Array($0.utf8) }
        let store = try await open(texts)
        try await store.read { context in
            for (number, text) in texts.enumerated() {
                let equal = try Self.numbers(.attribute("body", .equal, text), in: context)
                #expect(
                    equal == Set(bytes.indices.filter { bytes[$0] == bytes[number] }),
                    "text \(number)")
                #expect(
                    try Self.numbers(.attribute("body", in: [text]), in: context) == equal,
                    "text \(number)")
                let prefixed = try Self.numbers(.text("body", .hasPrefix, text), in: context)
                #expect(
                    prefixed == Set(bytes.indices.filter { bytes[$0].starts(with: bytes[number]) }),
                    "text \(number)")
                for options in [[], .caseInsensitive, .diacriticInsensitive] as [TextOptions] {
                    let containing = try Self.numbers(
                        .text("body", .contains, text, options), in: context)
                    #expect(containing.isSuperset(of: equal), "text \(number)")
                }
            }
        }
    }

    /// Names that are not those of properties are errors, and never SQL.
    @Test(.threat("T58")) func namesAreNotSQL() async throws {
        let texts = try Self.texts()
        let store = try await open(["a", "b"])
        try await store.read { context in
            for (number, text) in texts.enumerated() {
                let requests = [
                    FetchRequest("Text", where: .attribute(text, .equal, "a")),
                    FetchRequest("Text", where: .all, orderBy: [.ascending(text)]),
                    FetchRequest("Text", where: .search(.all("a", in: [text]))),
                    FetchRequest(text, where: .all),
                ]
                for (position, request) in requests.enumerated() {
                    let error = #expect(throws: PersistenceError.self, "text \(number)") {
                        _ = try context.fetch(request)
                    }
                    let codes: [PersistenceError.Code] = [
                        .unknownProperty, .unknownEntity, .invalidPredicate,
                    ]
                    #expect(
                        codes.contains { $0 == error?.code }, "text \(number), request \(position)")
                }
            }
        }
        #expect(try files.rows("SELECT count(*) FROM Text") == [["2"]])
    }
}
