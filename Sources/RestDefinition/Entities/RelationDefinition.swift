// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// A definition of a relation between entities.
public struct RelationDefinition: Sendable, Equatable {
    /// The form in which a record refers to the destination.
    public enum Form: String, Sendable, Hashable, CaseIterable {
        /// The object itself, whole or in part.
        case object
        /// The value of an identity or of another attribute of the destination, which can be a URL.
        case identity
        /// A URL or path whose last component is the identity of the destination.
        case lastPathComponent = "last_path_component"
        /// The inverse of another relation: the destinations are the rows whose relation `inverse` refers
        /// to the row.
        case inverse
    }

    /// The treatment of references to rows that do not exist.
    public enum Missing: String, Sendable, Hashable, CaseIterable {
        /// The reference waits for its row.
        case pending
        /// A row with only the identity is inserted.
        case placeholder
        /// The reference is dropped.
        case skipped
    }

    /// The name of the relation and, for a to-one relation, of its column.
    public var name: String
    /// The name of the destination entity.
    public var entity: String
    /// A Boolean value that indicates whether the relation is to-many.
    public var isToMany: Bool
    /// The path in the record; `nil` for the key that equals the name.
    public var path: DocumentPath?
    /// The form of references.
    public var form: Form
    /// The attribute of the destination that references contain; `nil` for its identity.
    public var attribute: String?
    /// The name of the inverse relation of the destination; `nil` for none.
    public var inverse: String?
    /// A Boolean value that indicates whether the order of the destinations is stored.
    public var isOrdered: Bool
    /// A Boolean value that indicates whether the destinations are deleted with the row, as lines of an
    /// order are.
    public var isOwned: Bool
    /// The treatment of references to rows that do not exist.
    public var missing: Missing
    /// The names of the relation in earlier versions of the definition, the latest first.
    public var formerNames: [String]

    /// Creates a definition of a relation.
    public init(
        _ name: String, to entity: String, isToMany: Bool = false, path: DocumentPath? = nil,
        form: Form = .object, attribute: String? = nil, inverse: String? = nil,
        isOrdered: Bool = false, isOwned: Bool = false, missing: Missing = .pending,
        formerNames: [String] = []
    ) {
        self.name = name
        self.entity = entity
        self.isToMany = isToMany
        self.path = path
        self.form = form
        self.attribute = attribute
        self.inverse = inverse
        self.isOrdered = isOrdered
        self.isOwned = isOwned
        self.missing = missing
        self.formerNames = formerNames
    }
}
