// SPDX-License-Identifier: Apache-2.0

// The functions that generated code calls, for to-one relationships that are not optional. Their
// message replaces the compiler's list of rejected candidates; none of them can be called.

extension EntityProperty {
    /// Unavailable: the object of a to-one relationship may be missing.
    @available(
        *, unavailable, message: "a to-one relationship is optional: write '?' after its type"
    )
    public static func property<Destination: ManagedEntity>(
        _ name: String, _ path: any KeyPath<Object, Destination> & Sendable,
        sourceKey: String? = nil, isIdentity: Bool = false, isIndexed: Bool = false,
        default value: Destination? = nil, inverse: (any AnyKeyPath & Sendable)? = nil,
        deleteRule: DeleteRule = .nullify
    ) -> EntityProperty {
        fatalError("unavailable")
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
