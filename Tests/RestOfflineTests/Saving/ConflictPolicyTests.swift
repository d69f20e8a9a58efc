// SPDX-License-Identifier: Apache-2.0

import RestKit
import RestOffline
import RestTesting
import Testing

/// Properties that the server has changed since they were edited.
@MainActor @Suite struct ConflictPolicyTests {
    /// A policy, and what both sides have at the end.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let policy: ObjectConflictPolicy<Memo>
        let title: String
        let isSent: Bool
        var mine = ("Mine", 5)
        var theirs = ("Theirs", 7)
    }

    nonisolated static let rows: [Row] = [
        Row(testDescription: "local", policy: .local, title: "Mine", isSent: true),
        Row(testDescription: "server", policy: .server, title: "Theirs", isSent: false),
        Row(
            testDescription: "newer server", policy: .newer(\.changed), title: "Theirs",
            isSent: false),
        Row(
            testDescription: "newer local", policy: .newer(\.changed), title: "Mine", isSent: true,
            mine: ("Mine", 9)),
        Row(
            testDescription: "equal times", policy: .newer(\.changed), title: "Theirs",
            isSent: false, mine: ("Mine", 7)),
        Row(
            testDescription: "function",
            policy: .merge { base, local, server in
                var merged = server
                merged.title = [base.title, local.title, server.title].compactMap(\.self)
                    .joined(separator: "+")
                return merged
            }, title: "A+Mine+Theirs", isSent: true),
    ]

    @Test(arguments: rows) func policyDecidesAboutConflict(_ row: Row) async throws {
        let fixture = try await OfflineFixture(OfflineFixture.paused) {
            Sends(Memo.self).merging(row.policy).overwritingMembers(\.labels)
        }
        let memo = try await fixture.load(
            Memo.self, 1, ["title": .string("A"), "changed": .number(1)])
        (memo.title, memo.changed) = row.mine
        try fixture.save()
        fixture.server.change(
            "memos", 1, ["title": .string(row.theirs.0), "changed": .number(row.theirs.1)])
        try await fixture.reload(Memo.self, 1)
        #expect(memo.title == row.title)
        #expect(try fixture.entries() == (row.isSent ? ["Memo|update|waiting"] : []))
        try await fixture.send()
        #expect(fixture.server.value("memos", 1, "title") == .string(row.title))
        #expect(memo.title == row.title)
    }

    @Test func functionOfPropertyDecidesFirst() async throws {
        let fixture = try await OfflineFixture(OfflineFixture.paused) {
            Sends(Memo.self).merging(.server).merging(\.text, .text)
                .merging(\.changed, .merge { base, local, server in local + server - base })
                .overwritingMembers(\.labels)
        }
        let memo = try await fixture.load(
            Memo.self, 1,
            ["title": .string("A"), "text": .string("one two three"), "changed": .number(10)])
        (memo.title, memo.text, memo.changed) = ("Mine", "one 2 three", 13)
        try fixture.save()
        fixture.server.change(
            "memos", 1,
            [
                "title": .string("Theirs"), "text": .string("one two three four"),
                "changed": .number(15),
            ])
        try await fixture.reload(Memo.self, 1)
        #expect(memo.title == "Theirs")
        #expect(memo.text == "one 2 three four")
        #expect(memo.changed == 18)
        try await fixture.send()
        #expect(fixture.server.value("memos", 1, "text") == .string("one 2 three four"))
        #expect(fixture.server.value("memos", 1, "changed") == .number(18))
    }

    @Test func forkKeepsBothSides() async throws {
        let fixture = try await OfflineFixture(OfflineFixture.paused) {
            Sends(Memo.self).merging(.fork).overwritingMembers(\.labels)
        }
        let memo = try await fixture.load(
            Memo.self, 1, ["title": .string("A"), "text": .string("x")])
        memo.title = "Mine"
        try fixture.save()
        fixture.server.change("memos", 1, ["title": .string("Theirs"), "text": .string("y")])
        try await fixture.reload(Memo.self, 1)
        #expect(memo.title == "Theirs")
        let all = try fixture.context.fetch(Memo.self)
        let copy = try #require(all.first { $0 != memo })
        #expect(all.count == 2)
        #expect(copy.title == "Mine")
        #expect(copy.id == nil)
        #expect(try fixture.entries() == ["Memo|creation|waiting"])
        try await fixture.send()
        #expect(fixture.server.value("memos", 1, "title") == .string("Theirs"))
        #expect(fixture.server.value("memos", 101, "title") == .string("Mine"))
        #expect(copy.id == 101)
    }

    @Test func userDecidesAboutConflict() async throws {
        let fixture = try await OfflineFixture(OfflineFixture.paused) {
            Sends(Memo.self).merging(.user).overwritingMembers(\.labels)
        }
        let memo = try await fixture.load(Memo.self, 1, ["title": .string("A")])
        memo.title = "Mine"
        try fixture.save()
        fixture.server.change("memos", 1, ["title": .string("Theirs")])
        try await fixture.reload(Memo.self, 1)
        #expect(try await fixture.outbox.state(of: memo) == .conflicted)
        #expect(memo.title == "Mine")
        let entry = try await fixture.entry
        try await fixture.outbox.retry(entry.id)
        try await fixture.send()
        #expect(fixture.server.value("memos", 1, "title") == .string("Mine"))
    }

    @Test func outcomeNamesMergedProperties() async throws {
        let fixture = try await OfflineFixture(OfflineFixture.paused) {
            Sends(Memo.self).overwritingMembers(\.labels)
        }
        let memo = try await fixture.load(
            Memo.self, 1, ["title": .string("A"), "text": .string("x")])
        (memo.title, memo.text) = ("Mine", "mine")
        try fixture.save()
        fixture.server.change("memos", 1, ["title": .string("Theirs")])
        try await fixture.reload(Memo.self, 1)
        fixture.outbox.resume()
        #expect(try await fixture.outbox.outcome(of: memo) == .merged(["title"]))
        let merge = try #require(try await fixture.outbox.merges().first)
        #expect(merge.objectID == memo.objectID)
        let property = try #require(merge.properties.first)
        #expect(merge.properties.count == 1)
        #expect(property.base == "\"A\"")
        #expect(property.local == "\"Mine\"")
        #expect(property.server == "\"Theirs\"")
        #expect(property.result == "\"Mine\"")
    }

    @Test func undoOfMergeIsSave() async throws {
        let fixture = try await OfflineFixture(OfflineFixture.paused) {
            Sends(Memo.self).merging(.server).overwritingMembers(\.labels)
        }
        let memo = try await fixture.load(
            Memo.self, 1, ["title": .string("A"), "text": .string("x")])
        (memo.title, memo.text) = ("Mine", "mine")
        try fixture.save()
        fixture.server.change("memos", 1, ["title": .string("T"), "text": .string("t")])
        try await fixture.reload(Memo.self, 1)
        #expect(try fixture.entries() == [])
        #expect(try await fixture.outbox.outcome(of: memo) == .merged(["title", "text"]))
        // A later edit stays.
        memo.text = "later"
        try fixture.save()
        let merge = try #require(try await fixture.outbox.merges().first)
        #expect(try await fixture.outbox.undo(merge.id) == ["title"])
        fixture.context.refreshAllObjects()
        #expect(memo.title == "Mine")
        #expect(memo.text == "later")
        try await fixture.send()
        #expect(fixture.server.value("memos", 1, "title") == .string("Mine"))
    }

    @Test func latestMergesAreKept() async throws {
        var configuration = OfflineFixture.paused
        configuration.keptMergeCount = 2
        let fixture = try await OfflineFixture(configuration) {
            Sends(Memo.self).overwritingMembers(\.labels)
        }
        let memo = try await fixture.load(Memo.self, 1, ["title": .string("A")])
        memo.title = "Mine"
        try fixture.save()
        for title in ["B", "C", "D"] {
            fixture.server.change("memos", 1, ["title": .string(title)])
            try await fixture.reload(Memo.self, 1)
        }
        let merges = try await fixture.outbox.merges()
        #expect(merges.map(\.properties.first?.server) == ["\"D\"", "\"C\""])
        let first = try #require(merges.last)
        #expect(first.properties.first?.base == "\"B\"")
    }

    @Test(
        arguments: [
            ("one two three", "one 2 three", "one two three four", "one 2 three four"),
            ("a b c", "a c", "a b c d", "a c d"),
            ("a", "a", "b", "b"),
            ("a", "b", "a", "b"),
            ("a b", "x b", "x b", "x b"),
            ("a b", "x b", "y b", nil),
            ("", "a", "b", nil),
            ("", "", "", ""),
            ("a\nb\nc\n", "a\nB\nc\n", "a\nb\nC\n", "a\nB\nC\n"),
            ("Käse 🧀.", "Käse 🧀!", "Der Käse 🧀.", "Der Käse 🧀!"),
        ] as [(String, String, String, String?)])
    func textHasChangesOfBothSides(
        _ base: String, _ local: String, _ server: String, _ merged: String?
    ) {
        #expect(TextMerge.merged(base: base, local: local, server: server) == merged)
        #expect(TextMerge.merged(base: base, local: server, server: local) == merged)
    }
}
