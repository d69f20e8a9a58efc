// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import TestSupport
import Testing

/// Relationships that lead to the same values repeatedly.
@Suite struct RepeatedWorkTests {
    /// Nested objects, fewer than the depth limit.
    private static let chain: Document = {
        let count = MappingLimits.depth - 4
        let text =
            (1..<count).map { #"{"id":\#($0),"next":"# }.joined() + #"{"id":0}"#
            + String(repeating: "}", count: count - 1)
        return (try? Document(parsing: text)) ?? nil
    }()

    /// A mapping with two relationships to objects of its own type.
    private func doubling(_ first: String, _ second: String) throws -> (
        ObjectMapping, MappingCompiler
    ) {
        var mapping = ObjectMapping(table: Branch.properties)
        mapping.add(AttributeMapping(try SourcePath(parsing: "id"), to: "id"))
        mapping.add(RelationshipMapping(try SourcePath(parsing: first), to: "parent"))
        mapping.add(RelationshipMapping(try SourcePath(parsing: second), to: "branches"))
        return (mapping, MappingCompiler(defaults: [mapping]))
    }

    /// Without a limit, each run would take about 2⁶⁰ steps.
    @Test(.threat("T55"), arguments: [IssuePolicy.standard, .strict, .lenient])
    func doublingAtEachLevelEndsRun(_ policy: IssuePolicy) throws {
        var (mapping, _) = try doubling("next", "next")
        mapping.policy = policy
        let plan = try MappingCompiler(defaults: [mapping]).compile(mapping)
        var report = MappingReport()
        let error = #expect(throws: MappingError.self) {
            try plan.object(Branch.self, from: Self.chain.root, report: &report)
        }
        let issue = try #require(error?.issue)
        #expect(error?.code == .invalidObject)
        #expect(issue.code == .passesExceeded)
        #expect(issue.expected.contains("\(MappingLimits.passes)"))
        #expect(issue.path.components.count > 40)
        #expect(Self.chain.root[issue.path] != nil)
        #expect(report.issues == [issue])
    }

    @Test(
        .threat("T55"),
        arguments: [
            ("", ""), ("", "next"), ("@root", "@root"), ("@parent", "next"), ("next.next", "next"),
            ("next", "@root.next"), ("@parent", "@root"),
        ])
    func endsWhereverItLeads(_ first: String, _ second: String) throws {
        let (mapping, compiler) = try doubling(first, second)
        let plan = try compiler.compile(mapping)
        for observer in [nil, MappingInfoRecorder()] {
            var environment = MappingEnvironment(observer: observer)
            environment.passLimit = 64
            var report = MappingReport()
            let error = #expect(throws: MappingError.self) {
                try plan.object(
                    Branch.self, from: Self.chain.root, in: environment, report: &report)
            }
            let code = error?.issue?.code
            #expect(code == .passesExceeded || code == .depthExceeded)
        }
    }

    /// Runs of mappings that a closure returns share the limit of the outer run.
    @Test func inChosenMappingsEndsRun() throws {
        let plan = try MappingCompiler().compile(Self.endless())
        var environment = MappingEnvironment()
        environment.passLimit = 40
        var report = MappingReport()
        let error = #expect(throws: MappingError.self) {
            try plan.object(Branch.self, from: Self.chain.root, in: environment, report: &report)
        }
        #expect(error?.issue?.code == .passesExceeded)
    }

    @Sendable private static func endless() -> ObjectMapping {
        var mapping = ObjectMapping(table: Branch.properties)
        mapping.add(AttributeMapping(SourcePath([.key("id")]), to: "id"))
        for property in ["parent", "branches"] {
            mapping.add(
                RelationshipMapping(
                    SourcePath([.key("next")]), to: property,
                    mapping: .dynamic(DynamicMapping { _ in endless() })))
        }
        return mapping
    }

    @Test(.withoutSanitizer) func inMembersThatAreObjectsEndsRun() throws {
        var mapping = ObjectMapping(table: Branch.properties)
        mapping.forcesCollection = true
        mapping.nestingAttribute = "label"
        mapping.add(AttributeMapping(try SourcePath(parsing: "{label}.id"), to: "id"))
        for property in ["parent", "branches"] {
            mapping.add(
                RelationshipMapping(try SourcePath(parsing: "{label}.next"), to: property))
        }
        let plan = try MappingCompiler(defaults: [mapping]).compile(mapping)
        let depth = 20
        let text =
            String(repeating: #"{"a":{"id":1,"next":"#, count: depth) + #"{"a":{"id":0}}"#
            + String(repeating: "}}", count: depth)
        var report = MappingReport()
        let error = #expect(throws: MappingError.self) {
            try plan.objects(Branch.self, from: Document(parsing: text).root, report: &report)
        }
        #expect(error?.issue?.code == .passesExceeded)
    }

    // MARK: Allowed work

    /// Each object is visited once for itself and once for each object around it.
    @Test(.threat("T55"), arguments: [1, 2, 10, MappingLimits.depth])
    func countsOnePassPerNestingLevel(_ depth: Int) throws {
        var text = #"{"id":0,"name":"n"}"#
        for level in 1..<max(depth, 2) where depth > 1 {
            text = #"{"id":\#(level),"name":"n","friends":[\#(text)]}"#
        }
        let list = "[\(Array(repeating: text, count: 20).joined(separator: ","))]"
        let document = try Document(parsing: list)
        let plan = try MappingPlan(Person.self)
        var environment = MappingEnvironment()
        environment.passLimit = depth
        var report = MappingReport()
        let people = try plan.objects(
            Person.self, from: document.root, in: environment, report: &report)
        #expect(people.count == 20)
        #expect(report.objectCount == 20 * depth)

        environment.passLimit = 0
        let error = #expect(throws: MappingError.self) {
            try plan.objects(Person.self, from: document.root, in: environment, report: &report)
        }
        #expect(error?.path.description == "[0]")
    }

    /// Values of the metadata are limited by the size of the metadata.
    @Test func allowsMetadataLargerThanDocument() throws {
        let people = (0..<10_000).map { #"{"id":\#($0),"name":"n"}"# }.joined(separator: ",")
        let metadata = try Document(parsing: #"{"people":[\#(people)]}"#)
        var mapping = ObjectMapping(for: Person.self, ["id", "name"])
        mapping.add(
            RelationshipMapping(try SourcePath(parsing: "@metadata.people"), to: "friends"))
        let plan = try MappingCompiler().compile(mapping)
        var report = MappingReport()
        let person = try plan.object(
            Person.self, from: Document(parsing: #"{"id":1,"name":"n"}"#).root,
            in: MappingEnvironment(metadata: [metadata]), report: &report)
        #expect(person.friends.count == 10_000)
    }
}
