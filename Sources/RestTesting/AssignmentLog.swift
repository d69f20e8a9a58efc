// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import RestPersistence

/// The assignments of a mapping, which are compared with expectations.
struct AssignmentLog {
    struct Assignment {
        let source: SourcePath
        let destination: String
        var value: Any
    }

    /// A connection of an imported object.
    struct Connected {
        let object: ManagedObjectID
        let connection: Connection
        let destinations: [ManagedObjectID]
    }

    let mapping: Mapping
    var assignments: [Assignment]

    /// Returns the node of a document at a path.
    static func node(at path: DocumentPath, of document: Document) throws(MappingTestError) -> Node
    {
        guard let node = path.components.isEmpty ? document.root : document.root[path] else {
            throw MappingTestError(.nothingToMap, "the document has no value at '\(path)'")
        }
        return node
    }

    /// Compares an expectation with the first assignment that has its source and destination.
    ///
    /// - Throws: ``MappingTestError`` if the expectation is not met, or an error of its closure.
    func evaluate(_ expectation: MappingExpectation) throws {
        let found = assignments.first {
            $0.source == expectation.source && $0.destination == expectation.destination
        }
        guard let found else {
            throw MappingTestError(
                .unsatisfied, "expected to map \(expectation), but did not")
        }
        let shown = Self.text(of: found.value)
        switch expectation.check {
        case .occurrence: break
        case .value(let expected, let isEqual):
            guard isEqual(found.value) else {
                throw MappingTestError(
                    .valueInequality, "mapped \(expectation) as \(shown), expected \(expected)")
            }
        case .evaluation(let accepts):
            guard try accepts(found.value) else {
                throw MappingTestError(
                    .evaluation, "mapped \(expectation), but its closure rejected: \(shown)")
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

    /// Returns the mapping of the relationship of an expectation, at any depth.
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
        case .codable(let mapping): "the Codable conformance of \(mapping.table.name)"
        }
    }

    /// Returns the type and the text of a value; `nil` for an optional without value.
    static func text(of value: Any) -> String {
        unwrapped(value).map { "\(type(of: $0)) '\($0)'" } ?? "nil"
    }

    /// Returns a value without an enclosing optional.
    private static func unwrapped(_ value: Any) -> Any? {
        let mirror = Mirror(reflecting: value)
        return mirror.displayStyle == .optional ? mirror.children.first?.value : value
    }
}

/// An observer that records assignments, including those of values that a property already had.
final class AssignmentRecorder: ConnectionObserver {
    private(set) var assignments: [AssignmentLog.Assignment] = []
    private(set) var connections: [AssignmentLog.Connected] = []

    func observe(
        _ connection: Connection, of object: ManagedObject, destinations: [ManagedObject]
    ) {
        connections.append(
            AssignmentLog.Connected(
                object: object.objectID, connection: connection,
                destinations: destinations.map(\.objectID)))
    }

    func observe(_ event: MappingEvent) {
        switch event.kind {
        case .set(let value), .unchanged(let value):
            assignments.append(
                AssignmentLog.Assignment(
                    source: event.source, destination: event.destination, value: value))
        default: break
        }
    }
}
