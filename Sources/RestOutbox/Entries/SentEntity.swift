// SPDX-License-Identifier: Apache-2.0

import RestRows

/// An entity whose edits are sent.
package struct SentEntity: Sendable, Hashable {
    /// A to-one reference among the synchronized properties.
    package struct Reference: Sendable, Hashable {
        /// The name of the entity of the destination.
        package let destination: String
        /// A Boolean value that indicates whether the server creates no object without the reference.
        package let isRequired: Bool

        package init(destination: String, isRequired: Bool) {
            self.destination = destination
            self.isRequired = isRequired
        }
    }

    /// A to-many relationship with a join table among the synchronized properties, whose value is a
    /// ``/RestRows/MemberSet``.
    package struct Members: Sendable, Hashable {
        /// The name of the entity of the members.
        package let destination: String
        /// A Boolean value that indicates whether each member is added and removed by a request of its own.
        package let isMemberwise: Bool

        package init(destination: String, isMemberwise: Bool) {
            self.destination = destination
            self.isMemberwise = isMemberwise
        }
    }

    /// The name of the entity.
    package let name: String
    /// The names of the properties that a request can send.
    package let properties: Set<String>
    /// The references among them, by name.
    package let references: [String: Reference]
    /// The to-many relationships among them, by name.
    package let members: [String: Members]
    /// The remedy if the answer to a creation is lost.
    package let creation: CreationRemedy
    /// A Boolean value that indicates whether updates and deletions carry the version that they are based on.
    package let isConditional: Bool
    /// A Boolean value that indicates whether the version only grows, so that an image with a smaller one is older.
    package let isMonotonic: Bool
    /// The names of the entities from which the entity inherits.
    package let ancestors: Set<String>

    package init(
        _ name: String, properties: Set<String>, references: [String: Reference] = [:],
        members: [String: Members] = [:], creation: CreationRemedy = .atMostOnce,
        isConditional: Bool = false, isMonotonic: Bool = false, ancestors: Set<String> = []
    ) {
        self.isMonotonic = isMonotonic
        self.ancestors = ancestors
        self.name = name
        self.properties = properties.union(references.keys).union(members.keys)
        self.references = references
        self.members = members
        self.creation = creation
        self.isConditional = isConditional
    }

    /// Returns the values of synchronized properties.
    func synchronized(_ image: ObjectImage) -> ObjectImage {
        image.filter { properties.contains($0.key) }
    }

    /// Returns a Boolean value that indicates whether an image with a version is older than one with another.
    func isOlder(_ version: StoredValue?, than known: StoredValue?) -> Bool {
        guard isMonotonic, case .integer(let version) = version, case .integer(let known) = known
        else { return false }
        return version < known
    }

    /// Returns a Boolean value that indicates whether a relationship with a destination can have the entity.
    func isKind(of destination: String) -> Bool {
        name == destination || ancestors.contains(destination)
    }

    /// Returns a Boolean value that indicates whether a request can follow later with a value.
    func isSeparable(_ property: String) -> Bool {
        references[property]?.isRequired == false || members[property] != nil
    }

    /// Returns the kind of the edits of a property.
    func editKind(of property: String) -> PropertyEditKind {
        members[property] == nil ? .value : .members
    }
}

/// The entities whose edits are sent.
package struct SentModel: Sendable, Hashable {
    /// A circle of required references, none of whose objects could be sent first.
    package struct CircleOfReferences: Error, Hashable {
        /// The names of the entities in the circle, in the order of the references.
        package let entities: [String]
    }

    package let entities: [String: SentEntity]
    /// The names of the entities that inherit from one, by its name.
    private let descendants: [String: [String]]

    /// Creates a model.
    ///
    /// - Throws: ``CircleOfReferences``.
    package init(_ entities: [SentEntity]) throws(CircleOfReferences) {
        self.entities = Dictionary(entities.map { ($0.name, $0) }) { $1 }
        var descendants: [String: [String]] = [:]
        for entity in entities {
            for ancestor in entity.ancestors {
                descendants[ancestor, default: []].append(entity.name)
            }
        }
        self.descendants = descendants
        for entity in entities.map(\.name).sorted() {
            if let circle = circle(through: [entity]) { throw CircleOfReferences(entities: circle) }
        }
    }

    /// Returns the names of the entities that the destination of a relationship can have.
    func kinds(of destination: String) -> [String] {
        [destination] + (descendants[destination] ?? [])
    }

    private func circle(through path: [String]) -> [String]? {
        guard let last = path.last, let entity = entities[last] else { return nil }
        for reference in entity.references.values.sorted(by: { $0.destination < $1.destination })
        where reference.isRequired {
            if reference.destination == path[0] { return path }
            if path.contains(reference.destination) { continue }
            if let found = circle(through: path + [reference.destination]) { return found }
        }
        return nil
    }
}
