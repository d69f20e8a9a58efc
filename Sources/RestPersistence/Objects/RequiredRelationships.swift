// SPDX-License-Identifier: Apache-2.0

public import RestMapping

// The functions that generated code calls, for to-one relationships that are not optional. A program
// cannot call them: the accessors of such a property are unavailable, and their message is the only
// one that the compiler reports.

extension EntityProperty {
    /// Returns a to-one relationship whose accessors are unavailable.
    public static func property<Destination: ManagedEntity>(
        _ name: String, _ path: any KeyPath<Object, Destination> & Sendable,
        sourceKey: String? = nil, isIdentity: Bool = false, isIndexed: Bool = false,
        default value: Destination? = nil, inverse: String? = nil,
        deleteRule: DeleteRule = .nullify, assignment: AssignmentPolicy = .set,
        reference: ReferenceDescription? = nil
    ) -> EntityProperty {
        relationship(
            name, path, to: Destination.self, sourceKey, inverse, isToMany: false,
            isOrdered: false, deleteRule, assignment, reference)
    }
}

extension ManagedObject {
    /// Unavailable: the object of a to-one relationship may be missing.
    @available(
        *, unavailable, message: "a to-one relationship is optional: write '?' after its type"
    )
    public final func managedValue<Destination: ManagedEntity>(_ index: Int) -> Destination {
        fatalError("unavailable")
    }

    /// Unavailable: the object of a to-one relationship may be missing.
    @available(
        *, unavailable, message: "a to-one relationship is optional: write '?' after its type"
    )
    public final func setManagedValue<Destination: ManagedEntity>(
        _ index: Int, _ destination: Destination
    ) {
        fatalError("unavailable")
    }
}

extension ManagedRow {
    /// Traps: the property of the class has unavailable accessors.
    public func value<Destination: ManagedEntity>(_ index: Int) -> Destination {
        preconditionFailure("a to-one relationship is optional")
    }
}
