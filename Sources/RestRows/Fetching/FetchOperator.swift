// SPDX-License-Identifier: Apache-2.0

/// A comparison of an attribute with a value.
public struct FetchOperator: Sendable, Hashable {
    enum Kind {
        case equal
        case notEqual
        case less
        case lessOrEqual
        case greater
        case greaterOrEqual
    }

    let kind: Kind

    /// The values are equal, or both are null.
    public static let equal = FetchOperator(kind: .equal)
    /// The values differ, or one of them is null.
    public static let notEqual = FetchOperator(kind: .notEqual)
    /// The attribute is less than the value.
    public static let less = FetchOperator(kind: .less)
    /// The attribute is less than or equal to the value.
    public static let lessOrEqual = FetchOperator(kind: .lessOrEqual)
    /// The attribute is greater than the value.
    public static let greater = FetchOperator(kind: .greater)
    /// The attribute is greater than or equal to the value.
    public static let greaterOrEqual = FetchOperator(kind: .greaterOrEqual)
}
