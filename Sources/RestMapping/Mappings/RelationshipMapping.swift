// SPDX-License-Identifier: Apache-2.0

/// What happens to the objects a relationship holds when others arrive.
public enum AssignmentPolicy: UInt8, Sendable, Hashable {
    /// What arrives takes the place of what was there.
    case set
    /// What arrives is added: lists grow, sets keep each object once. Nothing adds nothing.
    case union
    /// As ``set``, and a store deletes what was there and did not arrive again.
    case replace
}

/// One property that holds mapped objects, fed by one place of the representation.
public struct RelationshipMapping: Sendable {
    /// Where the related representation sits, seen from the object; empty for the object itself.
    ///
    /// An object that feeds a related one itself does so only if it has a key that one is mapped
    /// from.
    public let source: SourcePath
    /// Name of the property; dotted for one of an object it holds.
    public let destination: String
    /// How related objects are mapped; nil for the default mapping of the type they have.
    ///
    /// A mapping is a value and cannot hold itself: a type that relates to itself, as a comment
    /// to its replies, leaves this nil.
    public let mapping: Mapping?
    /// What happens to the objects that are there.
    public var assignment: AssignmentPolicy

    /// Declares a relationship; without a mapping, to objects of their default one.
    public init(
        _ source: SourcePath, to destination: String, mapping: Mapping? = nil,
        assignment: AssignmentPolicy = .set
    ) {
        self.source = source
        self.destination = destination
        self.mapping = mapping
        self.assignment = assignment
    }

    /// Declares a relationship to objects of a mapping of one kind.
    public init(
        _ source: SourcePath, to destination: String, mapping: some DeclaredMapping,
        assignment: AssignmentPolicy = .set
    ) {
        self.init(source, to: destination, mapping: mapping.mapping, assignment: assignment)
    }

    /// The same relationship for another property.
    func renamed(to destination: String) -> RelationshipMapping {
        RelationshipMapping(source, to: destination, mapping: mapping, assignment: assignment)
    }
}

extension RelationshipMapping: Equatable, CustomStringConvertible {
    /// Relationships are equal if source, destination and mapping are.
    public static func == (left: RelationshipMapping, right: RelationshipMapping) -> Bool {
        left.source == right.source && left.destination == right.destination
            && left.mapping == right.mapping
    }

    /// Source and destination.
    public var description: String { "\(source) -> \(destination)" }
}
