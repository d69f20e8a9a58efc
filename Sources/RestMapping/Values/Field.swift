// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// A value that distinguishes a missing key, null and a value.
///
/// A missing key leaves a property unchanged, so a property that starts as ``missing`` stays so;
/// null is ``null`` where an optional would be nil. A property with all three states can be sent
/// back as it was received.
///
///     @Mapped struct Profile {
///         var nickname: Field<String> = .missing
///     }
@frozen
public enum Field<Value> {
    /// The representation does not have the key.
    case missing
    /// The value is null.
    case null
    /// The representation has a value.
    case value(Value)

    /// Creates a field with a value, or null for nil.
    @inlinable
    public init(_ value: Value?) {
        if let value { self = .value(value) } else { self = .null }
    }

    /// The value, or nil if it is missing or null.
    @inlinable
    public var value: Value? {
        if case .value(let value) = self { value } else { nil }
    }

    /// A Boolean value that indicates whether the key is missing.
    @inlinable
    public var isMissing: Bool {
        if case .missing = self { true } else { false }
    }

    /// A Boolean value that indicates whether the value is null.
    @inlinable
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }
}

extension Field: Sendable where Value: Sendable {}
extension Field: Equatable where Value: Equatable {}
extension Field: Hashable where Value: Hashable {}

extension Field: MappableValue where Value: MappableValue {
    /// Converts null to ``null``; any other value must fit the value's type.
    @inlinable
    public static func map(from source: ValueSource) throws(MappingFailure) -> Field {
        if source.view.kind == .null { return .null }
        return .value(try Value.map(from: source))
    }

    /// Writes the value or null; nothing if it is missing.
    @inlinable
    public func write(to writer: inout RequestWriter) throws(MappingFailure) {
        switch self {
        case .missing: break
        case .null: writer.null()
        case .value(let value): try writer.write(value)
        }
    }

    /// The relation of the value.
    @inlinable
    public static var relation: Relation? { Value.relation }
}
