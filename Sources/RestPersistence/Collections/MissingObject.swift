// SPDX-License-Identifier: Apache-2.0

import Foundation

/// An object that others refer to and that does not exist yet.
///
/// See ``PendingReference``.
public struct MissingObject: Sendable, Hashable {
    /// The name of the entity that the references name.
    public let entity: String
    /// The name of the attribute that has the identity.
    public let attribute: String
    /// The identity.
    public let identity: StoredValue
    /// The number of references to the object.
    public let referenceCount: Int
}

extension MissingObject {
    /// The identity as text, such as for the query of a request; binary data in Base64.
    public var identityText: String {
        switch identity {
        case .null: ""
        case .integer(let value): String(value)
        case .double(let value): String(value)
        case .text(let text): text
        case .data(let data): data.base64EncodedString()
        }
    }
}

extension ManagedObjectContext {
    /// Returns the objects of a class that others refer to and that do not exist.
    ///
    /// References to subclasses are included, also those of unsaved objects of this context. References
    /// to a superclass are not, because the class of their objects is not known yet.
    ///
    /// - Returns: The objects, each once, in the order of entity, attribute and identity.
    /// - Throws: ``PersistenceError`` if the model has no such entity, or for the database.
    /// - Complexity: O(*n*) in the number of pending references of the entities that refer to the class.
    public func missingObjects<Object: ManagedEntity>(
        of type: Object.Type
    ) throws(PersistenceError) -> [MissingObject] {
        let family = Set(try model.layout(of: type).subentities)
        var counts: [MissingObject: Int] = [:]
        for layout in model.layouts
        where layout.superentity == nil && refers(layout, to: family) {
            for reference in try pendingReferences(ofEntity: layout.name) {
                guard let destination = model.index(of: reference.destination),
                    family.contains(destination)
                else { continue }
                let missing = MissingObject(
                    entity: reference.destination, attribute: reference.attribute,
                    identity: reference.identity, referenceCount: 0)
                counts[missing, default: 0] += 1
            }
        }
        return counts.map { missing, count in
            MissingObject(
                entity: missing.entity, attribute: missing.attribute, identity: missing.identity,
                referenceCount: count)
        }.sorted { left, right in
            if left.entity != right.entity { return left.entity < right.entity }
            if left.attribute != right.attribute { return left.attribute < right.attribute }
            return left.identity.compare(right.identity) < 0
        }
    }

    /// Returns a Boolean value that indicates whether an entity, or one that inherits from it, has a
    /// relationship to one of some entities.
    private func refers(_ layout: EntityLayout, to family: Set<Int>) -> Bool {
        layout.subentities.contains { index in
            model.layouts[index].relationships.contains { family.contains($0.destination) }
        }
    }
}

extension ManagedObjectStore {
    /// Returns the objects of a class that others refer to and that do not exist.
    ///
    /// ```swift
    /// let terminals = try await store.missingObjects(of: Terminal.self)
    /// print(terminals.map(\.identityText))
    /// ```
    ///
    /// See ``ManagedObjectContext/missingObjects(of:)``.
    ///
    /// - Throws: ``PersistenceError`` if the model has no such entity, or for the database;
    ///   `CancellationError`.
    public func missingObjects<Object: ManagedEntity>(
        of type: Object.Type
    ) async throws -> [MissingObject] {
        try await read { context in try context.missingObjects(of: type) }
    }
}
