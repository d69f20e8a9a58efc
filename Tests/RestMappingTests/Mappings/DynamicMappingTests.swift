// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import TestSupport
import Testing

/// Tests of mappings that are chosen for each representation.
@Suite struct DynamicMappingTests {
    private let boy = ObjectMapping(for: Boy.self, ["name": "name"])
    private let girl = ObjectMapping(for: Girl.self, ["name": "name"])
    private let blake = #"{"name":"Blake Watters","type":"Boy","numeric_type":1}"#
    private let sarah = #"{"name":"Sarah","type":"Girl","numeric_type":0}"#

    /// Returns the types and names of the objects that a dynamic mapping creates.
    private func mapped(_ mapping: DynamicMapping, _ json: String) throws -> [String] {
        var report = MappingReport()
        let plan = try MappingCompiler().compile(.dynamic(mapping))
        let objects = try plan.anyObjects(from: Document(parsing: json).root, report: &report)
        return objects.map { "\(type(of: $0)) \(($0 as? Human)?.name ?? "")" }
    }

    private func expectBoth(
        _ mapping: DynamicMapping, sourceLocation: SourceLocation = #_sourceLocation
    )
        throws
    {
        #expect(
            try mapped(mapping, blake) == ["Boy Blake Watters"], sourceLocation: sourceLocation)
        #expect(try mapped(mapping, sarah) == ["Girl Sarah"], sourceLocation: sourceLocation)
    }

    @Test(.parity("M249")) func choosesByValueAtPath() throws {
        let mapping = DynamicMapping([
            MappingMatcher(at: "type", equals: "Girl", mapping: girl),
            MappingMatcher(at: "type", equals: "Boy", mapping: boy),
        ])
        try expectBoth(mapping)
        #expect(mapping.possibleMappings == [girl, boy])
    }

    @Test(.parity("M250")) func choosesAmongValuesOfOneMatcher() throws {
        let mapping = DynamicMapping([
            MappingMatcher(at: "type", mappings: ["Girl": girl, "Boy": boy])
        ])
        try expectBoth(mapping)
        #expect(mapping.possibleMappings == [girl, boy])
    }

    @Test(.parity("M251")) func choosesByKindOfValue() throws {
        var mapping = DynamicMapping()
        let text = MappingMatcher(at: "type", is: .string, mapping: boy)
        let number = MappingMatcher(at: "numeric_type", is: .number, mapping: girl)
        mapping.add(text)
        mapping.add(number)
        #expect(mapping.possibleMappings == [boy, girl])
        #expect(try mapped(mapping, #"{"name":"a","type":"x","numeric_type":"1"}"#) == ["Boy a"])
        #expect(try mapped(mapping, #"{"name":"a","type":1,"numeric_type":1}"#) == ["Girl a"])
        mapping.remove(text)
        #expect(mapping.possibleMappings == [girl])
        #expect(try mapped(mapping, blake) == ["Girl Blake Watters"])
    }

    @Test(.parity("M252")) func choosesByNumber() throws {
        try expectBoth(
            DynamicMapping([
                MappingMatcher(at: "numeric_type", equals: 0, mapping: girl),
                MappingMatcher(at: "numeric_type", equals: 1, mapping: boy),
            ]))
    }

    @Test(.parity("M253")) func choosesAmongNumbersOfOneMatcher() throws {
        try expectBoth(
            DynamicMapping([MappingMatcher(at: "numeric_type", mappings: [0: girl, 1: boy])]))
    }

    @Test(.parity("M254")) func choosesByPredicate() throws {
        try expectBoth(
            DynamicMapping([
                MappingMatcher(mapping: girl) { $0["numeric_type"]?.int64 == 0 },
                MappingMatcher(mapping: boy) { $0["numeric_type"]?.int64 == 1 },
            ]))
    }

    @Test(.parity("M255")) func choosesByMatcherClosure() throws {
        let (boy, girl) = (boy, girl)
        let mapping = DynamicMapping([
            MappingMatcher(possible: [girl]) { $0["type"]?.string == "Girl" ? girl : nil },
            MappingMatcher(possible: [boy]) { $0["type"]?.string == "Boy" ? boy : nil },
        ])
        try expectBoth(mapping)
        #expect(mapping.possibleMappings == [girl, boy])
        #expect(try mapped(mapping, #"{"name":"x","type":"Dog"}"#) == [])
    }

    @Test(.parity("M256")) func addingMatcherAgainMakesItFirst() throws {
        let first = MappingMatcher(at: "type", equals: "Girl", mapping: boy)
        let second = MappingMatcher(at: "type", equals: "Girl", mapping: girl)
        var mapping = DynamicMapping()
        mapping.add(first)
        mapping.add(second)
        #expect(try mapped(mapping, sarah) == ["Boy Sarah"])
        mapping.add(second)
        #expect(mapping.matchers == [second, first])
        #expect(try mapped(mapping, sarah) == ["Girl Sarah"])
        let plan = try MappingCompiler().compile(.dynamic(mapping))
        #expect(plan.warnings.map(\.code) == [.unreachableMatcher])
        #expect(plan.warnings.map(\.name) == ["type"])
    }

    @Test(.parity("M257")) func removesEachMatcher() {
        var mapping = DynamicMapping([
            MappingMatcher(at: "type", equals: "Girl", mapping: girl),
            MappingMatcher(at: "type", equals: "Boy", mapping: boy),
        ])
        for matcher in mapping.matchers { mapping.remove(matcher) }
        #expect(mapping.matchers.isEmpty)
        #expect(mapping.possibleMappings.isEmpty)
    }

    @Test(.parity("M258")) func choosesBySelectionClosure() throws {
        let (boy, girl) = (boy, girl)
        try expectBoth(
            DynamicMapping(possible: [boy, girl]) { $0["type"]?.string == "Girl" ? girl : boy })
        try expectBoth(
            DynamicMapping { node in
                node["type"]?.string == "Girl"
                    ? ObjectMapping(for: Girl.self, ["name": "name"])
                    : ObjectMapping(for: Boy.self, ["name": "name"])
            })
    }

    @Test func reportsIssuesOfMappingCreatedBySelection() throws {
        let mapping = DynamicMapping { _ in ObjectMapping(for: Home.self, ["id": "addressID"]) }
        var report = MappingReport()
        let plan = try MappingCompiler().compile(.dynamic(mapping))
        let json = #"[{"id":1},{"id":"x"},{"y":1}]"#
        let error = #expect(throws: MappingError.self) {
            try plan.anyObjects(from: Document(parsing: json).root, report: &report)
        }
        #expect(error?.path == "[2]")
        #expect(report.issues.map(\.path) == ["[1].id", "[2]"])
        let wrong = DynamicMapping { _ in ObjectMapping(for: Home.self, ["id": "nothing"]) }
        let other = #expect(throws: MappingError.self) { try mapped(wrong, blake) }
        #expect(other?.issue?.code == .invalidMapping)
    }

    // MARK: In a run

    private var matched: DynamicMapping {
        DynamicMapping([MappingMatcher(at: "type", mappings: ["Girl": girl, "Boy": boy])])
    }

    private func run(
        _ mapping: DynamicMapping, _ json: String, target: (any Mapped)? = nil
    ) throws -> MappingResult {
        try MapperOperation(["": .dynamic(mapping)]).run(
            Document(parsing: json).root, target: target)
    }

    @Test(.parity("M259")) func operationMapsBySelection() throws {
        let boy = boy
        let result = try run(DynamicMapping { $0["type"]?.string == "Boy" ? boy : nil }, blake)
        #expect((result.first as? Boy)?.name == "Blake Watters")
    }

    @Test(.parity("M260")) func operationMapsByMatchers() throws {
        #expect((try run(matched, blake).first as? Boy)?.name == "Blake Watters")
    }

    private var mixed: String { "[\(blake),\(sarah)]" }

    @Test(.parity("M261")) func mapsMixedList() throws {
        let result = try run(matched, mixed)
        #expect((result.array[0] as? Boy)?.name == "Blake Watters")
        #expect((result.array[1] as? Girl)?.name == "Sarah")
        #expect(result.count == 2)
        // The plan of a base class also builds the chosen subclasses.
        let plan = try MappingCompiler().compile(.dynamic(matched))
        var report = MappingReport()
        let humans = try plan.objects(
            Human.self, from: Document(parsing: mixed).root, report: &report)
        #expect(humans.map { "\(type(of: $0))" } == ["Boy", "Girl"])
    }

    private let friends = """
        {"name":"Blake Watters","type":"Boy","friends":[{"name":"John Doe","type":"Boy"},
        {"name":"Jane Doe","type":"Girl"}]}
        """

    @Test(.parity("M262")) func mapsMixedRelationship() throws {
        var mapping = boy
        mapping.add(RelationshipMapping("friends", to: "friends", mapping: matched))
        let found = try map(Boy.self, friends, with: mapping)
        #expect(
            found.first?.friends.map { "\(type(of: $0)) \($0.name)" } == [
                "Boy John Doe", "Girl Jane Doe",
            ])
    }

    private var boysOnly: DynamicMapping {
        DynamicMapping([MappingMatcher(at: "type", equals: "Boy", mapping: boy)])
    }

    /// A mapping that declines girls, by a matcher or by a closure that returns nil.
    private func decliningGirls(byClosure: Bool) -> DynamicMapping {
        let boy = boy
        return byClosure
            ? DynamicMapping(possible: [boy]) { $0["type"]?.string == "Boy" ? boy : nil } : boysOnly
    }

    /// Returns all orders of two boys and a girl, so that the declined element is at each position.
    private static let orders = [
        ["Girl", "Boy", "Man"], ["Boy", "Girl", "Man"], ["Boy", "Man", "Girl"],
    ]

    private func humans(_ order: [String]) -> String {
        let texts = order.map { #"{"name":"\#($0)","type":"\#($0 == "Man" ? "Boy" : $0)"}"# }
        return "[\(texts.joined(separator: ","))]"
    }

    @Test(.parity("M263"), arguments: orders, [false, true])
    func skipsRootElementWithoutMapping(_ order: [String], byClosure: Bool) throws {
        let result = try run(decliningGirls(byClosure: byClosure), humans(order))
        #expect(result.array.count == 2)
        #expect(result.objects(of: Boy.self).map(\.name) == ["Boy", "Man"])
        #expect(result.report.issues.isEmpty)
        #expect(result.report.droppedObjectCount == 1)
    }

    @Test(.parity("M264"), arguments: orders, [false, true])
    func skipsRelatedElementWithoutMapping(_ order: [String], byClosure: Bool) throws {
        var mapping = boy
        mapping.add(
            RelationshipMapping(
                "friends", to: "friends", mapping: decliningGirls(byClosure: byClosure)))
        let text = #"{"name":"Blake","type":"Boy","friends":\#(humans(order))}"#
        let found = try map(Boy.self, text, with: mapping)
        #expect(found.map(\.name) == ["Blake"])
        #expect(
            found.first?.friends.map { "\(type(of: $0)) \($0.name)" } == ["Boy Boy", "Boy Man"])
    }

    @Test func throwsNotFoundForSkippedObject() throws {
        let error = #expect(throws: MappingError.self) { try run(boysOnly, sarah) }
        #expect(error?.code == .notFound)
    }

    @Test(.parity("M265")) func updatesTargetByChosenMapping() throws {
        let target = Boy()
        let result = try run(matched, blake, target: target)
        #expect(result.first as? Boy === target)
        #expect(target.name == "Blake Watters")
    }

    @Test(.parity("M266")) func throwsForTargetWithoutChosenMapping() throws {
        let error = #expect(throws: MappingError.self) {
            try run(boysOnly, sarah, target: Boy())
        }
        #expect(error?.code == .undeterminedMapping)
    }

    @Test(.parity("M267")) func throwsForTargetOfOtherType() throws {
        let target = Boy()
        let error = #expect(throws: MappingError.self) { try run(matched, sarah, target: target) }
        #expect(error?.code == .wrongSubject)
        #expect(target.name == "")
    }

    @Test func diagnosesMappingForUnrelatedType() throws {
        let unrelated = DynamicMapping([
            MappingMatcher(at: "x", equals: 1, mapping: ObjectMapping(for: Home.self))
        ])
        var mapping = boy
        mapping.add(RelationshipMapping("friends", to: "friends", mapping: unrelated))
        let error = #expect(throws: MappingError.self) { try MappingCompiler().compile(mapping) }
        #expect(error?.diagnostics.map(\.code) == [.wrongSubject])
    }

    @Test func comparesLongAndEscapedTexts() throws {
        let long = "a text of more than sixteen bytes, "
        let mapping = DynamicMapping([
            MappingMatcher(at: "t", equals: .init(stringLiteral: long + "one end"), mapping: girl),
            MappingMatcher(at: "t", equals: "caf\u{e9}", mapping: boy),
        ])
        #expect(try mapped(mapping, #"{"name":"a","t":"\#(long)one end"}"#) == ["Girl a"])
        #expect(
            try mapped(mapping, #"{"name":"a","t":"a text OF more than sixteen bytes, one end"}"#)
                == [])
        #expect(try mapped(mapping, #"{"name":"a","t":"caf\u00e9"}"#) == ["Boy a"])
    }
}
