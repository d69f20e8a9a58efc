// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

extension Pagination {
    /// Returns a pagination by a rule of the caller.
    ///
    /// ```swift
    /// let pagination = Pagination.custom(named: "since", first: ["since": "0"]) { page in
    ///     guard let last = page.response.document?.root["last"]?.int64 else { return nil }
    ///     return .parameters(["since": String(last)])
    /// }
    /// ```
    ///
    /// ``hasMore``, ``ends`` and ``maximumPageCount`` apply to it as to the other rules. A request that repeats an
    /// earlier one is an error.
    ///
    /// - Parameters:
    ///   - name: The name of the rule, by which paginations and positions are compared. Change it if
    ///     positions that were saved before no longer fit.
    ///   - first: The parameters of the first page.
    ///   - headerFields: The names of the header fields that the rule reads. A page that the server confirms as
    ///     not modified is compared by them with the stored page.
    ///   - ends: The signs that mark the end of the list.
    ///   - next: Returns the page after a received one; `nil` after the last one. An error that it throws is
    ///     thrown by the iteration after the received page.
    /// - Returns: The pagination.
    public static func custom(
        named name: String, first: [String: String] = [:], headerFields: [String] = [],
        ends: Ends = [],
        next: @escaping @Sendable (ReceivedPage) throws -> NextPage?
    ) -> Pagination {
        Pagination(
            .custom(Custom(name: name, first: first, headerFields: headerFields, next: next)),
            ends: ends)
    }

    /// A rule of the caller, which is identified by its name.
    struct Custom: Sendable, Hashable {
        let name: String
        let first: [String: String]
        let headerFields: [String]
        let next: @Sendable (ReceivedPage) throws -> NextPage?

        static func == (left: Custom, right: Custom) -> Bool {
            left.name == right.name && left.first == right.first
                && left.headerFields == right.headerFields
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(name)
        }

        /// The errors in the rule; empty if it is valid.
        var diagnostics: [String] {
            var causes = name.isEmpty ? ["the custom rule has no name"] : []
            for field in headerFields where HTTPField.Name(field) == nil {
                causes.append("\"\(field)\" is not the name of a header field")
            }
            return causes
        }
    }
}

/// A page that the server has sent, as the rule of a ``Pagination/custom(named:first:headerFields:ends:next:)``
/// reads it.
public struct ReceivedPage: Sendable {
    /// The response, whose document, header fields and URL the rule can read.
    public let response: ObjectResponse

    /// The number of objects in the page.
    public let objectCount: Int

    /// The number of pages of the list up to this one.
    public let pageCount: Int

    /// The number of objects of the list up to the last one of this page.
    public let totalObjectCount: Int
}

/// The request of the page that follows another one.
public struct NextPage: Sendable, Hashable {
    enum Storage: Sendable, Hashable {
        case parameters([String: String])
        case url(String)
    }

    let storage: Storage

    /// Returns the page whose request has parameters in place of those with the same names in the request for
    /// the list: in its query, or at another ``Pagination/placement``, where they are strings.
    ///
    /// - Parameter parameters: The parameters by name.
    /// - Returns: The page.
    public static func parameters(_ parameters: [String: String]) -> NextPage {
        NextPage(storage: .parameters(parameters))
    }

    /// Returns the page at a URL, which is followed as for ``Pagination/linkHeader``.
    ///
    /// - Parameter text: The URL, which may be relative to that of the received page.
    /// - Returns: The page.
    public static func url(_ text: String) -> NextPage {
        NextPage(storage: .url(text))
    }
}

extension PageTarget {
    /// Returns the page that a rule of the caller derives from another one; `nil` after the last one.
    ///
    /// - Throws: ``NetworkingError`` with code ``NetworkingError/Code/mappingFailed`` for an error of the rule,
    ///   ``NetworkingError/Code/crossOrigin`` for an unusable URL.
    static func successor(
        of page: ReceivedPage, by rule: Pagination.Custom
    ) throws(NetworkingError) -> PageTarget? {
        let next: NextPage?
        do {
            next = try rule.next(page)
        } catch {
            throw page.response.error(
                .mappingFailed, stage: .pagination,
                causes: ["the rule \"\(rule.name)\" does not find the next page"],
                underlying: error)
        }
        switch next?.storage {
        case nil: return nil
        case .parameters(let parameters): return .parameters(parameters)
        case .url(let text): return try link(to: text, in: page.response)
        }
    }
}
