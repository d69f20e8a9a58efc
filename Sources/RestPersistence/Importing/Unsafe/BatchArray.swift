// SPDX-License-Identifier: Apache-2.0

/// An array of a batch, which mapping extends for each value of a document.
///
/// The compiler cannot prove that accesses to a property of a class do not overlap, and checking it at run
/// time took more than half of the time of mapping a document to rows.
///
/// Invariant: a batch is local to one import, which no two threads use at once, and no function of this class
/// calls other code while it accesses the array. So accesses cannot overlap.
@safe
final class BatchArray<Element> {
    @exclusivity(unchecked) private var elements: [Element] = []

    init() {}

    init(_ elements: [Element]) { unsafe self.elements = elements }

    @inline(__always) var count: Int { unsafe elements.count }

    /// The elements, which a caller may keep while others are added.
    @inline(__always) var all: [Element] { unsafe elements }

    @inline(__always) subscript(index: Int) -> Element {
        get { unsafe elements[index] }
        set { unsafe elements[index] = newValue }
    }

    @inline(__always) subscript(range: Range<Int>) -> ArraySlice<Element> {
        unsafe elements[range]
    }

    @inline(__always)
    func append(_ element: Element) { unsafe elements.append(element) }

    @inline(__always)
    func append(contentsOf added: [Element]) { unsafe elements.append(contentsOf: added) }

    @inline(__always)
    func append(contentsOf added: ArraySlice<Element>) {
        unsafe elements.append(contentsOf: added)
    }

    /// Removes the elements from an index on.
    func removeElements(from index: Int) { unsafe elements.removeSubrange(index...) }

    /// Removes and returns all elements.
    func removeAll() -> [Element] {
        let removed = unsafe elements
        unsafe elements = []
        return removed
    }

    func replaceAll(by others: [Element]) { unsafe elements = others }
}
