// SPDX-License-Identifier: Apache-2.0

public import RestPersistence

/// An expected connection of the object of a ``ManagedMappingTest``.
public struct ConnectionExpectation: CustomStringConvertible {
    /// The name of the relationship.
    public let relationship: String
    /// The pairs of attributes; `nil` accepts any connection of the relationship.
    let pairs: [Connection.AttributePair]?
    /// The IDs of the destinations; `nil` accepts any, also none.
    let destinations: [ManagedObjectID]?

    /// Creates an expectation that a relationship is connected, to whatever objects.
    public init(_ relationship: String) {
        self.relationship = relationship
        pairs = nil
        destinations = nil
    }

    /// Creates an expectation that a relationship is connected by attributes.
    ///
    /// - Parameters:
    ///   - relationship: The name of the relationship.
    ///   - attributes: The attributes of the object, each with an attribute of the destination, in the
    ///     order of the connection.
    ///   - objects: The destinations in any order, compared by object ID; empty for none, and `nil` for
    ///     any.
    public init(
        _ relationship: String, by attributes: KeyValuePairs<String, String>,
        to objects: [ManagedObject]? = nil
    ) {
        self.relationship = relationship
        pairs = Connection(relationship, by: attributes).attributes
        destinations = objects?.map(\.objectID)
    }

    /// The relationship and its attributes.
    public var description: String {
        let text = pairs?.map { "\($0.source) = \($0.destination)" }.joined(separator: ", ")
        return "'\(relationship)'" + (text.map { " by \($0)" } ?? "")
    }

    private static func text(of objects: [ManagedObjectID]) -> String {
        objects.isEmpty ? "no objects" : objects.map(\.description).joined(separator: ", ")
    }

    /// Compares the expectation with the connections that were made.
    ///
    /// - Throws: ``MappingTestError`` if it is not met.
    func evaluate(among connections: [AssignmentLog.Connected]) throws(MappingTestError) {
        let candidates = connections.filter { $0.connection.relationship == relationship }
        guard
            let found = candidates.first(where: {
                pairs == nil || $0.connection.attributes == pairs
            })
        else {
            throw MappingTestError(.unsatisfied, "expected to connect \(self), but did not")
        }
        guard let destinations else { return }
        guard Set(destinations) == Set(found.destinations) else {
            throw MappingTestError(
                .valueInequality,
                "connected \(self) to \(Self.text(of: found.destinations)), expected "
                    + Self.text(of: destinations))
        }
    }
}
