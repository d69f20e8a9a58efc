// SPDX-License-Identifier: Apache-2.0

/// The kind of a collection.
enum CollectionShape: Sendable {
    case array
    case set
    case distinctArray
}

/// A collection type of which only the metatype is known.
protocol CollectionType {
    static var shape: CollectionShape { get }
    static var elementType: Any.Type { get }

    /// Returns a collection with some elements, or nil if one is of another type.
    static func collection(of elements: [Any]) -> Self?

    var anyElements: [Any] { get }
}

extension Array: CollectionType {
    static var shape: CollectionShape { .array }
    static var elementType: Any.Type { Element.self }

    static func collection(of elements: [Any]) -> [Element]? {
        var result: [Element] = []
        for element in elements {
            guard let element = element as? Element else { return nil }
            result.append(element)
        }
        return result
    }

    var anyElements: [Any] { map { $0 } }
}

extension Set: CollectionType {
    static var shape: CollectionShape { .set }
    static var elementType: Any.Type { Element.self }

    static func collection(of elements: [Any]) -> Set<Element>? {
        [Element].collection(of: elements).map { Set($0) }
    }

    var anyElements: [Any] { map { $0 } }
}

extension DistinctArray: CollectionType {
    static var shape: CollectionShape { .distinctArray }
    static var elementType: Any.Type { Element.self }

    static func collection(of elements: [Any]) -> DistinctArray<Element>? {
        [Element].collection(of: elements).map { DistinctArray($0) }
    }

    var anyElements: [Any] { map { $0 } }
}
