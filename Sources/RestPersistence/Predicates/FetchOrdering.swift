// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// An ordering of fetched objects of a class, such as `.descending(\.passengers)`; see ``RowOrdering`` for its
/// meaning.
public struct FetchOrdering<Object: ManagedEntity>: Sendable, Hashable {
    /// The ordering by names.
    let rows: RowOrdering

    private init(
        _ expression: FetchExpression, isAscending: Bool, options: TextOptions, locale: Locale?
    ) {
        rows = RowOrdering(
            expression, isAscending: isAscending, options: options, locale: locale)
    }

    /// Creates an ordering by an attribute.
    ///
    /// The options are the differences of texts to ignore. The order of texts is that of a locale, or
    /// that of their bytes for `nil`.
    public init(
        _ path: any KeyPath<Object, some AttributeValue> & Sendable, ascending: Bool = true,
        options: TextOptions = [], locale: Locale? = nil
    ) {
        let path = FetchSubject<Object>.root.path.appending(Object.propertyName(path))
        self.init(.attribute(path), isAscending: ascending, options: options, locale: locale)
    }

    /// Returns an ascending order by an attribute.
    public static func ascending(
        _ path: any KeyPath<Object, some AttributeValue> & Sendable, _ options: TextOptions = [],
        locale: Locale? = nil
    ) -> FetchOrdering {
        FetchOrdering(path, ascending: true, options: options, locale: locale)
    }

    /// Returns a descending order by an attribute.
    public static func descending(
        _ path: any KeyPath<Object, some AttributeValue> & Sendable, _ options: TextOptions = [],
        locale: Locale? = nil
    ) -> FetchOrdering {
        FetchOrdering(path, ascending: false, options: options, locale: locale)
    }

    /// Returns an ascending order by a path, a number of destinations or a calculated value, such as
    /// `.ascending { $0.city.name }`.
    public static func ascending<Value>(
        _ options: TextOptions = [], locale: Locale? = nil,
        by value: (FetchSubject<Object>) -> FetchAttribute<Value>
    ) -> FetchOrdering {
        FetchOrdering(
            FetchSubject.evaluate(value).expression, isAscending: true, options: options,
            locale: locale)
    }

    /// Returns a descending order by a path, a number of destinations or a calculated value, such as
    /// `.descending { $0.terminals.count }`.
    public static func descending<Value>(
        _ options: TextOptions = [], locale: Locale? = nil,
        by value: (FetchSubject<Object>) -> FetchAttribute<Value>
    ) -> FetchOrdering {
        FetchOrdering(
            FetchSubject.evaluate(value).expression, isAscending: false, options: options,
            locale: locale)
    }
}
