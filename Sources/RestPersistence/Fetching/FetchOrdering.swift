// SPDX-License-Identifier: Apache-2.0

/// By which attribute found objects are ordered.
///
/// No value comes first, numbers and dates go by size, text by bytes. Objects that are equal in
/// every ordering come in the order of their keys.
public struct FetchOrdering: Sendable, Hashable {
    let path: FetchPath
    let isAscending: Bool

    /// Orders by an attribute.
    public init<Object: ManagedEntity>(
        _ path: any KeyPath<Object, some AttributeValue> & Sendable, ascending: Bool = true
    ) {
        self.path = FetchPath(names: [Object.propertyName(path)])
        isAscending = ascending
    }

    /// Orders by the attribute at a dotted path through to-one relationships.
    public init(path: String, ascending: Bool = true) {
        self.path = FetchPath(path)
        isAscending = ascending
    }
}
