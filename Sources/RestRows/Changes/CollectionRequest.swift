// SPDX-License-Identifier: Apache-2.0

/// The canonical request of a fetched collection, which identifies it in a store.
///
/// Two requests have the same collection if they have the same method, URL without fragment, body and
/// user. The pages of a list are another collection than the response to a single request for it.
public struct CollectionRequest: Sendable, Hashable {
    /// The request method.
    public let method: String

    /// The URL, whose parameters are in the order of their names.
    public let url: String

    /// A Boolean value that indicates whether the collection consists of the pages of a list.
    public let isPaged: Bool

    /// The digest of the body; empty without a body.
    package let bodyDigest: String

    /// The digest of the user of the request; empty without one.
    package var user: String

    /// Creates the identity of a collection.
    package init(
        method: String, url: String, isPaged: Bool, bodyDigest: String = "", user: String = ""
    ) {
        self.method = method
        self.url = url
        self.isPaged = isPaged
        self.bodyDigest = bodyDigest
        self.user = user
    }
}

extension CollectionRequest: CustomStringConvertible, CustomDebugStringConvertible {
    /// The method and the URL without its query, which may be confidential.
    public var description: String {
        let path = url.prefix { $0 != "?" }
        return "\(method) \(path)" + (path.endIndex == url.endIndex ? "" : "?…")
    }

    /// The description, as the query may be confidential.
    public var debugDescription: String { description }
}
