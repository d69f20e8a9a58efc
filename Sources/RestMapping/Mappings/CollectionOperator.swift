// SPDX-License-Identifier: Apache-2.0

/// What a source makes of the elements of a list, written as a step such as `@count`.
///
/// What stands after the operator is looked up in each element: `transactions.@avg.amount`.
public enum CollectionOperator: String, Sendable, Hashable, CaseIterable {
    /// How many elements there are.
    case count
    /// The sum of numbers, exact; 0 of none.
    case sum
    /// The mean of numbers; nothing of none.
    case avg
    /// The least of numbers or texts; nothing of none.
    case min
    /// The greatest of numbers or texts; nothing of none.
    case max
    /// The values of all elements.
    case unionOfObjects
    /// The values of all elements, each once.
    case distinctUnionOfObjects
    /// The values of all elements of the lists the elements are.
    case unionOfArrays
    /// The values of all elements of the lists the elements are, each once.
    case distinctUnionOfArrays
    /// The same as ``distinctUnionOfArrays``: a document has no sets.
    case distinctUnionOfSets
}
