// SPDX-License-Identifier: Apache-2.0

public import RestMapping

/// A class of managed objects that describes its entity; `@Entity` adds the conformance.
///
/// Mappings are declared for it as for any mapped type.
public protocol ManagedEntity: ManagedObject, EntityDescribing {}

extension ManagedEntity {
    /// The properties for mappings.
    public static var properties: PropertyTable { entity.propertyTable }
}
