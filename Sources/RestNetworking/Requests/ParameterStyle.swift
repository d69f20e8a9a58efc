// SPDX-License-Identifier: Apache-2.0

public import RestDocument

/// The place of the parameters of a request, and the form that lists, Boolean values and `nil` have
/// in a query and in a form.
///
/// ```swift
/// api.configure {
///     $0.parameterStyle.lists = .repeated                        // ?tag=x&tag=y
///     $0.parameterStyle.booleans = .words                        // ?draft=true
/// }
///
/// let made: Article = try await api.post(draft, parameters: ["notify": true]) {
///     $0.parameterStyle.placement = .query                    // POST …?notify=true
/// }
/// ```
///
/// Each choice that is `nil` is that of the ``ObjectManager/parameterStyle`` for a request, and that
/// of the format that is registered for URL-encoded forms for a manager. The style applies to queries,
/// URL-encoded forms and the fields of multipart forms. Other formats, such as JSON, have their own
/// lists, Boolean values and null.
public struct ParameterStyle: Sendable, Hashable {
    /// The part of a request that contains the parameters.
    public enum Placement: Sendable, Hashable, CaseIterable {
        /// The body of PATCH, POST, PUT and QUERY requests, beside the object; the query of others.
        case standard
        /// The query. The body of PATCH, POST, PUT and QUERY requests is the object.
        case query
        /// The body, whatever the method is. The object is sent as well, also by DELETE.
        case body
    }

    /// The part of a request that contains the parameters; ``Placement/standard`` if neither the
    /// request nor the manager has one.
    public var placement: Placement?

    /// The names of the elements of a list.
    public var lists: FormStyle.Lists?

    /// The text of Boolean values.
    public var booleans: FormStyle.Booleans?

    /// The text of `nil`.
    public var nulls: FormStyle.Nulls?

    /// Creates a style.
    public init(
        placement: Placement? = nil, lists: FormStyle.Lists? = nil,
        booleans: FormStyle.Booleans? = nil, nulls: FormStyle.Nulls? = nil
    ) {
        self.placement = placement
        self.lists = lists
        self.booleans = booleans
        self.nulls = nulls
    }

    /// Returns the style with the choices of another one where it has none.
    func completed(by other: ParameterStyle) -> ParameterStyle {
        ParameterStyle(
            placement: placement ?? other.placement, lists: lists ?? other.lists,
            booleans: booleans ?? other.booleans, nulls: nulls ?? other.nulls)
    }

    /// Returns a format with the choices of the style.
    func applied(to format: FormFormat) -> FormFormat {
        var format = format
        if let lists { format.style.lists = lists }
        if let booleans { format.style.booleans = booleans }
        if let nulls { format.style.nulls = nulls }
        return format
    }
}
