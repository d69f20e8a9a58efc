// SPDX-License-Identifier: Apache-2.0

import RestDefinition
import RestDocument

/// The values of a response that are about its list.
struct PagingSigns: Sendable {
    /// A value with its place.
    struct Found<Value: Sendable>: Sendable {
        let location: ValueLocation
        let value: Value
    }

    /// The URL of the next page in the `Link` header field; empty if the field has other links of pages.
    var linkHeader: String?
    /// The URL of the next page in the body; empty for null.
    var link: Found<String>?
    /// The cursor of the next page; empty for null.
    var cursor: Found<String>?
    /// The parameter of the cursor, if the response names it.
    var cursorParameter: String?
    var hasMore: Found<Bool>?
    var total: Found<Int>?
    var totalPages: Found<Int>?
    /// The number of the page.
    var page: Found<Int>?
    var offset: Found<Int>?
    /// The number of records of a full page.
    var size: Found<Int>?
    /// A list with the form of Stripe's, whose next page begins after the last identity.
    var isStripeList = false

    init(_ root: NodeView, records: DocumentPath?, fields: [HeaderField], recordCount: Int) {
        readFields(fields)
        guard root.isObject else { return }
        isStripeList = root.member("object")?.string() == "list"
        visit(root, .root, records, depth: 0, recordCount)
    }

    private mutating func readFields(_ fields: [HeaderField]) {
        for field in fields {
            let location = ValueLocation.header(field.name)
            switch field.name.lowercased() {
            case "link":
                if let next = Self.link("next", in: field.value) {
                    linkHeader = next
                } else if linkHeader == nil,
                    ["prev", "first", "last"].contains(where: {
                        Self.link($0, in: field.value) != nil
                    })
                {
                    linkHeader = ""
                }
            case "x-total-count", "x-wp-total", "x-total", "total-count",
                "x-pagination-total-count":
                total = Int(field.value).map { Found(location: location, value: $0) } ?? total
            case "x-wp-totalpages", "x-total-pages", "x-pagination-page-count":
                totalPages =
                    Int(field.value).map { Found(location: location, value: $0) } ?? totalPages
            case "x-next-cursor", "x-cursor", "x-next-page-token", "x-continuation-token":
                cursor = Found(location: location, value: field.value)
            default: break
            }
        }
    }

    /// Returns the URL of a relation in a `Link` header field (RFC 8288).
    private static func link(_ relation: String, in field: String) -> String? {
        for link in field.split(separator: "<").dropFirst(field.hasPrefix("<") ? 0 : 1) {
            guard let end = link.firstIndex(of: ">") else { continue }
            let parameters = link[link.index(after: end)...].lowercased().filter {
                $0 != "\"" && $0 != " "
            }
            let isRelation = parameters.split { $0 == ";" || $0 == "," }.contains("rel=\(relation)")
            if isRelation { return String(link[..<end]) }
        }
        return nil
    }

    private mutating func visit(
        _ view: NodeView, _ path: DocumentPath, _ records: DocumentPath?, depth: Int,
        _ recordCount: Int
    ) {
        for (keyView, value) in view.members {
            let key = keyView.string() ?? ""
            let inner = path.appending(key: key)
            if inner == records { continue }
            let name = (path.components.isEmpty ? "" : Self.name(path) + ".") + Self.name(key)
            if name == "continue", value.isObject {
                readContinuation(value, inner)
            } else if value.isObject, depth < 3, !value.isKeyedRecords {
                visit(value, inner, records, depth: depth + 1, recordCount)
            } else if !value.kind.isContainer {
                read(name, value, .body(inner), recordCount)
            }
        }
    }

    /// Reads an object whose members are the parameters of the next request, as of MediaWiki.
    private mutating func readContinuation(_ view: NodeView, _ path: DocumentPath) {
        for (keyView, value) in view.members {
            guard let key = keyView.string(), key != "continue", let text = value.string(),
                !text.isEmpty
            else { continue }
            cursor = Found(location: .body(path.appending(key: key)), value: text)
            cursorParameter = key
            return
        }
    }

    /// Returns a Boolean value that indicates whether a text at a name is the URL of a following page.
    private static func isLink(_ name: String, _ text: String) -> Bool {
        guard text.hasPrefix("http") || text.hasPrefix("/") || text.hasPrefix("?") else {
            return false
        }
        let words = name.split { $0 == "." || $0 == "_" }
        let others = ["previous", "prev", "first", "last", "self", "current"]
        return words.contains { $0 == "next" || $0 == "more" }
            && !words.contains { others.contains(String($0)) }
    }

    private static func name(_ path: DocumentPath) -> String {
        if case .key(let key) = path.components.last { name(key) } else { "" }
    }

    private static func name(_ key: String) -> String {
        Words.words(of: key).joined(separator: "_")
    }

    private mutating func read(
        _ name: String, _ value: NodeView, _ location: ValueLocation, _ recordCount: Int
    ) {
        let last = String(name.split(separator: ".").last ?? "")
        let text = value.string()
        let number = value.int64.map { Int(clamping: $0) } ?? text.flatMap { Int($0) }
        if [
            "next", "next_url", "next_page_url", "next_link", "odata_next_link", "next_href",
            "next_results", "next_page", "next_records_url",
        ].contains(last)
            || ["next.href", "next.url", "urls.next", "next.link"].contains(name)
        {
            readNext(value, text, number, location, isPage: last == "next_page")
        } else if let text, Self.isLink(name, text) {
            readNext(value, text, number, location, isPage: false)
        } else if [
            "next_cursor", "next_page_token", "next_token", "continuation_token", "continuation",
            "end_cursor", "scroll_id", "next_marker", "cursor_next", "next_page_cursor",
            "page_token",
        ].contains(last) || name == "cursors.after" || name == "cursor.next"
            || name == "cursors.next" || name == "cursor"
        {
            if value.isNull || text != nil || number != nil {
                cursor = cursor ?? Found(location: location, value: text ?? value.numberText ?? "")
            }
        } else if ["after", "offset", "continue"].contains(last), let text, number == nil,
            !text.isEmpty
        {
            cursor = cursor ?? Found(location: location, value: text)
        } else if ["has_more", "has_next", "has_next_page", "more", "has_more_items"].contains(last)
        {
            if let bool = value.bool { hasMore = hasMore ?? Found(location: location, value: bool) }
        } else if let number {
            readNumber(name, last, number, location, recordCount)
        }
    }

    private mutating func readNext(
        _ value: NodeView, _ text: String?, _ number: Int?, _ location: ValueLocation, isPage: Bool
    ) {
        if let text, ["/", "?"].contains(text.prefix(1)) || text.hasPrefix("http") {
            // A path can be relative to another base than that of the response.
            if link?.value.hasPrefix("http") == true, !text.hasPrefix("http") { return }
            link = Found(location: location, value: text)
        } else if let text, !text.isEmpty {
            cursor = cursor ?? Found(location: location, value: text)
        } else if isPage, let number {
            page = page ?? Found(location: location, value: number - 1)
        } else if value.isNull, !isPage {
            link = link ?? Found(location: location, value: "")
        }
    }

    private mutating func readNumber(
        _ name: String, _ last: String, _ number: Int, _ location: ValueLocation, _ recordCount: Int
    ) {
        switch last {
        case "total", "total_count", "total_results", "total_items", "total_records",
            "total_elements",
            "totals", "odata_count", "num_results", "num_found", "result_count", "total_size":
            total = total ?? Found(location: location, value: number)
        case "value" where name == "total.value":
            total = total ?? Found(location: location, value: number)
        case "count" where number >= recordCount:
            total = total ?? Found(location: location, value: number)
        case "total_pages", "page_count", "pages", "last_page", "num_pages":
            totalPages = totalPages ?? Found(location: location, value: number)
        case "page", "current_page", "page_number", "page_index":
            page = page ?? Found(location: location, value: number)
        case "offset", "skip", "start", "start_at", "start_index":
            offset = offset ?? Found(location: location, value: number)
        case "per_page", "page_size", "limit", "max_results", "size", "items_per_page":
            size = size ?? Found(location: location, value: number)
        default: break
        }
    }
}
