// SPDX-License-Identifier: Apache-2.0

public import RestMapping

/// A class of managed objects; `@Entity` writes the conformance.
///
/// Mappings are declared against it as against any mapped type.
public protocol ManagedEntity: ManagedObject, MappingSubject {
    /// The entity's name, attributes and relationships.
    static var entity: EntityDescription { get }
}

extension ManagedEntity {
    /// The entity's properties as mappings name them.
    public static var properties: PropertyTable { entity.propertyTable }
}
