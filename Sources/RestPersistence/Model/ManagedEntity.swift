// SPDX-License-Identifier: Apache-2.0

/// A class of managed objects; `@Entity` writes the conformance.
public protocol ManagedEntity: ManagedObject, SendableMetatype {
    /// The entity's name, attributes and relationships.
    static var entity: EntityDescription { get }
}
