// SPDX-License-Identifier: Apache-2.0

/// A collection that can be merged with another one.
///
/// Arrays, sets and dictionaries conform; a custom collection declares the conformance itself.
public protocol MergeableCollection {
    /// Creates an empty collection.
    init()

    /// Returns the elements of this collection and of a newer one; the type decides about equal
    /// elements.
    func merged(with newer: Self) -> Self
}

extension Array: MergeableCollection {
    /// Returns the elements of both arrays, this one's first.
    public func merged(with newer: [Element]) -> [Element] { self + newer }
}

extension Set: MergeableCollection {
    /// Returns the elements of both sets; of two equal elements, this set's.
    public func merged(with newer: Set<Element>) -> Set<Element> { union(newer) }
}

extension Dictionary: MergeableCollection {
    /// Returns the members of both dictionaries; of two with one key, the newer.
    public func merged(with newer: [Key: Value]) -> [Key: Value] {
        merging(newer) { _, newer in newer }
    }
}

extension DistinctArray: MergeableCollection {
    /// Returns the elements of both arrays, each at its first position.
    public func merged(with newer: DistinctArray) -> DistinctArray {
        DistinctArray(elements + newer.elements)
    }
}

/// Operations on values of a generic type that may be a mergeable collection.
enum MergeableTypes {
    /// Returns both values merged; `nil` if their type is not a collection.
    static func merged<Value>(_ current: Value, _ newer: Value) -> Value? {
        func merge<Collection: MergeableCollection>(_ current: Collection) -> Any? {
            (newer as? Collection).map { current.merged(with: $0) }
        }
        guard let current = current as? any MergeableCollection else { return nil }
        return merge(current) as? Value
    }

    /// Returns an empty collection of the type; `nil` if it is not a collection.
    static func empty<Value>() -> Value? {
        (Value.self as? any MergeableCollection.Type).flatMap { $0.init() as? Value }
    }
}
