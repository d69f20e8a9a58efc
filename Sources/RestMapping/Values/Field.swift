// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// A property that tells an absent value, null and a value apart.
///
/// An absent key leaves a property as it is, so one that starts as ``missing`` stays it; null is
/// ``null`` where an optional would be nil. What has all three states can be sent back as it came.
///
///     @Mapped struct Profile {
///         var nickname: Field<String> = .missing
///     }
@frozen
public enum Field<Value> {
    /// The representation has no such key.
    case missing
    /// The representation says null.
    case null
    /// The representation has a value.
    case value(Value)

    /// A field that holds a value, or null for nil.
    @inlinable
    public init(_ value: Value?) {
        if let value { self = .value(value) } else { self = .null }
    }

    /// The value, or nil if it is absent or null.
    @inlinable
    public var value: Value? {
        if case .value(let value) = self { value } else { nil }
    }

    /// Whether the representation has no such key.
    @inlinable
    public var isMissing: Bool {
        if case .missing = self { true } else { false }
    }

    /// Whether the representation says null.
    @inlinable
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }
}

extension Field: Sendable where Value: Sendable {}
extension Field: Equatable where Value: Equatable {}
extension Field: Hashable where Value: Hashable {}

extension Field: MappableValue where Value: MappableValue {
    /// Null becomes ``null``; anything else must fit the value's type.
    @inlinable
    public static func map(from source: MappingSource) throws(MappingFailure) -> Field {
        if source.node.kind == .null { return .null }
        return .value(try Value.map(from: source))
    }

    /// Writes the value or null; nothing at all if it is missing.
    @inlinable
    public func write(to writer: inout RepresentationWriter) throws(MappingFailure) {
        switch self {
        case .missing: break
        case .null: writer.null()
        case .value(let value): try writer.write(value)
        }
    }

    /// What the value relates to.
    @inlinable
    public static var relation: Relation? { Value.relation }
}
