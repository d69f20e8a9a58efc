// SPDX-License-Identifier: Apache-2.0

public import RestDocument
public import RestMapping

/// Maps a document once and holds what happened against expectations.
///
///     let test = try MappingTest(mapping, on: fixture.document("user"))
///     try test.verify([
///         MappingExpectation("name", to: "name", value: "Blake Watters"),
///         MappingExpectation("address", to: "address", mapping: .object(addressMapping)),
///     ])
///
/// Thrown errors say what was expected and what happened, so that in a test function nothing else
/// is needed; no framework of tests is.
public struct MappingTest<Subject: Mapped> {
    private struct Assignment {
        let source: SourcePath
        let destination: String
        let value: Any
    }

    /// Takes down what was assigned; values that were there already count as well.
    private final class Recorder: MappingObserver {
        var assignments: [Assignment] = []

        func observe(_ event: MappingEvent) {
            switch event.kind {
            case .set(let value), .unchanged(let value):
                assignments.append(
                    Assignment(
                        source: event.source, destination: event.destination, value: value))
            default: break
            }
        }
    }

    /// The object that was made, or filled.
    public let object: Subject
    /// What was met on the way.
    public let report: MappingReport
    private let mapping: Mapping
    private let assignments: [Assignment]

    /// Maps a document.
    ///
    /// - Parameters:
    ///   - mapping: What is tested.
    ///   - document: The representation, or what it is in.
    ///   - keyPath: Where the representation is in the document.
    ///   - target: Is filled instead of a new object.
    ///   - metadata: What the mapping finds at `@metadata`.
    /// - Throws: ``RestMapping/MappingError`` when the mapping is wrong, when there is nothing at
    ///   the key path, and when the object cannot be built.
    public init(
        _ mapping: Mapping, on document: Document, at keyPath: DocumentPath = .root,
        into target: Subject? = nil, metadata: [Document] = []
    ) throws {
        guard let node = try Self.node(at: keyPath, of: document) else {
            throw MappingTestError(
                .nothingToMap, "the document has nothing at '\(keyPath)'")
        }
        let plan = try MappingCompiler().compile(mapping)
        let recorder = Recorder()
        let environment = MappingEnvironment(metadata: metadata, observer: recorder)
        var report = MappingReport()
        if let target {
            object = try plan.object(updating: target, from: node, in: environment, report: &report)
        } else {
            object = try plan.object(Subject.self, from: node, in: environment, report: &report)
        }
        self.report = report
        self.mapping = mapping
        assignments = recorder.assignments
    }

    /// Maps a document by a mapping of one kind.
    public init(
        _ mapping: some DeclaredMapping, on document: Document, at keyPath: DocumentPath = .root,
        into target: Subject? = nil, metadata: [Document] = []
    ) throws {
        try self.init(
            mapping.mapping, on: document, at: keyPath, into: target, metadata: metadata)
    }

    private static func node(at path: DocumentPath, of document: Document) throws -> Node? {
        var node: Node? = document.root
        for component in path.components {
            switch component {
            case .key(let key): node = node?[key]
            case .index(let index): node = node?[index]
            }
        }
        return node
    }

    // MARK: Expectations

    /// Whether an expectation was met.
    public func meets(_ expectation: MappingExpectation) -> Bool {
        (try? evaluate(expectation)) != nil
    }

    /// Makes sure that all expectations were met.
    ///
    /// - Throws: ``MappingTestError`` for the first that was not, or what an evaluation threw.
    public func verify(_ expectations: [MappingExpectation]) throws {
        for expectation in expectations { try evaluate(expectation) }
    }

    /// Makes sure that an expectation was met; of several assignments alike the first counts.
    ///
    /// - Throws: ``MappingTestError`` with the code of what was not as expected, or what an
    ///   evaluation threw.
    public func evaluate(_ expectation: MappingExpectation) throws {
        let found = assignments.first {
            $0.source == expectation.source && $0.destination == expectation.destination
        }
        guard let found else {
            throw MappingTestError(
                .unsatisfied, "expected to map \(expectation), but did not")
        }
        let value = present(found.value)
        let shown = value.map { "\(type(of: $0)) '\($0)'" } ?? "nil"
        switch expectation.check {
        case .occurrence: break
        case .value(let isEqual):
            guard isEqual(found.value) else {
                throw MappingTestError(
                    .valueInequality, "mapped \(expectation) as unexpected value: \(shown)")
            }
        case .evaluation(let accepts):
            guard try accepts(found.value) else {
                throw MappingTestError(
                    .evaluation, "mapped \(expectation), but its evaluation refused: \(shown)")
            }
        case .mapping(let expected):
            let used = Self.mapping(of: expectation, in: mapping)
            guard used == expected else {
                let name = used.map(Self.name) ?? "the default mapping"
                throw MappingTestError(
                    .mappingMismatch,
                    "mapped \(expectation) with \(name) instead of \(Self.name(expected))")
            }
        }
    }

    /// The mapping of the relationship that an expectation is about, at whatever depth.
    private static func mapping(
        of expectation: MappingExpectation, in mapping: Mapping
    ) -> Mapping? {
        let objects: [ObjectMapping] =
            switch mapping {
            case .object(let mapping): [mapping]
            case .dynamic(let mapping): mapping.possibleMappings
            case .codable: []
            }
        for relationship in objects.flatMap(\.relationships) {
            if relationship.source == expectation.source,
                relationship.destination == expectation.destination
            {
                return relationship.mapping
            }
            guard let nested = relationship.mapping else { continue }
            if let found = Self.mapping(of: expectation, in: nested) { return found }
        }
        return nil
    }

    private static func name(_ mapping: Mapping) -> String {
        switch mapping {
        case .object(let mapping): "a mapping of \(mapping.table.name)"
        case .dynamic(let mapping):
            "a dynamic mapping of \(mapping.possibleMappings.count) mappings"
        case .codable(let mapping): "the code of \(mapping.table.name)"
        }
    }

    /// A value without the optional around it.
    private func present(_ value: Any) -> Any? {
        let mirror = Mirror(reflecting: value)
        return mirror.displayStyle == .optional ? mirror.children.first?.value : value
    }
}
