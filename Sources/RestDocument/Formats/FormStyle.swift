// SPDX-License-Identifier: Apache-2.0

/// The conventions of a form for lists, Boolean values and null, which no standard defines.
///
/// ```swift
/// let form = FormFormat(style: FormStyle(lists: .repeated, booleans: .words, nulls: .omitted))
/// try form.text(of: ["tag": ["x", "y"], "draft": true, "page": nil])   // draft=true&tag=x&tag=y
/// ```
///
/// The default style is that of RestKit and Rails.
public struct FormStyle: Sendable, Hashable {
    /// The names of the elements of a list.
    public enum Lists: Sendable, Hashable, CaseIterable {
        /// `a[]=1&a[]=2`, and `a[][k]=x` for the members of elements: Rails, PHP.
        case brackets
        /// `a[0]=1&a[1]=2`, and `a[0][k]=x` for the members of elements: PHP, Stripe.
        case indices
        /// `a=1&a=2`. A list has plain values only: OpenAPI `form` with `explode`.
        case repeated
        /// `a=1,2`, a comma in an element as `%2C`. A list has plain values only: OpenAPI `form`
        /// without `explode`, JSON:API.
        case commas
    }

    /// The text of Boolean values.
    public enum Booleans: Sendable, Hashable, CaseIterable {
        /// `1` and `0`.
        case numbers
        /// `true` and `false`.
        case words
    }

    /// The text of null.
    public enum Nulls: Sendable, Hashable, CaseIterable {
        /// The name alone: `a`.
        case bare
        /// The name with an empty value: `a=`.
        case empty
        /// The member or the element is left out.
        case omitted
    }

    /// The names of the elements of a list; brackets by default.
    public var lists: Lists

    /// The text of Boolean values; numbers by default.
    public var booleans: Booleans

    /// The text of null; the bare name by default.
    public var nulls: Nulls

    /// Creates a style.
    public init(
        lists: Lists = .brackets, booleans: Booleans = .numbers, nulls: Nulls = .bare
    ) {
        self.lists = lists
        self.booleans = booleans
        self.nulls = nulls
    }

    /// A Boolean value that indicates whether a list can contain objects and lists.
    package var allowsNestedLists: Bool { lists == .brackets || lists == .indices }

    /// The advice for a list of objects or lists that the style cannot express.
    package static let nestedListAdvice =
        "plain values in a list of this form style; for objects in lists, choose brackets or indices"

    /// The text of a Boolean value.
    package func text(of value: Bool) -> String {
        switch booleans {
        case .numbers: value ? "1" : "0"
        case .words: value ? "true" : "false"
        }
    }
}
