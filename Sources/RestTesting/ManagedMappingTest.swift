// SPDX-License-Identifier: Apache-2.0

public import RestDocument
public import RestMapping
public import RestPersistence

/// A test of a mapping to managed objects, which maps a document once and checks expectations.
///
///     let test = try ManagedMappingTest(
///         mapping, on: fixture.document("human"), at: "human", in: context)
///     try test.verify([MappingExpectation("name", to: "name", value: "Blake Watters")])
///
/// The expectations are those of ``MappingTest``. The value of a relationship of the object itself is
/// its objects after the mapping, found or created; the value of a nested relationship is their
/// number.
///
/// Connections are made before the expectations are checked; a ``ConnectionExpectation`` compares them.
///
/// The context is not saved. The test is not `Sendable`, as the object belongs to its context.
public struct ManagedMappingTest {
    /// The object that was found or created.
    public let object: ManagedObject
    /// The report of the mapping.
    public let report: MappingReport
    private var log: AssignmentLog
    /// The connections of the object.
    private let connections: [AssignmentLog.Connected]

    /// Creates a test by mapping a document.
    ///
    /// - Parameters:
    ///   - mapping: The mapping to test.
    ///   - document: The document that contains the representation.
    ///   - keyPath: The path of the representation of one object in the document.
    ///   - context: The context of the object, in which existing objects are found.
    ///   - metadata: The documents at `@metadata`.
    /// - Throws: `PersistenceError` if the mapping is invalid, ``MappingTestError`` if the document has
    ///   no value at the key path or no object was created, and `MappingError` if the object cannot be
    ///   created.
    public init(
        _ mapping: EntityMapping, on document: Document, at keyPath: DocumentPath = .root,
        in context: ManagedObjectContext, metadata: [Document] = []
    ) throws {
        let node = try AssignmentLog.node(at: keyPath, of: document)
        let recorder = AssignmentRecorder()
        let result = try context.importObjects(
            from: node, by: EntityMappingPlan(mapping, in: context.model),
            in: MappingEnvironment(metadata: metadata, observer: recorder))
        guard let id = result.objectIDs.first else {
            throw MappingTestError(.nothingToMap, "no object was created from '\(keyPath)'")
        }
        object = try context.object(with: id)
        report = result.report
        log = AssignmentLog(mapping: mapping.mapping, assignments: recorder.assignments)
        connections = recorder.connections.filter { $0.object == id }
        let relationshipNames = Set(mapping.mapping.relationshipNames)
        for index in log.assignments.indices
        where relationshipNames.contains(log.assignments[index].destination) {
            let name = log.assignments[index].destination
            log.assignments[index].value = try object.value(named: name) as Any
        }
    }

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

extension ManagedMappingTest {
    /// Returns a Boolean value that indicates whether an expected connection was made.
    public func meets(_ expectation: ConnectionExpectation) -> Bool {
        (try? evaluate(expectation)) != nil
    }

    /// Verifies that all expected connections were made.
    ///
    /// - Throws: ``MappingTestError`` for the first one that was not.
    public func verify(_ expectations: [ConnectionExpectation]) throws(MappingTestError) {
        for expectation in expectations { try evaluate(expectation) }
    }

    /// Verifies that a connection of the object was made.
    ///
    /// - Throws: ``MappingTestError`` if it was not, or to other objects.
    public func evaluate(_ expectation: ConnectionExpectation) throws(MappingTestError) {
        try expectation.evaluate(among: connections)
    }
}

extension Mapping {
    /// The destinations of the relationships of the mapping itself.
    fileprivate var relationshipNames: [String] {
        switch self {
        case .object(let mapping): mapping.relationships.map(\.destination)
        case .dynamic(let mapping):
            mapping.possibleMappings.flatMap { $0.relationships.map(\.destination) }
        case .codable: []
        }
    }
}
