// SPDX-License-Identifier: Apache-2.0

public import RestDocument
public import RestMapping

/// A test of a mapping, which maps a document once and checks expectations.
///
///     import RestDocument
///     import RestMapping
///     import RestTesting
///
///     @Mapped struct Address {
///         var city: String
///     }
///
///     @Mapped struct User {
///         var name: String
///         var address: Address?
///     }
///
///     let addressMapping = ObjectMapping(for: Address.self) {
///         attribute("town", to: \.city)
///     }
///     let mapping = ObjectMapping(for: User.self) {
///         attribute("name", to: \.name)
///         relationship("address", to: \.address, mapping: addressMapping)
///     }
///
///     let document = try Document(
///         parsing: #"{"name": "Blake Watters", "address": {"town": "Chapel Hill"}}"#)
///     let test = try MappingTest<User>(mapping, on: document)
///     try test.verify([
///         MappingExpectation("name", to: "name", value: "Blake Watters"),
///         MappingExpectation("address", to: "address", mapping: .object(addressMapping)),
///     ])
///
/// Errors contain the expected and the actual assignment, so a throwing test function needs no further
/// assertions. The type works with any testing framework.
public struct MappingTest<Subject: Mapped> {
    /// The object that was created or updated.
    public let object: Subject
    /// The report of the mapping.
    public let report: MappingReport
    private let log: AssignmentLog

    /// Creates a test by mapping a document.
    ///
    /// - Parameters:
    ///   - mapping: The mapping to test.
    ///   - document: The document that contains the representation.
    ///   - keyPath: The path of the representation in the document.
    ///   - target: An object to update, or `nil` to create one.
    ///   - metadata: The documents at `@metadata`.
    /// - Throws: ``/RestMapping/MappingError`` if the mapping is invalid or the object cannot be
    ///   created, and ``MappingTestError`` if the document has no value at the key path.
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

    /// Creates a test by mapping a document with a mapping of any kind.
    public init(
        _ mapping: some MappingConvertible, on document: Document, at keyPath: DocumentPath = .root,
        into target: Subject? = nil, metadata: [Document] = []
    ) throws {
        try self.init(
            mapping.mapping, on: document, at: keyPath, into: target, metadata: metadata)
    }

    // MARK: Expectations

    /// Returns a Boolean value that indicates whether an expectation is met.
    public func meets(_ expectation: MappingExpectation) -> Bool {
        (try? evaluate(expectation)) != nil
    }

    /// Verifies that all expectations are met.
    ///
    /// - Throws: ``MappingTestError`` for the first expectation that is not met, or an error of its
    ///   closure.
    public func verify(_ expectations: [MappingExpectation]) throws {
        for expectation in expectations { try evaluate(expectation) }
    }

    /// Verifies that an expectation is met by the first assignment with its source and destination.
    ///
    /// - Throws: ``MappingTestError`` if the expectation is not met, or an error of its closure.
    public func evaluate(_ expectation: MappingExpectation) throws {
        try log.evaluate(expectation)
    }
}
