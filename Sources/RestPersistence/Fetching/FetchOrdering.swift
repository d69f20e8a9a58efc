// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// An ordering of fetched objects, such as `.descending(\.passengers)`.
///
/// Null comes first, or last in a descending order. Numbers are ordered numerically, dates
/// chronologically, and text by its bytes. Objects that are equal in all orderings are ordered by
/// their keys.
///
/// Names that people read are ordered with options and a locale:
/// `.ascending(\.name, [.numeric, .caseInsensitive], locale: .current)` has `file2` before `file10`, and
/// `Å` behind `Z` in Swedish. Foundation compares the texts with a locale, so that the order depends on
/// the system, and every object that the predicate selects is compared; an index is not used.
public struct FetchOrdering<Object: ManagedObject>: Sendable, Hashable {
    let expression: FetchExpression
    let isAscending: Bool
    let options: TextOptions
    let locale: Locale?

    init(
        _ expression: FetchExpression, isAscending: Bool, options: TextOptions, locale: Locale?
    ) {
        self.expression = expression
        self.isAscending = isAscending
        self.options = options
        self.locale = locale
    }

    /// The ordering without its class.
    var untyped: FetchOrdering<ManagedObject> {
        FetchOrdering<ManagedObject>(
            expression, isAscending: isAscending, options: options, locale: locale)
    }
}

extension FetchOrdering where Object: ManagedEntity {
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

extension FetchOrdering where Object == ManagedObject {
    /// Creates an ordering by the attribute at a dotted path through to-one relationships.
    ///
    /// The options are the differences of texts to ignore. The order of texts is that of a locale, or
    /// that of their bytes for `nil`.
    public init(
        path: String, ascending: Bool = true, options: TextOptions = [], locale: Locale? = nil
    ) {
        self.init(
            .attribute(FetchPath(path)), isAscending: ascending, options: options, locale: locale)
    }

    /// Returns an ascending order by the attribute at a dotted path.
    public static func ascending(
        _ path: String, _ options: TextOptions = [], locale: Locale? = nil
    ) -> FetchOrdering {
        FetchOrdering(path: path, ascending: true, options: options, locale: locale)
    }

    /// Returns a descending order by the attribute at a dotted path.
    public static func descending(
        _ path: String, _ options: TextOptions = [], locale: Locale? = nil
    ) -> FetchOrdering {
        FetchOrdering(path: path, ascending: false, options: options, locale: locale)
    }
}
