// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import RestDocument

/// A rule of a program for the pages of a list, which a definition names with `pagination: {type: custom, name: …}`.
///
/// ```swift
/// let weeks = MirrorPagination(first: ["week": "1"]) { page in
///     guard let next = page.body?["next_week"]?.int64 else { return nil }
///     return .parameters(["week": String(next)])
/// }
/// let mirror = try await APIMirror(
///     definition, at: file, over: transport, paginations: ["weeks": weeks])
/// ```
///
/// The file stores the position of each page, so that an interrupted walk continues there. A position that
/// repeats is an error.
public struct MirrorPagination: Sendable {
    /// A page that the server has sent.
    public struct Page: Sendable {
        /// The head of the response.
        public let head: HTTPResponse
        /// The URL of the response, without credentials.
        public let url: String
        /// The body.
        public let body: Node?
        /// The last record of the page; `nil` for an empty page.
        public let lastRecord: Node?
        /// The number of records of the page.
        public let recordCount: Int
        /// The number of records of the walk up to the end of this page.
        public let totalRecordCount: Int
        /// The number of the page in the walk, from 1.
        public let number: Int
    }

    /// The request of the page that follows another one.
    public enum Next: Sendable, Hashable {
        /// Parameters in place of those with the same names, in the query or at the `placement` of the definition.
        case parameters([String: String])
        /// A URL, which may be relative to that of the page; it must have the origin of the API.
        case url(String)
    }

    /// The parameters of the first page.
    public var first: [String: String]
    /// Returns the page after another one; `nil` after the last one.
    public var next: @Sendable (Page) throws -> Next?

    /// Creates a rule.
    public init(
        first: [String: String] = [:], next: @escaping @Sendable (Page) throws -> Next?
    ) {
        self.first = first
        self.next = next
    }
}
