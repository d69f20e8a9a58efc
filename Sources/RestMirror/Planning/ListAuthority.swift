// SPDX-License-Identifier: Apache-2.0

import RestDefinition
import RestMapping

/// The effect of the lists in records on the members that they do not name.
///
/// A list removes members only where it is the place that has all of them: a list in another record, or beside a
/// resource that reads the same list, can be a part.
struct ListAuthority {
    /// The place of the object with a list.
    enum Place {
        /// A record of a resource.
        case record
        /// An object in a record.
        case embedded
    }

    let definition: Definition

    /// Returns the policy of a relation for the members that a list does not name.
    func policy(
        of relation: RelationDefinition, in entity: EntityDefinition, at place: Place
    ) -> AssignmentPolicy {
        guard relation.isToMany, canBePart(relation) else {
            return relation.isOwned ? .replace : .set
        }
        if hasListOfEach(relation, entity) { return .union }
        if place == .embedded, isRead(entity.name) { return .union }
        // A list that a resource reads says what exists.
        return relation.isOwned && !isRead(relation.entity) ? .replace : .set
    }

    /// Returns a Boolean value that indicates whether a list can add members to those that exist.
    ///
    /// Members without an identity are not found again, so that only the whole list says which there are.
    func canBePart(_ relation: RelationDefinition) -> Bool {
        relation.form != .inverse
            && definition.entity(named: relation.entity)?.identity.isEmpty == false
    }

    /// Returns a Boolean value that indicates whether a resource has records of an entity.
    private func isRead(_ entity: String) -> Bool {
        definition.resources.contains { $0.entity.names.contains(entity) }
    }

    /// Returns a Boolean value that indicates whether a resource reads the members for each record with the list.
    private func hasListOfEach(_ relation: RelationDefinition, _ entity: EntityDefinition) -> Bool {
        guard let name = relation.inverse,
            let inverse = definition.entity(named: relation.entity)?.relation(named: name),
            !inverse.isToMany, inverse.form != .inverse
        else { return false }
        return definition.resources.contains { resource in
            resource.entity.names.contains(relation.entity)
                && resource.parents.contains { parent in
                    guard case .resource(let name) = parent.source else { return false }
                    let owners = definition.resources.first { $0.name == name }
                    return owners?.entity.names.contains(entity.name) == true
                }
        }
    }
}
