// SPDX-License-Identifier: Apache-2.0

/// An array in which every element is once, where it came first.
///
/// - Complexity: Making one is O(*n*), asking for an element as with a set.
public struct DistinctArray<Element: Hashable> {
    /// The elements in order.
    public private(set) var elements: [Element] = []
    private var known: Set<Element> = []

    /// Makes an empty array.
    public init() {}

    /// Makes an array of the elements of a sequence, each where it comes first.
    public init(_ elements: some Sequence<Element>) {
        for element in elements { append(element) }
    }

    /// Adds an element to the end, unless it is there already.
    ///
    /// - Returns: Whether it was added.
    @discardableResult
    public mutating func append(_ element: Element) -> Bool {
        guard known.insert(element).inserted else { return false }
        elements.append(element)
        return true
    }

    /// Whether an element is there.
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
    /// Whether the elements are the same, in the same order.
    public static func == (left: DistinctArray, right: DistinctArray) -> Bool {
        left.elements == right.elements
    }

    /// Mixes the elements in.
    public func hash(into hasher: inout Hasher) { hasher.combine(elements) }
}

extension DistinctArray: ExpressibleByArrayLiteral {
    /// Makes an array of the elements written down, each where it comes first.
    public init(arrayLiteral elements: Element...) { self.init(elements) }
}

extension DistinctArray: Sendable where Element: Sendable {}

extension DistinctArray: MappableValue where Element: MappableValue {
    /// Converts every element; equal elements collapse, a single value becomes an array of one.
    public static func map(
        from source: MappingSource
    ) throws(MappingFailure) -> DistinctArray<Element> {
        DistinctArray(try [Element].map(from: source))
    }

    /// What the elements relate to.
    public static var relation: Relation? { Element.relation?.toMany }

    /// Writes a list of the elements in order.
    public func write(to writer: inout RepresentationWriter) throws(MappingFailure) {
        try writer.list(elements)
    }
}
