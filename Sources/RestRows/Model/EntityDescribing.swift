// SPDX-License-Identifier: Apache-2.0

public import RestMapping

/// A class that describes its entity; see ``ManagedEntity``, which every such class conforms to.
public protocol EntityDescribing: AnyObject, MappingSubject, SendableMetatype {
    /// The description of the entity.
    static var entity: EntityDescription { get }
}
