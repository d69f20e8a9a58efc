// SPDX-License-Identifier: Apache-2.0

/// A mapping of one place of the representation to one property that holds mapped objects.
public struct RelationshipMapping: Sendable {
    /// The path of the related representation, relative to the object; empty for the object itself.
    ///
    /// A related object that is mapped from the object itself is created only if a key that it is
    /// mapped from is present.
    public let source: SourcePath
    /// The name of the property; dotted for a property of an object that it holds.
    public let destination: String
    /// The mapping of the related objects; nil for the default mapping of their type.
    ///
    /// A mapping is a value and cannot contain itself: a type that relates to itself, such as a
    /// comment with replies, leaves this nil.
    public let mapping: Mapping?
    /// The policy for the objects that the property holds already.
    public var assignment: AssignmentPolicy

    /// Creates a relationship mapping; without a mapping of the related objects, to their default
    /// mapping.
    public init(
        _ source: SourcePath, to destination: String, mapping: Mapping? = nil,
        assignment: AssignmentPolicy = .set
    ) {
        self.source = source
        self.destination = destination
        self.mapping = mapping
        self.assignment = assignment
    }

    /// Creates a relationship mapping with a mapping of any kind.
    public init(
        _ source: SourcePath, to destination: String, mapping: some MappingConvertible,
        assignment: AssignmentPolicy = .set
    ) {
        // Wrapped in an optional, as `Mapping` conforms too and would select this initializer again.
        self.init(
            source, to: destination, mapping: Mapping?(mapping.mapping), assignment: assignment)
    }

    /// Returns the same mapping for another property.
    func renamed(to destination: String) -> RelationshipMapping {
        RelationshipMapping(source, to: destination, mapping: mapping, assignment: assignment)
    }
}

extension RelationshipMapping: Equatable, CustomStringConvertible {
    /// Returns a Boolean value that indicates whether source, destination and mapping are equal.
    public static func == (left: RelationshipMapping, right: RelationshipMapping) -> Bool {
        left.source == right.source && left.destination == right.destination
            && left.mapping == right.mapping
    }

    /// The source and the destination.
    public var description: String { "\(source) -> \(destination)" }
}
