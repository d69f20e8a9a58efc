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

    /// The places of the number of records of the list.
    private static let totals: [DocumentPath] = [
        "total", "total_count", "totalCount", "count", "meta.total", "meta.total_count",
        "meta.count", "pagination.total", "paging.total", "page.totalElements",
    ]
    private static let totalFields = ["X-Total-Count", "X-Total", "X-WP-Total"]

    /// Returns the pagination of a response; a single page if it has no link.
    static func pagination(of facts: NextPage.Facts) -> PaginationDefinition {
        var pagination = linkPagination(of: facts)
        pagination.total = total(of: facts)
        return pagination
    }

    /// Returns the location of the number of records; `nil` if the response has none, or if the number is one of the
    /// page.
    private static func total(of facts: NextPage.Facts) -> ValueLocation? {
        for name in totalFields where NextPage.value(.header(name), facts) != nil {
            return .header(name)
        }
        guard facts.root?.kind == .object else { return nil }
        return totals.first { path in
            guard let count = facts.root?[path]?.int64 else { return false }
            return count > Int64(facts.recordCount)
        }.map { .body($0) }
    }

    private static func linkPagination(of facts: NextPage.Facts) -> PaginationDefinition {
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
