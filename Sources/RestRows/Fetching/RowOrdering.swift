// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// An ordering of fetched rows by the attribute at a dotted path, such as `.descending("city.name")`.
///
/// Null comes first, or last in a descending order. Numbers are ordered numerically, dates
/// chronologically, and text by its bytes. Rows that are equal in all orderings are ordered by
/// their keys.
///
/// Names that people read are ordered with options and a locale:
/// `.ascending("name", [.numeric, .caseInsensitive], locale: .current)` has `file2` before `file10`, and
/// `Å` behind `Z` in Swedish. Foundation compares the texts with a locale, so that the order depends on
/// the system, and every row that the predicate selects is compared; an index is not used.
public struct RowOrdering: Sendable, Hashable {
    let expression: FetchExpression
    let isAscending: Bool
    let options: TextOptions
    let locale: Locale?

    package init(
        _ expression: FetchExpression, isAscending: Bool, options: TextOptions, locale: Locale?
    ) {
        self.expression = expression
        self.isAscending = isAscending
        self.options = options
        self.locale = locale
    }

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
    ) -> RowOrdering {
        RowOrdering(path: path, ascending: true, options: options, locale: locale)
    }

    /// Returns a descending order by the attribute at a dotted path.
    public static func descending(
        _ path: String, _ options: TextOptions = [], locale: Locale? = nil
    ) -> RowOrdering {
        RowOrdering(path: path, ascending: false, options: options, locale: locale)
    }
}
