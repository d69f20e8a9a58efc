// SPDX-License-Identifier: Apache-2.0

/// A related object that a server sends as its identity or, expanded, as the whole object.
///
///     @Mapped struct Charge {
///         var customer: Expandable<String, Customer>?     // "cus_1" or {"id": "cus_1", …}
///         var refunds: [Expandable<String, Refund>] = []
///     }
///
/// A number, text or Boolean value is the identity; anything else must fit the object. It is written
/// as it was received. For properties of a mapped class, and for objects that have a property for their
/// identity alone, a ``DynamicMapping`` with a matcher of the kind at the path `""` does the same
/// without this type.
@frozen
public enum Expandable<Identity, Object> {
    /// The identity alone.
    case identity(Identity)
    /// The whole object.
    case object(Object)

    /// The object; nil if only its identity is known.
    @inlinable
    public var object: Object? {
        if case .object(let object) = self { object } else { nil }
    }

    /// The identity, if it was sent in place of the object.
    @inlinable
    public var identity: Identity? {
        if case .identity(let identity) = self { identity } else { nil }
    }
}

extension Expandable: Sendable where Identity: Sendable, Object: Sendable {}
extension Expandable: Equatable where Identity: Equatable, Object: Equatable {}
extension Expandable: Hashable where Identity: Hashable, Object: Hashable {}

extension Expandable: MappableValue where Identity: MappableValue, Object: MappableValue {
    /// Converts a plain value to the identity, and any other value to the object.
    @inlinable
    public static func map(from source: ValueSource) throws(MappingFailure) -> Expandable {
        if source.isPlainValue { return .identity(try Identity.map(from: source)) }
        return .object(try Object.map(from: source))
    }

    /// Writes the identity or the object.
    @inlinable
    public func write(to writer: inout RequestWriter) throws(MappingFailure) {
        switch self {
        case .identity(let identity): try writer.write(identity)
        case .object(let object): try writer.write(object)
        }
    }

    /// The relation of the object.
    @inlinable
    public static var relation: Relation? { Object.relation }
}
