// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import TestSupport
import Testing

/// Documents nested as deep as memory allows, mapped on threads with small stacks.
@Suite(.tags(.slow)) struct DeepDocumentTests {
    private static let nested =
        String(repeating: "[", count: 10_000_000) + String(repeating: "]", count: 10_000_000)

    /// Ten million nested lists, for each kind of property.
    @Test(
        .threat("T01"),
        arguments: [
            // An unmapped key.
            #"{"id":1,"name":"n","other":$}"#,
            // A plain value, a list and a dictionary of them, text.
            #"{"id":1,"name":"n","born":$}"#, #"{"id":1,"name":"n","tags":$}"#,
            #"{"id":1,"name":"n","scores":{"a":$}}"#, #"{"id":1,"name":$}"#,
            // Related objects.
            #"{"id":1,"name":"n","address":$}"#, #"{"id":1,"name":"n","friends":$}"#, "$",
        ])
    func areMappedOrRejected(_ template: String) async throws {
        try await onStack(of: 64 << 10) {
            let parts = template.split(separator: "$", omittingEmptySubsequences: false)
            let document = try Document(
                parsing: parts.joined(separator: Self.nested), limits: .none)
            var mapping = ObjectMapping(for: Person.self)
            mapping.policy = .lenient
            var report = MappingReport()
            let people = try MappingCompiler().compile(mapping)
                .objects(Person.self, from: document.root, report: &report)
            // Lists in a list of objects are one list, here without any.
            let hasNoIssue =
                ["other", "friends"].contains { template.contains($0) } || template == "$"
            #expect(report.issues.isEmpty == hasNoIssue)
            #expect(people.count == (template.contains(#""name":"n""#) ? 1 : 0))
            // Paths end at the value and do not continue inside it.
            #expect(report.issues.allSatisfy { $0.path.components.count < 4 })
        }
    }

    /// Related objects nested far beyond the limit.
    @Test(.threat("T01"), .withoutSanitizer, arguments: [IssuePolicy.standard, .strict, .lenient])
    func endAtDepthLimit(_ policy: IssuePolicy) async throws {
        try await onStack(of: 512 << 10) {
            let depth = 100_000
            let text =
                String(repeating: #"{"id":1,"name":"n","friends":["#, count: depth)
                + String(repeating: "]}", count: depth)
            let document = try Document(parsing: text, limits: .none)
            var mapping = ObjectMapping(for: Person.self)
            mapping.policy = policy
            let plan = try MappingCompiler().compile(mapping)
            var report = MappingReport()
            do throws(MappingError) {
                let people = try plan.objects(Person.self, from: document.root, report: &report)
                #expect(policy == .lenient && people.count == 1)
            } catch {
                #expect(policy != .lenient && error.issue?.code == .depthExceeded)
            }
            let issue = try #require(report.issues.first { $0.code == .depthExceeded })
            #expect(issue.path.components.count == MappingLimits.depth * 2)
            #expect(issue.expected.contains("\(MappingLimits.depth)"))
        }
    }
}
