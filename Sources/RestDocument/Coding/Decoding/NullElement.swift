// SPDX-License-Identifier: Apache-2.0

/// A null element of a list, or a null member of a dictionary, that was left out.
package struct NullElement {
    /// The index of the element on the tape.
    package let index: Int
    /// The type of the other elements.
    package let type: Any.Type
    /// A Boolean value that indicates whether the type is none that the decoder reads itself, such as a
    /// number or a list.
    package let isObject: Bool
}

extension DecodingSession {
    /// Returns a Boolean value that indicates whether null stands for an empty list.
    func isEmptyList(_ index: Int) -> Bool {
        leavesOutNullElements && index >= 0 && isNull(index)
    }

    /// Leaves out a null element that its type does not accept.
    ///
    /// - Parameters:
    ///   - element: The index of the element.
    ///   - type: The type of the elements.
    ///   - error: The error of decoding it.
    ///   - count: The number of elements that had been left out before the list was decoded.
    /// - Throws: The error, if the element is not null or the session does not leave out any.
    @inline(never)
    func leaveOut<Element>(
        _ element: Int, of type: Element.Type, after error: any Error, nullCount count: Int
    ) throws {
        guard leavesOutNullElements, isNull(element) else {
            forgetNullElements(after: count)
            throw error
        }
        failure = -1
        nullElements.append(
            NullElement(index: element, type: type, isObject: direct(type) == nil))
    }

    /// Forgets the elements that were left out of a value that could not be decoded.
    func forgetNullElements(after count: Int) {
        if nullElements.count > count { nullElements.removeSubrange(count...) }
    }
}
