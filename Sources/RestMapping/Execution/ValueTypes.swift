// SPDX-License-Identifier: Apache-2.0

// Questions about a value whose type is a parameter, for steps that are not plain.

/// A collection that may be united with another one.
///
/// Lists, sets and dictionaries are; a collection of one's own joins by naming the protocol.
public protocol UnitableValue {
    /// An empty one.
    init()

    /// What this one and a newer one hold; equal elements once if the collection says so.
    func united(with newer: Self) -> Self
}

extension Array: UnitableValue {
    /// The elements of both, this one's first.
    public func united(with newer: [Element]) -> [Element] { self + newer }
}

extension Set: UnitableValue {
    /// The elements of both, this one's stay.
    public func united(with newer: Set<Element>) -> Set<Element> { union(newer) }
}

extension Dictionary: UnitableValue {
    /// The members of both, the newer of two with one key.
    public func united(with newer: [Key: Value]) -> [Key: Value] {
        merging(newer) { _, newer in newer }
    }
}

extension DistinctArray: UnitableValue {
    /// The elements of both, each where it comes first.
    public func united(with newer: DistinctArray) -> DistinctArray {
        DistinctArray(elements + newer.elements)
    }
}

enum UnitableTypes {
    /// Both values together; nil if their type is no collection.
    static func united<Value>(_ current: Value, _ newer: Value) -> Value? {
        func unite<Collection: UnitableValue>(_ current: Collection) -> Any? {
            (newer as? Collection).map { current.united(with: $0) }
        }
        guard let current = current as? any UnitableValue else { return nil }
        return unite(current) as? Value
    }

    /// An empty collection of the type; nil if it is none.
    static func empty<Value>() -> Value? {
        (Value.self as? any UnitableValue.Type).flatMap { $0.init() as? Value }
    }
}

enum OptionalTypes {
    /// The type inside an optional one, or the type itself.
    static func wrapped(_ type: any Any.Type) -> any Any.Type {
        (type as? any OptionalType.Type)?.contentType ?? type
    }

    /// Nil as a value of the type; nil itself if the type is not optional.
    static func nilValue<Value>() -> Value? {
        (Value.self as? any OptionalType.Type)?.emptyOptional as? Value
    }

    static func isNil<Value>(_ value: Value) -> Bool {
        (Value.self as? any OptionalType.Type)?.isEmpty(value) ?? false
    }

    /// Whether two values are equal; false if their type cannot tell.
    static func areEqual<Value>(_ left: Value, _ right: Value) -> Bool {
        switch (isNil(left), isNil(right)) {
        case (true, true): return true
        case (false, false): break
        default: return false
        }
        guard let left = left as? any Equatable else { return false }
        return left.isEqual(to: right)
    }
}

extension Equatable {
    fileprivate func isEqual(to other: Any) -> Bool { other as? Self == self }
}
