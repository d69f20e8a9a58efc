// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import TestSupport
import Testing

/// Representations with a value of another kind at any of their places.
@Suite struct WrongShapeTests {
    /// One of each kind, and what nearly fits.
    static let values: [Document] = [
        nil, true, false, 0, -1, 1.5, "", "text", "7", [], [nil], [1, "a"], [[]], [:], ["id": 1],
        ["id": ["id": 2]], ["a": [:]], 9_223_372_036_854_775_807, "2020-01-01T00:00:00Z",
    ]

    static let person: Document = [
        "id": 1, "name": "Al", "mood": "grumpy", "address": ["city": "Oslo", "zip": "0150"],
        "friends": [["id": 2, "name": "Bo", "tags": ["x"]], ["id": 3, "name": "Cy"]],
        "tags": ["a", "b"], "scores": ["chess": 1200, "go": 3.5], "born": "1982-11-27",
    ]

    private struct Mutation {
        let document: Document
        let path: DocumentPath
    }

    private static let mutations: [Mutation] = (0..<person.storage.nodeCount).flatMap { index in
        let node = Node(storage: person.storage, index: index)
        // Keys are no values.
        guard person.root[node.path]?.index == index else { return [Mutation]() }
        return values.map { value in
            Mutation(document: replaced(person.root, index, with: value), path: node.path)
        }
    }

    private static func replaced(_ node: Node, _ index: Int, with value: Document) -> Document {
        if node.index == index { return value }
        switch node.kind {
        case .array: return .array(node.elements.map { replaced($0, index, with: value) })
        case .object:
            return .object(node.members.map { ($0.key, replaced($0.value, index, with: value)) })
        default:
            var builder = DocumentBuilder()
            builder.value(node)
            return builder.finish()
        }
    }

    @Test(.threat("T09"), arguments: [IssuePolicy.standard, .strict, .lenient])
    func areAnErrorOrAnIssueAtTheirPlace(_ policy: IssuePolicy) throws {
        var mapping = ObjectMapping(for: Person.self)
        mapping.policy = policy
        let plan = try MappingCompiler().compile(mapping)
        var (refused, noted, mapped) = (0, 0, 0)
        for mutation in Self.mutations {
            // The change is at the place, inside of what stands there now, or an object lost what it
            // needs.
            func isThere(_ path: DocumentPath) -> Bool {
                path.components.starts(with: mutation.path.components)
                    || mutation.path.components.starts(with: path.components)
            }
            var report = MappingReport()
            do throws(MappingError) {
                _ = try plan.objects(Person.self, from: mutation.document.root, report: &report)
                if report.issues.isEmpty { mapped += 1 } else { noted += 1 }
            } catch {
                refused += 1
                #expect(isThere(error.path), "\(error)")
                #expect(!report.issues.isEmpty)
            }
            for issue in report.issues { #expect(isThere(issue.path), "\(issue)") }
        }
        #expect(noted > 20 || policy == .strict)
        #expect(refused > 20 || policy == .lenient)
        #expect(mapped > 20)
    }

    @Test(.threat("T09"), arguments: [IssuePolicy.standard, .strict])
    func leaveTheTargetAsItWasWhenTheyAreRefused(_ policy: IssuePolicy) throws {
        var mapping = ObjectMapping(for: Person.self)
        mapping.policy = policy
        let plan = try MappingCompiler().compile(mapping)
        var refused = 0
        for mutation in Self.mutations {
            let friend = Person(id: 9, name: "friend")
            let target = Person(
                id: 1, name: "before", mood: .cheerful, address: Address(city: "Bergen", zip: nil),
                friends: [friend], tags: ["t"], scores: ["s": 1], born: nil)
            var report = MappingReport()
            do throws(MappingError) {
                _ = try plan.object(
                    updating: target, from: mutation.document.root, report: &report)
            } catch {
                refused += 1
                #expect(target.name == "before" && target.mood == .cheerful, "\(error)")
                #expect(target.address == Address(city: "Bergen", zip: nil), "\(error)")
                #expect(target.friends.map(\.id) == [9] && target.tags == ["t"], "\(error)")
                #expect(friend.name == "friend" && target.scores == ["s": 1], "\(error)")
                #expect(target.born == nil, "\(error)")
            }
        }
        #expect(refused > 20)
    }
}
