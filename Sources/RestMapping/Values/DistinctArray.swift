// SPDX-License-Identifier: Apache-2.0

/// An array of distinct elements, each at the position of its first occurrence.
///
/// - Complexity: Creating an array is O(*n*); `contains` is as fast as with a set.
public struct DistinctArray<Element: Hashable> {
    /// The elements in order.
    public private(set) var elements: [Element] = []
    private var known: Set<Element> = []

    /// Creates an empty array.
    public init() {}

    /// Creates an array of the elements of a sequence, each at its first occurrence.
    public init(_ elements: some Sequence<Element>) {
        for element in elements { append(element) }
    }

    /// Appends an element, unless the array contains it.
    ///
    /// - Returns: A Boolean value that indicates whether the element was appended.
    @discardableResult
    public mutating func append(_ element: Element) -> Bool {
        guard known.insert(element).inserted else { return false }
        elements.append(element)
        return true
    }

    /// Returns a Boolean value that indicates whether the array contains an element.
    public func contains(_ element: Element) -> Bool { known.contains(element) }
}

extension DistinctArray: RandomAccessCollection {
    /// The position of the first element.
    public var startIndex: Int { 0 }
    /// The position after the last element.
    public var endIndex: Int { elements.count }
    /// The element at a position.
    public subscript(position: Int) -> Element { elements[position] }
}

extension DistinctArray: Hashable {
    /// Returns a Boolean value that indicates whether two arrays have the same elements in the same
    /// order.
    public static func == (left: DistinctArray, right: DistinctArray) -> Bool {
        left.elements == right.elements
    }

    /// Hashes the elements.
    public func hash(into hasher: inout Hasher) { hasher.combine(elements) }
}

extension DistinctArray: ExpressibleByArrayLiteral {
    /// Creates an array of the elements of a literal, each at its first occurrence.
    public init(arrayLiteral elements: Element...) { self.init(elements) }
}

extension DistinctArray: Sendable where Element: Sendable {}

extension DistinctArray: MappableValue where Element: MappableValue {
    /// Converts each element; equal elements collapse, and a single value becomes an array with one
    /// element.
    public static func map(
        from source: ValueSource
    ) throws(MappingFailure) -> DistinctArray<Element> {
        DistinctArray(try [Element].map(from: source))
    }

    /// The relation of the elements.
    public static var relation: Relation? { Element.relation?.toMany }

    /// Writes a list of the elements in order.
    public func write(to writer: inout RequestWriter) throws(MappingFailure) {
        try writer.list(elements)
    }
}
