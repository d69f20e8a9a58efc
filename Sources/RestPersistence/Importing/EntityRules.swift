// SPDX-License-Identifier: Apache-2.0

public import RestDocument
public import RestMapping

/// The rules by which an import finds, skips, connects and deletes the objects of an entity.
///
/// ```swift
/// var mapping = EntityMapping(human)
/// mapping.rules["Human"] = EntityRules(
///     identification: ["id"], modificationAttribute: "updatedAt",
///     connections: [Connection("favoriteCat", by: ["favoriteCatID": "id"])])
/// ```
///
/// The rules of an entity apply to entities that inherit from it and have no rules themselves.
public struct EntityRules: Sendable {
    /// The names of the attributes by which existing objects are found, which replace those that the
    /// entity declares.
    ///
    /// With `nil`, the declared ones are used. An empty array is an error: see
    /// ``insertsAllObjects``. Columns without an index get one when objects are imported for the
    /// first time.
    public var identification: [String]?
    /// A Boolean value that indicates whether all objects are inserted, instead of finding existing
    /// ones by identity or reusing those of a relationship; `false` by default.
    public var insertsAllObjects: Bool
    /// A Boolean value that indicates whether an entity without declared identification attributes is
    /// identified by an attribute with a customary name; `false` by default.
    ///
    /// The attribute is the first that exists of: the name of the entity followed by `ID`
    /// (`parentID`), the same in snake case followed by `_id` (`arctic_monkey_id`), `identifier`,
    /// `id`, `ID`, `URL`, `url`.
    public var infersIdentification: Bool
    /// A condition on existing objects: others are not found, even if they have the identity.
    public var identificationPredicate: FetchPredicate?
    /// A function that returns a condition on the existing objects for a representation, which is
    /// added to ``identificationPredicate``; with `nil`, it adds none.
    ///
    /// It is called for each representation with an identity, and each condition is a query. A new object is
    /// searched for by the condition again when it is saved, because others may have stored it meanwhile.
    public var identificationCondition: (@Sendable (Node) -> FetchPredicate?)?
    /// The name of the attribute that tells whether an object has been modified.
    ///
    /// An existing object whose value is equal to that of the representation is unmodified, or for
    /// types other than text, whose value is not less. Its attributes and relationships are skipped,
    /// including the objects that they contain, its connections as well. A new object takes all
    /// values, also if the attribute identifies it; as it is found by an equal value, it is then never
    /// updated.
    public var modificationAttribute: String?
    /// A Boolean value that indicates whether the relationships of an unmodified object are mapped.
    public var mapsRelationshipsOfUnmodified: Bool
    /// A condition on objects to delete after each import, in the representation or not.
    ///
    /// An attribute that must have a value, null or not be null gets an index when objects are imported
    /// for the first time, so that an import does not read the whole table. Other conditions read it.
    public var deletionPredicate: FetchPredicate?
    /// The connections to make after all objects have been imported.
    public var connections: [Connection]
    /// The treatment of plain values to which there is no object, by the name of the relationship.
    ///
    /// A mapping with an attribute from `.whole` maps plain values, such as the identities in
    /// `{"films": [1, 2]}`. By default, a relationship with a ``ReferenceDescription`` has the
    /// treatment that it declares, and the values of any other are objects that are inserted.
    public var missingDestinations: [String: MissingDestination]

    /// Creates rules.
    public init(
        identification: [String]? = nil, infersIdentification: Bool = false,
        insertsAllObjects: Bool = false, identificationPredicate: FetchPredicate? = nil,
        identificationCondition: (@Sendable (Node) -> FetchPredicate?)? = nil,
        modificationAttribute: String? = nil,
        mapsRelationshipsOfUnmodified: Bool = false, deletionPredicate: FetchPredicate? = nil,
        connections: [Connection] = [],
        missingDestinations: [String: MissingDestination] = [:]
    ) {
        self.identification = identification
        self.infersIdentification = infersIdentification
        self.insertsAllObjects = insertsAllObjects
        self.identificationPredicate = identificationPredicate
        self.identificationCondition = identificationCondition
        self.modificationAttribute = modificationAttribute
        self.mapsRelationshipsOfUnmodified = mapsRelationshipsOfUnmodified
        self.deletionPredicate = deletionPredicate
        self.connections = connections
        self.missingDestinations = missingDestinations
    }
}

/// A relationship whose destinations are found by the values of attributes, or along other
/// relationships.
///
/// The destinations of an imported object are exactly those that are found; with none, the
/// relationship is empty afterwards.
public struct Connection: Sendable {
    /// A pair of attributes whose values must be equal.
    public struct AttributePair: Sendable, Hashable {
        /// The name of the attribute of the imported object.
        public let source: String
        /// The name of the attribute of the destination.
        public let destination: String
    }

    enum Rule: Sendable {
        case attributes([AttributePair])
        case path([String])
    }

    /// The name of the relationship.
    public let relationship: String
    let rule: Rule
    /// A condition on the imported objects; for others the relationship becomes empty.
    public var sourcePredicate: FetchPredicate?
    /// A condition on the destinations.
    public var destinationPredicate: FetchPredicate?
    /// A Boolean value that indicates whether destinations may be of entities that inherit from the
    /// destination entity.
    public var includesSubentities = true

    /// Creates a connection to the objects whose attributes have the same values.
    ///
    /// A source attribute with an array as JSON matches any of its elements. Several pairs must all
    /// match; null matches null if another pair is not null. If all are null, the relationship is
    /// unchanged. Of several objects for a to-one relationship, the oldest is the destination.
    ///
    /// - Parameters:
    ///   - relationship: The name of the relationship.
    ///   - attributes: The attributes of the source, each with an attribute of the destination.
    public init(_ relationship: String, by attributes: KeyValuePairs<String, String>) {
        self.relationship = relationship
        rule = .attributes(attributes.map { AttributePair(source: $0, destination: $1) })
    }

    /// Creates a connection to the objects whose attributes with the same names have the same values.
    ///
    /// - Parameters:
    ///   - relationship: The name of the relationship.
    ///   - names: The names of the attributes of the source.
    ///   - keyTransformation: The transformation from a name to that of the destination's attribute.
    public init(
        _ relationship: String, by names: [String], keyTransformation: KeyTransformation = .identity
    ) {
        self.relationship = relationship
        rule = .attributes(
            names.map { name in
                let source = SourcePath([.key(name)])
                return AttributePair(
                    source: name, destination: keyTransformation.destination(of: source))
            })
    }

    /// The connection as text, without its predicates.
    package var ruleText: String {
        let text =
            switch rule {
            case .attributes(let pairs):
                "by " + pairs.map { "\($0.source) = \($0.destination)" }.joined(separator: ", ")
            case .path(let path): "along \(path.joined(separator: "."))"
            }
        return "\(relationship) \(text)" + (includesSubentities ? "" : ", no subentities")
    }

    /// The pairs of attributes; empty for a connection along a path.
    public var attributes: [AttributePair] {
        if case .attributes(let pairs) = rule { pairs } else { [] }
    }

    /// Creates a connection to the objects at the end of a dotted path of relationships.
    ///
    /// An ordered relationship has the order in which the path reaches them.
    public init(_ relationship: String, along path: String) {
        self.relationship = relationship
        rule = .path(path.split(separator: ".").map(String.init))
    }

    /// The names of the relationships of a path; empty for a connection by attributes.
    public var path: [String] {
        if case .path(let names) = rule { names } else { [] }
    }
}
