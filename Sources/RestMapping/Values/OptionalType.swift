// SPDX-License-Identifier: Apache-2.0

/// An optional type of which only the metatype is known.
protocol OptionalType {
    /// The wrapped type.
    static var contentType: Any.Type { get }
    /// An optional without a value.
    static var emptyOptional: Any { get }
    /// A Boolean value that indicates whether the optional has no value.
    var isEmptyOptional: Bool { get }
    /// Returns a Boolean value that indicates whether a value is of this type and has no wrapped
    /// value.
    static func isEmpty(_ value: Any) -> Bool
}

extension Optional: OptionalType {
    static var contentType: Any.Type { Wrapped.self }
    static var emptyOptional: Any { Self.none as Any }
    var isEmptyOptional: Bool { self == nil }

    static func isEmpty(_ value: Any) -> Bool { (value as? Self)?.isEmptyOptional ?? false }
}
