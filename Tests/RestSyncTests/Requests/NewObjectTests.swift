// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestTesting
import Synchronization
import TestSupport
import Testing

@Entity final class Memo: ManagedObject {
    @Identity var slug: String?
    @MaximumLength(20) var text: String = ""
    var topic: Memo?
    @Inverse(\Memo.topic) var replies: Set<Memo>
}

/// An entity whose identity only the rules of a mapping name.
@Entity final class Jotting: ManagedObject {
    var slug: String?
    var text: String = ""
    @Inverse(\Jotting.parent) var children: Set<Jotting>
    var parent: Jotting?
    var related: Set<Jotting>
}

/// New objects whose rows a list brings before their own responses, and those that cannot be saved.
@MainActor @Suite(.tags(.socket)) struct NewObjectTests {
    private nonisolated static let lost = LoopbackResponse(status: 500)
    private nonisolated static let done = LoopbackResponse(status: 204)

    private struct Fixture {
        let api: ObjectManager
        let temporary: TemporaryStore
        @MainActor var context: ManagedObjectContext { temporary.store.mainContext }

        func rows() throws -> [String] {
            try temporary.rows("SELECT slug, text FROM Memo ORDER BY slug, restkit_key")
        }

        @MainActor func insert(_ slug: String?, _ text: String = "") throws -> Memo {
            let memo = try context.insert(Memo.self)
            (memo.slug, memo.text) = (slug, text)
            return memo
        }

        /// Fetches the list into the context or into the store.
        @MainActor func fetchList(inContext: Bool) async throws {
            if inContext {
                _ = try await api.getObjects(Memo.self, at: "memos", in: context)
            } else {
                _ = try await api.getObjects(Memo.self, at: "memos", into: temporary.store)
            }
        }
    }

    private func run(
        _ handler: @escaping LoopbackServer.Handler, _ body: (Fixture) async throws -> Void
    ) async throws {
        let temporary = try await TemporaryStore([Memo.self])
        try await LoopbackServer.run(handler) { server in
            let api = try manager(at: server.baseURL)
            try api.setRequestFormat(.json)
            try api.add(Route(Memo.self, "memos", methods: .post))
            try api.add(Route(Memo.self, "memos/:slug"))
            try await body(Fixture(api: api, temporary: temporary))
        }
    }

    // MARK: Rows that arrive first

    @Test(arguments: [false, true])
    func takesOverRowOfLostResponse(inContext: Bool) async throws {
        try await run { request in
            request.method == "PUT" ? Self.lost : .json(#"[{"slug":"a","text":"server"}]"#)
        } _: { fixture in
            let memo = try fixture.insert("a", "sent")
            await #expect(throws: NetworkingError.self) { try await fixture.api.put(memo) }
            try await fixture.fetchList(inContext: inContext)
            try await fixture.context.save()
            // What the server has sent since is newer than what was sent.
            #expect(try fixture.rows() == ["a|server"])
            #expect(memo.text == "server" && memo.objectState == .saved)
            #expect(try fixture.context.fetch(Memo.self) == [memo])
        }
    }

    @Test(arguments: ["sent", "server"])
    func editSinceSendingMeetsRow(server text: String) async throws {
        try await run { request in
            request.method == "PUT" ? Self.lost : .json(#"[{"slug":"a","text":"\#(text)"}]"#)
        } _: { fixture in
            let memo = try fixture.insert("a", "sent")
            await #expect(throws: NetworkingError.self) { try await fixture.api.put(memo) }
            memo.text = "edited"
            try await fixture.fetchList(inContext: false)
            if text == "server" {
                let error = await #expect(throws: PersistenceError.self) {
                    try await fixture.context.save()
                }
                #expect(error?.code == .saveConflict)
                #expect(error?.conflicts.map(\.property) == ["text"])
                fixture.context.mergePolicy = .contextWins
            }
            try await fixture.context.save()
            #expect(try fixture.rows() == ["a|edited"])
            #expect(memo.text == "edited" && memo.objectState == .saved)
        }
    }

    @Test(arguments: [false, true])
    func repeatedRequestTakesOverRow(savesBetween: Bool) async throws {
        let isFirst = Mutex(true)
        try await run { request in
            if request.method == "GET" { return .json(#"[{"slug":"a","text":"server"}]"#) }
            let fails = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            return fails ? Self.lost : Self.done
        } _: { fixture in
            let memo = try fixture.insert("a", "sent")
            await #expect(throws: NetworkingError.self) { try await fixture.api.put(memo) }
            try await fixture.fetchList(inContext: false)
            if savesBetween {
                try await fixture.context.save()
                memo.text = "sent"
            }
            try await fixture.api.put(memo)
            // The server has what the request has sent.
            #expect(try fixture.rows() == ["a|sent"])
            #expect(memo.objectState == .saved && !fixture.context.hasChanges)
        }
    }

    @Test(arguments: [false, true])
    func takesOverRowOfListDuringInsertion(inContext: Bool) async throws {
        let gate = Gate()
        try await run { request in
            if request.method == "GET" { return .json(#"[{"slug":"a","text":"server"}]"#) }
            await gate.pass()
            return .json(#"{"slug":"a","text":"answer"}"#, status: 201)
        } _: { fixture in
            let memo = try fixture.insert(nil, "new")
            let reply = try fixture.insert("b")
            reply.topic = memo
            let insertion = Task { try await fixture.api.post(memo) }
            await gate.arrivals()
            try await fixture.fetchList(inContext: inContext)
            gate.open()
            let result = try await insertion.value
            #expect(try fixture.rows() == ["a|answer", "b|"])
            let memos = try fixture.context.fetch(Memo.self, orderBy: \.slug)
            #expect(memos.map(\.slug) == ["a", "b"])
            #expect(try fixture.context.object(with: result.objectIDs[0]) === memos[0])
            #expect(reply.topic === memos[0])
            if !inContext { #expect(memos[0] === memo) }
        }
    }

    /// The object is saved while its insertion is in progress, and then a list brings its row.
    @Test(arguments: [false, true])
    func takesOverRowAfterSaveDuringInsertion(inContext: Bool) async throws {
        let gate = Gate()
        try await run { request in
            if request.method == "GET" { return .json(#"[{"slug":"a","text":"server"}]"#) }
            await gate.pass()
            return .json(#"{"slug":"a","text":"answer"}"#, status: 201)
        } _: { fixture in
            let memo = try fixture.insert(nil, "new")
            let reply = try fixture.insert("b")
            reply.topic = memo
            let insertion = Task { try await fixture.api.post(memo) }
            await gate.arrivals()
            try await fixture.context.save()
            try await fixture.fetchList(inContext: inContext)
            #expect(try fixture.rows().count == 3)
            gate.open()
            let result = try await insertion.value
            #expect(try fixture.rows() == ["a|answer", "b|"])
            let memos = try fixture.context.fetch(Memo.self, orderBy: \.slug)
            #expect(memos.map(\.slug) == ["a", "b"])
            #expect(try fixture.context.object(with: result.objectIDs[0]) === memos[0])
            #expect(memos[1] === reply && reply.topic === memos[0])
            if !inContext { #expect(memos[0] === memo && memo.text == "answer") }
            #expect(!fixture.context.hasChanges)
        }
    }

    /// A list brings its row, as which the object is saved, before its insertion is answered.
    @Test(arguments: [false, true])
    func answerMeetsObjectSavedAsRowOfList(edits: Bool) async throws {
        let gate = Gate()
        try await run { request in
            if request.method == "GET" { return .json(#"[{"slug":"a","text":"server"}]"#) }
            await gate.pass()
            return .json(#"{"slug":"a","text":"answer"}"#, status: 201)
        } _: { fixture in
            let memo = try fixture.insert("a", "sent")
            let reply = try fixture.insert("b")
            reply.topic = memo
            let insertion = Task { try await fixture.api.post(memo) }
            await gate.arrivals()
            try await fixture.fetchList(inContext: false)
            try await fixture.context.save()
            #expect(reply.topic === memo)
            let topics = "SELECT t.slug FROM Memo m JOIN Memo t ON t.restkit_key = m.topic"
            #expect(try fixture.temporary.rows(topics) == ["a"])
            if edits { memo.text = "edited" }
            gate.open()
            let result = try await insertion.value
            #expect(try fixture.rows() == ["a|answer", "b|"])
            #expect(try fixture.context.object(with: result.objectIDs[0]) === memo)
            #expect(memo.text == (edits ? "edited" : "answer") && reply.topic === memo)
            #expect(fixture.context.hasChanges == edits)
        }
    }

    // MARK: Identities of rules

    /// The condition of rules on stored objects, which the row of the list meets or not.
    enum RuleCondition: CaseIterable, Sendable {
        case none, predicate, function

        /// Sets the condition that the text is not that of another one.
        func apply(to rules: inout EntityRules, excluding text: String) {
            let predicate = FetchPredicate.attribute("text", .notEqual, text)
            switch self {
            case .none: break
            case .predicate: rules.identificationPredicate = predicate
            case .function:
                // A list finds all of its objects again.
                rules.identificationCondition = { node in
                    node["text"]?.string == "answer" ? predicate : nil
                }
            }
        }
    }

    private func runWithRules(
        _ condition: RuleCondition = .none, excluding text: String = "",
        _ handler: @escaping LoopbackServer.Handler,
        _ body: (ObjectManager, TemporaryStore) async throws -> Void
    ) async throws {
        let temporary = try await TemporaryStore([Jotting.self])
        try await LoopbackServer.run(handler) { server in
            let api = try manager(at: server.baseURL)
            try api.setRequestFormat(.json)
            try api.add(Route(Jotting.self, "jottings", methods: .post))
            try api.add(Route(Jotting.self, "jottings/:slug"))
            var mapping = EntityMapping(Jotting.self)
            mapping.identify(Jotting.self, by: \.slug)
            condition.apply(to: &mapping.rules["Jotting", default: EntityRules()], excluding: text)
            try api.add(ResponseDescriptor(mapping, at: "jottings"))
            try await body(api, temporary)
        }
    }

    @Test(arguments: [false, true], [RuleCondition.none, .predicate])
    func takesOverRowFoundByRules(inContext: Bool, _ condition: RuleCondition) async throws {
        try await runWithRules(condition, excluding: "other") { request in
            request.method == "PUT" ? Self.lost : .json(#"[{"slug":"a","text":"server"}]"#)
        } _: { api, temporary in
            let context = temporary.store.mainContext
            let jotting = try context.insert(Jotting.self)
            (jotting.slug, jotting.text) = ("a", "sent")
            await #expect(throws: NetworkingError.self) { try await api.put(jotting) }
            if inContext {
                _ = try await api.getObjects(Jotting.self, at: "jottings", in: context)
            } else {
                _ = try await api.getObjects(Jotting.self, at: "jottings", into: temporary.store)
            }
            try await context.save()
            #expect(try temporary.rows("SELECT slug, text FROM Jotting") == ["a|server"])
            #expect(jotting.text == "server" && jotting.objectState == .saved)
        }
    }

    @Test func keepsRowThatPredicateExcludes() async throws {
        try await runWithRules(.predicate, excluding: "server") { request in
            request.method == "PUT" ? Self.lost : .json(#"[{"slug":"a","text":"server"}]"#)
        } _: { api, temporary in
            let context = temporary.store.mainContext
            let jotting = try context.insert(Jotting.self)
            (jotting.slug, jotting.text) = ("a", "sent")
            await #expect(throws: NetworkingError.self) { try await api.put(jotting) }
            _ = try await api.getObjects(Jotting.self, at: "jottings", into: temporary.store)
            try await context.save()
            #expect(
                try temporary.rows("SELECT slug, text FROM Jotting ORDER BY text")
                    == ["a|sent", "a|server"])
        }
    }

    @Test(arguments: RuleCondition.allCases, [false, true])
    func takesOverRowFoundByRulesAfterSave(
        _ condition: RuleCondition, isExcluded: Bool
    ) async throws {
        let gate = Gate()
        let isKept = isExcluded && condition != .none
        try await runWithRules(condition, excluding: isExcluded ? "server" : "other") { request in
            if request.method == "GET" { return .json(#"[{"slug":"a","text":"server"}]"#) }
            await gate.pass()
            return .json(#"{"slug":"a","text":"answer"}"#, status: 201)
        } _: { api, temporary in
            let context = temporary.store.mainContext
            let jotting = try context.insert(Jotting.self)
            let child = try context.insert(Jotting.self)
            (child.parent, child.related) = (jotting, [jotting])
            let insertion = Task { try await api.post(jotting) }
            await gate.arrivals()
            try await context.save()
            _ = try await api.getObjects(Jotting.self, at: "jottings", into: temporary.store)
            gate.open()
            _ = try await insertion.value
            #expect(
                try temporary.rows("SELECT slug, text FROM Jotting ORDER BY slug, text")
                    == ["-|", "a|answer"] + (isKept ? ["a|server"] : []))
            #expect(jotting.slug == "a" && child.parent === jotting && child.related == [jotting])
        }
    }

    // MARK: Objects that cannot be saved

    @Test func objectInConflictBlocksNoOther() async throws {
        try await run { request in
            request.method == "GET" ? .json(#"[{"slug":"a","text":"server"}]"#) : Self.done
        } _: { fixture in
            try await fixture.fetchList(inContext: false)
            let twin = try fixture.insert("a", "mine")
            let reply = try fixture.insert("b")
            reply.topic = twin
            let other = try fixture.insert("c", "other")
            try await fixture.api.put(other)
            try await fixture.fetchList(inContext: true)
            #expect(try fixture.rows() == ["a|server", "c|other"])
            #expect([twin, reply, other].map(\.objectState) == [.inserted, .inserted, .saved])
            #expect(reply.topic === twin)
            let error = await #expect(throws: PersistenceError.self) {
                try await fixture.context.save()
            }
            #expect(error?.code == .identityConflict)
            #expect(error?.entity == "Memo" && error?.property == "slug")
            #expect(error?.conflicts.map(\.objectID) == [twin.objectID])
            #expect(error?.description.contains("SQLite") == false)
            twin.slug = "d"
            try await fixture.context.save()
            #expect(try fixture.rows() == ["a|server", "b|", "c|other", "d|mine"])
        }
    }

    @Test func invalidObjectBlocksNoOther() async throws {
        try await run { _ in
            Self.done
        } _: { fixture in
            let invalid = try fixture.insert("a", String(repeating: "x", count: 21))
            let other = try fixture.insert("b", "other")
            other.replies = [try fixture.insert("c")]
            try await fixture.api.put(other)
            #expect(try fixture.rows() == ["b|other", "c|"])
            #expect(invalid.objectState == .inserted)
            let error = await #expect(throws: SyncError.self) {
                try await fixture.api.put(invalid)
            }
            #expect(
                error?.underlying?.validationErrors.map(\.objectID)
                    == [invalid.objectID])
        }
    }

    @Test func requestThatDependsOnConflictNamesIt() async throws {
        try await run { request in
            request.method == "GET" ? .json(#"[{"slug":"a","text":"server"}]"#) : Self.done
        } _: { fixture in
            try await fixture.fetchList(inContext: false)
            let twin = try fixture.insert("a", "mine")
            let reply = try fixture.insert("b")
            reply.topic = twin
            let error = await #expect(throws: SyncError.self) {
                try await fixture.api.put(reply)
            }
            let cause = error?.underlying
            #expect(cause?.code == .identityConflict)
            #expect(cause?.conflicts.map(\.description) == ["\(twin.objectID).slug"])
            #expect(try fixture.rows() == ["a|server"])
        }
    }
}
