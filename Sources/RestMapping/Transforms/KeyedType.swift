// SPDX-License-Identifier: Apache-2.0

/// A dictionary type of which only the metatype is known.
protocol KeyedType {
    /// A dictionary without members.
    static var empty: Self { get }

    /// Returns the dictionary with one key for an empty dictionary; nil if keys or values are of
    /// other types.
    static func object(holding key: any Hashable) -> Self?
}

extension Dictionary: KeyedType {
    static var empty: [Key: Value] { [:] }

    static func object(holding key: any Hashable) -> [Key: Value]? {
        let inner: Any =
            if let type = Value.self as? any KeyedType.Type { type.empty } else {
                [String: Any]()
            }
        guard let key = key as? Key, let value = inner as? Value else { return nil }
        return [key: value]
    }
}

extension Property {
    /// A Boolean value that indicates whether the property is a dictionary, whose values are mapped
    /// from the members of an object.
    package var isKeyed: Bool { valueType.map(Self.isKeyed) ?? false }

    /// Returns a Boolean value that indicates whether a type is a dictionary, or an optional one.
    package static func isKeyed(_ type: any Any.Type) -> Bool {
        OptionalTypes.wrapped(type) is any KeyedType.Type
    }
}

/// Returns a value as a type of which only the metatype is known, or nil if it is of another type.
func cast(_ value: Any, to type: Any.Type) -> Any? {
    func open<Value>(_ type: Value.Type) -> Any? { value as? Value }
    return _openExistential(type, do: open)
}
