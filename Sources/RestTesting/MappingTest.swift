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
    /// The object that was made, or filled.
    public let object: Subject
    /// What was met on the way.
    public let report: MappingReport
    private let log: AssignmentLog

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
        let node = try AssignmentLog.node(at: keyPath, of: document)
        let plan = try MappingCompiler().compile(mapping)
        let recorder = AssignmentRecorder()
        let environment = MappingEnvironment(metadata: metadata, observer: recorder)
        var report = MappingReport()
        if let target {
            object = try plan.object(updating: target, from: node, in: environment, report: &report)
        } else {
            object = try plan.object(Subject.self, from: node, in: environment, report: &report)
        }
        self.report = report
        log = AssignmentLog(mapping: mapping, assignments: recorder.assignments)
    }

    /// Maps a document by a mapping of one kind.
    public init(
        _ mapping: some DeclaredMapping, on document: Document, at keyPath: DocumentPath = .root,
        into target: Subject? = nil, metadata: [Document] = []
    ) throws {
        try self.init(
            mapping.mapping, on: document, at: keyPath, into: target, metadata: metadata)
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
        try log.evaluate(expectation)
    }
}
