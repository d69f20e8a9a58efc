// SPDX-License-Identifier: Apache-2.0

/// The types that a transformer takes or makes.
public struct TypeSet: Sendable {
    private let holds: @Sendable (Any.Type) -> Bool

    init(_ holds: @escaping @Sendable (Any.Type) -> Bool) { self.holds = holds }

    /// Whether a type is one of them.
    public func contains(_ type: Any.Type) -> Bool { holds(type) }

    /// Every type.
    public static let any = TypeSet { _ in true }

    /// The numbers of the standard library, booleans among them, but not decimals.
    public static let numbers = TypeSet { $0 is any NumberType.Type }

    /// One type.
    public static func type<Value: SendableMetatype>(_ type: Value.Type) -> TypeSet {
        TypeSet { $0 == type }
    }

    /// The types of either set.
    public func union(_ other: TypeSet) -> TypeSet {
        TypeSet { contains($0) || other.contains($0) }
    }

    /// The types of the set that are not in another.
    public func subtracting(_ other: TypeSet) -> TypeSet {
        TypeSet { contains($0) && !other.contains($0) }
    }
}
