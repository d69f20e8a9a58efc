// SPDX-License-Identifier: Apache-2.0

/// An ordering of fetched objects by an attribute.
///
/// Null comes first. Numbers are ordered numerically, dates chronologically, and text by its bytes.
/// Objects that are equal in all orderings are ordered by their keys.
public struct FetchOrdering: Sendable, Hashable {
    let path: FetchPath
    let isAscending: Bool

    /// Creates an ordering by an attribute.
    public init<Object: ManagedEntity>(
        _ path: any KeyPath<Object, some AttributeValue> & Sendable, ascending: Bool = true
    ) {
        self.path = FetchPath(names: [Object.propertyName(path)])
        isAscending = ascending
    }

    /// Creates an ordering by the attribute at a dotted path through to-one relationships.
    public init(path: String, ascending: Bool = true) {
        self.path = FetchPath(path)
        isAscending = ascending
    }
}
