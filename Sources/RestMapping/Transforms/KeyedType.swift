// SPDX-License-Identifier: Apache-2.0

/// A type of objects with keys, met where only a metatype is known.
protocol KeyedType {
    /// An object without members.
    static var empty: Self { get }

    /// The object whose only key holds an empty object; nil if keys or values are of other types.
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

/// A value as a type that is known by its metatype only, or nil if it is of another.
func cast(_ value: Any, to type: Any.Type) -> Any? {
    func open<Value>(_ type: Value.Type) -> Any? { value as? Value }
    return _openExistential(type, do: open)
}
