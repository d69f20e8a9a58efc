// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import RestTransport

/// The facts about a stored page that its next request needs if the server does not send it again.
package struct UnmodifiedPage: Sendable, Codable {
    /// The position of the page after it; `nil` if it was the last one.
    package let nextPosition: PagePosition?
    /// The number of objects in the page.
    package let representationCount: Int
    /// The number of objects in the list, as the server sent it.
    package let totalObjects: Int?
    /// The number of pages of the list, as the server sent it.
    package let totalPages: Int?

    /// Creates the facts about a page with a number of objects.
    package init(_ page: PaginationStateMachine.Page, representationCount: Int) {
        nextPosition = page.nextPosition
        self.representationCount = representationCount
        totalObjects = page.totalObjects
        totalPages = page.totalPages
    }
}

/// An interceptor that sends the validators of stored pages.
package protocol PageValidator: HTTPInterceptor {
    /// The stored page that the server has confirmed; `nil` if the server sent the page.
    var unmodifiedPage: UnmodifiedPage? { get }
}

extension Pagination {
    /// A Boolean value that indicates whether the body of a page tells alone whether a page follows.
    ///
    /// Otherwise a page whose validators are unchanged can have gained a successor.
    package var isDecidedByBody: Bool {
        if !headerFieldNames.isEmpty { return false }
        switch rule {
        case .linkHeader, .bodyLink, .cursor: return true
        case .custom: return false
        case .pageNumber, .offset: return totalObjects == nil && totalPages == nil
        }
    }

    /// Returns the values that the pagination reads from the header fields of a response, as text.
    ///
    /// Validators do not cover them: a response with status 304 repeats them or has none of them.
    ///
    /// - Returns: The values; `nil` if the response has none of the fields.
    package func headerValues(in head: HTTPResponse) -> String? {
        let names = headerFieldNames
        if names.isEmpty { return "" }
        guard names.contains(where: { head.headerFields.contains($0) }) else { return nil }
        return names.map { name in
            let isLink = name == Self.link && rule == .linkHeader
            let value =
                isLink ? LinkField(of: head).target(of: "next") : head.headerFields[name]
            return "\(name.canonicalName): \(value ?? "")"
        }.joined(separator: "\n")
    }

    /// The names of the header fields that the pagination reads, each once.
    private var headerFieldNames: [HTTPField.Name] {
        var names: [HTTPField.Name] = []
        switch rule {
        case .linkHeader: names += [Self.link].compactMap(\.self)
        case .bodyLink(let location): names += [location.headerFieldName].compactMap(\.self)
        case .cursor(let cursor): names += [cursor.location.headerFieldName].compactMap(\.self)
        case .custom(let rule): names += rule.headerFields.compactMap { HTTPField.Name($0) }
        case .pageNumber, .offset: break
        }
        for location in [hasMore, totalObjects, totalPages] {
            if let name = location?.headerFieldName, !names.contains(name) { names.append(name) }
        }
        return names
    }

    private static let link = HTTPField.Name("Link")
}
