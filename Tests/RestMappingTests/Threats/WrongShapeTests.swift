// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import TestSupport
import Testing

/// Representations in which any one value is of another kind.
@Suite struct WrongShapeTests {
    static let person: Document = [
        "id": 1, "name": "Al", "mood": "grumpy", "address": ["city": "Oslo", "zip": "0150"],
        "friends": [["id": 2, "name": "Bo", "tags": ["x"]], ["id": 3, "name": "Cy"]],
        "tags": ["a", "b"], "scores": ["chess": 1200, "go": 3.5], "born": "1982-11-27",
    ]

    private static let mutations = WrongShape.all(of: person)

    @Test(.threat("T09"), arguments: [IssuePolicy.standard, .strict, .lenient])
    func areReportedAtTheirPath(_ policy: IssuePolicy) throws {
        var mapping = ObjectMapping(for: Person.self)
        mapping.policy = policy
        let plan = try MappingCompiler().compile(mapping)
        var (rejected, reported, mapped) = (0, 0, 0)
        for mutation in Self.mutations {
            // The path is that of the change, inside the changed value, or an object that misses it.
            func isAtMutation(_ path: DocumentPath) -> Bool {
                path.components.starts(with: mutation.path.components)
                    || mutation.path.components.starts(with: path.components)
            }
            var report = MappingReport()
            do throws(MappingError) {
                _ = try plan.objects(Person.self, from: mutation.document.root, report: &report)
                if report.issues.isEmpty { mapped += 1 } else { reported += 1 }
            } catch {
                rejected += 1
                #expect(isAtMutation(error.path), "\(error)")
                #expect(!report.issues.isEmpty)
            }
            for issue in report.issues { #expect(isAtMutation(issue.path), "\(issue)") }
        }
        #expect(reported > 20 || policy == .strict)
        #expect(rejected > 20 || policy == .lenient)
        #expect(mapped > 20)
    }

    @Test(.threat("T09"), arguments: [IssuePolicy.standard, .strict])
    func leaveTargetUnchangedWhenRejected(_ policy: IssuePolicy) throws {
        var mapping = ObjectMapping(for: Person.self)
        mapping.policy = policy
        let plan = try MappingCompiler().compile(mapping)
        var rejected = 0
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
                rejected += 1
                #expect(target.name == "before" && target.mood == .cheerful, "\(error)")
                #expect(target.address == Address(city: "Bergen", zip: nil), "\(error)")
                #expect(target.friends.map(\.id) == [9] && target.tags == ["t"], "\(error)")
                #expect(friend.name == "friend" && target.scores == ["s": 1], "\(error)")
                #expect(target.born == nil, "\(error)")
            }
        }
        #expect(rejected > 20)
    }
}
