// SPDX-License-Identifier: Apache-2.0

extension ManagedObjectModel {
    /// Returns an attribute of an entity, declared or inherited; `nil` if there is none.
    public func attribute(_ name: String, of entity: String) -> AttributeDescription? {
        self[entity]?.lineage(in: self).lazy.flatMap(\.attributes).first { $0.name == name }
    }

    /// Returns a relationship of an entity, declared or inherited; `nil` if there is none.
    public func relationship(_ name: String, of entity: String) -> RelationshipDescription? {
        self[entity]?.lineage(in: self).lazy.flatMap(\.relationships).first { $0.name == name }
    }
}
