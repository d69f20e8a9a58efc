// SPDX-License-Identifier: Apache-2.0

#if Persistence
public import RestDocument
public import RestMapping
public import RestPersistence

/// Maps a document into an object of a store once and holds what happened against expectations.
///
///     let test = try ManagedMappingTest(
///         mapping, on: fixture.document("human"), at: "human", in: context)
///     try test.verify([MappingExpectation("name", to: "name", value: "Blake Watters")])
///
/// Expectations are those of ``MappingTest``. What a relationship of the object itself was assigned
/// is the objects it leads to afterwards, found or made; of a relationship deeper inside it is how
/// many they are.
///
/// Nothing is saved. Not Sendable: the object belongs to its context.
public struct ManagedMappingTest {
    /// The object that was found or made.
    public let object: ManagedObject
    /// What was met on the way.
    public let report: MappingReport
    private var log: AssignmentLog

    /// Maps a document.
    ///
    /// - Parameters:
    ///   - mapping: What is tested.
    ///   - document: The representation, or what it is in.
    ///   - keyPath: Where the representation is in the document: one object.
    ///   - context: Where the object goes; what it holds or can read is found again.
    ///   - metadata: What the mapping finds at `@metadata`.
    /// - Throws: `PersistenceError` when the mapping is wrong, ``MappingTestError`` when there is
    ///   nothing at the key path or nothing was made of it, `MappingError` when the object cannot
    ///   be built.
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
            throw MappingTestError(.nothingToMap, "no object was made of '\(keyPath)'")
        }
        object = try context.object(with: id)
        report = result.report
        log = AssignmentLog(mapping: mapping.mapping, assignments: recorder.assignments)
        let own = Set(mapping.mapping.relationshipNames)
        for index in log.assignments.indices where own.contains(log.assignments[index].destination)
        {
            let name = log.assignments[index].destination
            log.assignments[index].value = try object.value(named: name) as Any
        }
    }

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

extension Mapping {
    /// The properties that a relationship of the mapping itself feeds.
    fileprivate var relationshipNames: [String] {
        switch self {
        case .object(let mapping): mapping.relationships.map(\.destination)
        case .dynamic(let mapping):
            mapping.possibleMappings.flatMap { $0.relationships.map(\.destination) }
        case .codable: []
        }
    }
}
#endif
