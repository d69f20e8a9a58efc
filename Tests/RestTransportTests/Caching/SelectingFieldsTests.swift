// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestTransport
import TestSupport
import Testing

@Suite(.tags(.specification)) struct SelectingFieldsTests {
    private func selects(
        _ vary: [String], stored: [(String, String)], asked: [(String, String)]
    ) throws -> Bool {
        let request = try CacheSamples.request(.get, stored)
        let entry = try CacheSamples.entry(vary.map { ("Vary", $0) }, for: request)
        return SelectingFields.match(entry, try CacheSamples.request(.get, asked))
    }

    typealias Lines = [(String, String)]

    @Test(
        .threat("T42"),
        arguments: [
            (["Foo"], [("Foo", "1")], [("Foo", "1")], true),
            (["Foo"], [("Foo", "1")], [("foo", "1"), ("Other", "2")], true),
            (["foo, bar"], [("Foo", "1"), ("Bar", "2")], [("Bar", "2"), ("Foo", "1")], true),
            (["foo", "bar"], [("Foo", "1")], [("Foo", "1")], true),
            (["Foo"], [("Foo", "1")], [("Foo", "2")], false),
            (["Foo"], [("Foo", "1")], [], false),
            (["Foo"], [], [("Foo", "1")], false),
            (["Foo"], [], [("Foo", "")], false),
            (["Foo"], [("Foo", "")], [], false),
            (["Foo"], [("Foo", "")], [("Foo", "")], true),
            (["foo", "bar"], [("Foo", "1")], [("Foo", "1"), ("Bar", "2")], false),
            (["Authorization"], [("Authorization", "a")], [("Authorization", "b")], false),
            (["Authorization"], [("Authorization", "a,b")], [("Authorization", "a, b")], false),
            (["Cookie"], [("Cookie", "a=1")], [("Cookie", "a=2")], false),
            (["Accept-Language"], [("Accept-Language", "en")], [("Accept-Language", "is")], false),
            (["Foo"], [("Foo", "1, 2")], [("Foo", "1"), ("Foo", "2")], true),
            (["Foo"], [("Foo", "1,2")], [("Foo", "1 ,  2")], true),
            (["Foo"], [("Foo", "1,2")], [("Foo", "12")], false),
            (["Foo"], [("Foo", "\"a,b\"")], [("Foo", "\"a, b\"")], false),
            (["Foo"], [("Foo", "a")], [("Foo", "A")], false),
            (
                ["Accept-Language"], [("Accept-Language", "en, de")],
                [("Accept-Language", " eN ,   De")], true
            ),
            (
                ["Accept-Language"], [("Accept-Language", "en;q=0.5, de")],
                [("Accept-Language", "de, en; q=0.5")], true
            ),
            (
                ["Accept-Language"], [("Accept-Language", "en, de")],
                [("Accept-Language", "de, en")], false
            ),
        ] as [([String], Lines, Lines, Bool)])
    func matchesByFieldsInVary(
        vary: [String], stored: Lines, asked: Lines, isSelected: Bool
    ) throws {
        #expect(try selects(vary, stored: stored, asked: asked) == isSelected)
    }

    @Test(
        .threat("T42"),
        arguments: [["*"], ["*, *"], [", *"], ["", "*"], ["Foo, *"], ["*", "Foo"], ["a b"]])
    func neverMatchesVaryAsterisk(vary: [String]) throws {
        let head = CacheSamples.head(200, vary.map { ("Vary", $0) } + [("ETag", "\"a\"")])
        let request = try CacheSamples.request(.get, [("Foo", "1")])
        #expect(StorableResponse(head, to: request, at: CacheSamples.now) == nil)
        #expect(try !selects(vary, stored: [("Foo", "1")], asked: [("Foo", "1")]))
    }

    @Test func storesNoRequestValues() throws {
        let head = CacheSamples.head(200, [("Vary", "X-Api-Key, Cookie")])
        let request = try CacheSamples.request(
            .get, [("X-Api-Key", "canary"), ("Cookie", "canary")])
        let fields = try #require(SelectingFields.digests(of: request, for: head))
        #expect(fields.count == 2)
        #expect(fields.allSatisfy { !$0.value.contains("canary") })
    }
}
