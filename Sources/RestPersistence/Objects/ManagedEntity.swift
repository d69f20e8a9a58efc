// SPDX-License-Identifier: Apache-2.0

public import RestMapping

/// A class of managed objects that describes its entity; `@Entity` adds the conformance.
///
/// Mappings are declared for it as for any mapped type.
public protocol ManagedEntity: ManagedObject, EntityDescribing {}

extension ManagedEntity {
    /// The properties for mappings.
    public static var properties: PropertyTable { entity.propertyTable }

    /// Returns the name of a property, or a text for a key path that is not one of the entity.
    ///
    /// A key path has no name to print: its text is an address on some platforms.
    static func propertyName(_ path: any AnyKeyPath & Sendable) -> String {
        entity.paths[PropertyPath(path)]
            ?? "<a computed property of type \(Swift.type(of: path as AnyKeyPath).valueType)>"
    }
}
