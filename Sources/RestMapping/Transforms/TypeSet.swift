// SPDX-License-Identifier: Apache-2.0

/// A set of types that an ``AnyValueTransform`` accepts or creates.
public struct TypeSet: Sendable {
    private let holds: @Sendable (Any.Type) -> Bool

    init(_ holds: @escaping @Sendable (Any.Type) -> Bool) { self.holds = holds }

    /// Returns a Boolean value that indicates whether a type is in the set.
    public func contains(_ type: Any.Type) -> Bool { holds(type) }

    /// Every type.
    public static let any = TypeSet { _ in true }

    /// The numbers of the standard library and `Bool`, without `Decimal`.
    public static let numbers = TypeSet { $0 is any NumberType.Type }

    /// Returns a set with one type.
    public static func type<Value: SendableMetatype>(_ type: Value.Type) -> TypeSet {
        TypeSet { $0 == type }
    }

    /// Returns the types that are in either set.
    public func union(_ other: TypeSet) -> TypeSet {
        TypeSet { contains($0) || other.contains($0) }
    }

    /// Returns the types of the set that are not in another.
    public func subtracting(_ other: TypeSet) -> TypeSet {
        TypeSet { contains($0) && !other.contains($0) }
    }
}
