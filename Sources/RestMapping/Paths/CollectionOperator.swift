// SPDX-License-Identifier: Apache-2.0

/// An operator of a source path on the elements of a list, written as a step such as `@count`.
///
/// The steps after the operator are looked up in each element: `transactions.@avg.amount`. Text that is
/// a number counts as the number, `"12.50"` as 12.5. A value that an operator cannot use is an issue of
/// the property at the path of the value: one that is not a number for ``sum`` and ``avg``, text beside
/// numbers for ``min`` and ``max``, an element that is not a list for the unions of arrays, and anything
/// else than a list before the operator. Null is left out.
public enum CollectionOperator: String, Sendable, Hashable, CaseIterable {
    /// The number of elements.
    case count
    /// The exact sum of numbers; 0 for none.
    case sum
    /// The mean of numbers; no value for none.
    case avg
    /// The least of numbers or texts; no value for none.
    case min
    /// The greatest of numbers or texts; no value for none.
    case max
    /// The values of all elements.
    case unionOfObjects
    /// The values of all elements, without duplicates.
    case distinctUnionOfObjects
    /// The values of all elements of the lists that are the elements.
    case unionOfArrays
    /// The values of all elements of the lists that are the elements, without duplicates.
    case distinctUnionOfArrays
    /// An alias of ``distinctUnionOfArrays``, as a document has no sets.
    case distinctUnionOfSets
}
