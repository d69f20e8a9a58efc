// SPDX-License-Identifier: Apache-2.0

import RestDefinition
import RestDocument
import RestNetworking

/// The pagination of a list whose definition declares none: a link to the next page in the response.
enum LinkDetector {
    /// The places of links in bodies of public APIs.
    private static let paths: [DocumentPath] = [
        "next", "links.next", "links.next.href", "_links.next.href", "next_page_url", "nextLink",
        "next_url",
        "paging.next", "pagination.next", "meta.next", "info.next",
    ]

    /// Returns the pagination of a response; a single page if it has no link.
    static func pagination(of facts: NextPage.Facts) -> PaginationDefinition {
        if LinkField(of: facts.head).target(of: "next") != nil {
            return PaginationDefinition(.linkHeader)
        }
        guard let root = facts.root, root.kind == .object else {
            return PaginationDefinition(.singlePage)
        }
        let odata = DocumentPath([.key("@odata.nextLink")])
        for path in paths + [odata] {
            if let text = root[path]?.string, text.contains("/") || text.hasPrefix("?") {
                return PaginationDefinition(.link(at: path))
            }
        }
        return PaginationDefinition(.singlePage)
    }
}
