// SPDX-License-Identifier: Apache-2.0

/// An optional type, met where only a metatype is known.
protocol OptionalType {
    /// The type inside.
    static var contentType: Any.Type { get }
    /// An optional that holds nothing.
    static var emptyOptional: Any { get }
    /// Whether it holds nothing.
    var isEmptyOptional: Bool { get }
    /// Whether a value is of this very type and holds nothing.
    static func isEmpty(_ value: Any) -> Bool
}

extension Optional: OptionalType {
    static var contentType: Any.Type { Wrapped.self }
    static var emptyOptional: Any { Self.none as Any }
    var isEmptyOptional: Bool { self == nil }

    static func isEmpty(_ value: Any) -> Bool { (value as? Self)?.isEmptyOptional ?? false }
}
