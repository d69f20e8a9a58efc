// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestKit
import RestTesting
import Synchronization
import TestSupport
import Testing

/// Collections of responses of which an import has left out representations.
@Suite(.tags(.socket)) struct DroppedElementTests {
    /// Decides whether the mapping accepts all elements.
    private final class Rule: Sendable {
        let acceptsAll = Mutex(false)
    }

    /// The representations that the import leaves out.
    private enum Dropped: CaseIterable { case unaccepted, invalid, invalidRelated }

    private static func humans(_ dropped: Dropped) -> String {
        let invalid = #"{"id":2,"name":"\#(String(repeating: "x", count: 26))"}"#
        return switch dropped {
        case .unaccepted: #"[{"id":1,"name":"a"},{"id":2,"name":"b"}]"#
        case .invalid: #"[{"id":1,"name":"a"},\#(invalid)]"#
        case .invalidRelated: #"[{"id":1,"name":"a","friends":[\#(invalid)]}]"#
        }
    }

    private func mapping(_ rule: Rule) -> EntityMapping {
        var human = ObjectMapping(for: Human.self, ["id": "railsID", "name": "name"])
        human.policy = IssuePolicy(invalidElement: .drop, invalidObject: .drop)
        var root = human
        root.add(RelationshipMapping("friends", to: "friends", mapping: human))
        let accepted = root
        let chosen = DynamicMapping(possible: [accepted]) { representation in
            let isRefused = representation["id"]?.numberText == "2"
            return isRefused && !rule.acceptsAll.withLock(\.self) ? nil : accepted
        }
        return EntityMapping(
            chosen, rules: ["Human": EntityRules(identification: ["railsID"])])
    }

    @Test(arguments: Dropped.allCases)
    private func incompleteCollectionIsRequestedInFull(_ dropped: Dropped) async throws {
        try await HumanFixture.run { fixture, served in
            let rule = Rule()
            try fixture.api.add(ResponseDescriptor(mapping(rule), at: "all"))
            served.change {
                $0.humans = Self.humans(dropped)
                $0.headers = [("Cache-Control", "max-age=60")]
            }
            let first = try await fixture.load(at: "all")
            #expect(first.objectIDs.count == 1)
            #expect(try fixture.humans() == ["1|a"])
            rule.acceptsAll.withLock { $0 = true }
            let second = try await fixture.load(at: "all")
            #expect(fixture.server.requests.count == 2)
            #expect(fixture.lastField("if-none-match") == nil)
            #expect(second.origin == .server)
            if dropped == .unaccepted { #expect(try fixture.humans() == ["1|a", "2|b"]) }
            // A complete collection is confirmed.
            served.change { $0.humans = #"[{"id":1,"name":"a","friends":[]}]"# }
            for _ in 0..<2 { try await fixture.load(at: "all") }
            #expect(fixture.lastField("if-none-match") == "\"one\"")
        }
    }

    /// The first of two pages has the elements.
    @Test(arguments: Dropped.allCases)
    private func incompletePageIsRequestedInFull(_ dropped: Dropped) async throws {
        let body = Mutex(Self.humans(dropped))
        try await HumanFixture.run({ request in
            let headers = [("ETag", "\"one\"")]
            if request.headers["if-none-match"] == "\"one\"" {
                return LoopbackResponse(status: 304, headers: headers)
            }
            if !request.query.isEmpty { return .json(#"[{"id":9,"name":"z"}]"#) }
            return .json(
                body.withLock(\.self),
                headers: headers + [("Link", "</humans?page=1>; rel=\"next\"")])
        }) { fixture in
            let rule = Rule()
            try fixture.api.add(ResponseDescriptor(mapping(rule)))
            let walk = try await fixture.pages(.keep).fetchAll()
            #expect(walk.collection?.incompletenessReasons == [.missingElement])
            #expect(try fixture.humans() == ["1|a", "9|z"])
            rule.acceptsAll.withLock { $0 = true }
            let count = fixture.server.requests.count
            _ = try await fixture.pages(.keep).fetchAll()
            #expect(fixture.server.requests[count].headers["if-none-match"] == nil)
            if dropped == .unaccepted {
                #expect(try fixture.humans() == ["1|a", "2|b", "9|z"])
            }
        }
    }
}
