// SPDX-License-Identifier: Apache-2.0

/// The resource that a request is for.
///
/// Not Sendable: a relationship's target holds the object that has the relationship.
public enum RequestTarget {
    /// A path relative to the base URL, or a URL with the base URL's origin.
    case path(String)

    /// The named route, interpolated with the request's object, if there is one.
    case route(named: String)

    /// The route of the request's object, by its type and the request's method.
    case object

    /// The route of a relationship of an object, which is not sent.
    case relationship(String, of: Any)
}
