// SPDX-License-Identifier: Apache-2.0

import RestDefinition
import RestDocument

/// The signs of all responses of a resource, and the pagination that they show.
struct PagingObserver: Sendable {
    /// A pagination with the reason for it.
    struct Finding: Sendable {
        var pagination: PaginationDefinition?
        var confidence: Evidence.Confidence
        var text: String
    }

    private var signs: [PagingSigns] = []
    private var urls: [URLText] = []
    private var recordCounts: [Int] = []
    /// The names of the members of the bodies of requests.
    private var bodyNames: Set<String> = []
    private var isPosted = false
    /// The maximum number of responses whose signs are kept.
    private static let limit = 32

    /// Observes a response.
    ///
    /// - Parameters:
    ///   - sign: The signs of the response.
    ///   - url: The URL of the request.
    ///   - body: The members of the body of a POST request that are scalars; `nil` for GET.
    ///   - recordCount: The number of records.
    mutating func observe(
        _ sign: PagingSigns, _ url: URLText, body: [URLText.Parameter]? = nil, recordCount: Int
    ) {
        guard signs.count < Self.limit else { return }
        if let body {
            isPosted = true
            bodyNames.formUnion(body.map(\.name))
            urls.append(URLText(parameters: body))
        }
        signs.append(sign)
        urls.append(url)
        recordCounts.append(recordCount)
    }

    /// Returns the pagination; without one if the responses show none.
    func finding() -> Finding {
        let size = size()
        var finding = rule(size)
        if finding.pagination?.rule != .singlePage {
            finding.pagination?.size = size
            finding.pagination?.total = total()?.location
        }
        if isPosted { place(&finding.pagination) }
        return finding
    }

    /// Decides whether the body of the requests has what selects the page.
    private func place(_ pagination: inout PaginationDefinition?) {
        let parameter: String? =
            switch pagination?.rule {
            case .cursor(_, let name), .pageNumber(let name, _), .offset(let name, _),
                .lastIdentity(_, let name):
                name
            case .singlePage, .linkHeader, .link, .custom, nil: nil
            }
        let isInQuery = { (name: String) in
            !bodyNames.contains(name) && urls.contains { $0[name] != nil }
        }
        if let parameter, !isInQuery(parameter) { pagination?.placement = .body }
        // One place has both.
        if let size = pagination?.size?.parameter,
            isInQuery(size) != (pagination?.placement == .query)
        {
            pagination?.size?.parameter = nil
        }
    }

    private func first<Value>(
        _ sign: KeyPath<PagingSigns, PagingSigns.Found<Value>?>
    ) -> PagingSigns.Found<Value>? {
        signs.lazy.compactMap { $0[keyPath: sign] }.first
    }

    /// Returns the location of the number of records in the list.
    ///
    /// A number that equals that of the records of a page with a successor counts the page.
    private func total() -> PagingSigns.Found<Int>? {
        for (sign, count) in zip(signs, recordCounts) {
            guard let total = sign.total else { continue }
            let hasSuccessor =
                sign.linkHeader?.isEmpty == false || sign.link?.value.isEmpty == false
                || sign.cursor?.value.isEmpty == false
            return total.value == count && hasSuccessor ? nil : total
        }
        return nil
    }

    private func rule(_ size: PaginationDefinition.Size?) -> Finding {
        if let next = signs.lazy.compactMap(\.linkHeader).first {
            return Finding(
                pagination: PaginationDefinition(.linkHeader), confidence: .certain,
                text: next.isEmpty
                    ? "the Link header field has links of pages"
                    : "the Link header field has rel=\"next\"")
        }
        if let link = signs.lazy.compactMap(\.link).max(by: { $0.value.count < $1.value.count }),
            case .body(let path) = link.location
        {
            return Finding(
                pagination: PaginationDefinition(.link(at: path)),
                confidence: link.value.isEmpty ? .likely : .certain,
                text: link.value.isEmpty
                    ? "`\(path)` is null, as on a last page"
                    : "`\(path)` is the URL of the next page")
        }
        if let cursor = first(\.cursor) { return cursorRule(cursor) }
        return numberRule(size)
    }

    private func cursorRule(_ cursor: PagingSigns.Found<String>) -> Finding {
        let sent = sentParameter() ?? signs.lazy.compactMap(\.cursorParameter).first
        let place: String
        switch cursor.location {
        case .body(let path), .lastRecord(let path): place = path.description
        case .header(let name): place = name
        }
        let pagination = PaginationDefinition(
            .cursor(at: cursor.location, parameter: sent ?? parameter(for: place)),
            hasMore: first(\.hasMore)?.location)
        return Finding(
            pagination: pagination, confidence: sent != nil ? .certain : .guess,
            text: "`\(place)` is a cursor"
                + (sent.map { ", and the next request sent it as `\($0)`" }
                    ?? "; the name of the parameter is a guess"))
    }

    /// Returns the parameter with which a request sent the cursor of the response before it.
    private func sentParameter() -> String? {
        for sign in signs {
            guard let value = sign.cursor?.value, !value.isEmpty else { continue }
            for url in urls {
                if let parameter = url.parameters.first(where: { $0.value == value }) {
                    return parameter.name
                }
            }
        }
        return nil
    }

    private func parameter(for place: String) -> String {
        let name = Words.words(of: place.split(separator: ".").last.map(String.init) ?? place)
        let isCamelCase = place.contains { $0.isUppercase }
        switch name.joined(separator: "_") {
        // The form of Notion: `{"object": "list", "next_cursor": …, "has_more": …}`.
        case "next_cursor" where signs.contains { $0.isStripeList && $0.hasMore != nil }:
            return "start_cursor"
        case "next_page_token": return isCamelCase ? "pageToken" : "page_token"
        case "next_token": return isCamelCase ? "nextToken" : "next_token"
        case "end_cursor", "after": return "after"
        case "continuation_token": return isCamelCase ? "continuationToken" : "continuation_token"
        case "continuation": return "continuation"
        case "next_marker": return "marker"
        case "scroll_id": return "scroll_id"
        case "page_token": return "page_token"
        case "next_page": return "page"
        case "offset": return "offset"
        case "continue": return "continue"
        default: return "cursor"
        }
    }

    private func numberRule(_ size: PaginationDefinition.Size?) -> Finding {
        let recordCount = recordCounts.max() ?? 0
        let hasMore = first(\.hasMore)
        if hasMore != nil,
            signs.contains(where: \.isStripeList) || sent(Self.lastIdentityNames) != nil
        {
            return Finding(
                pagination: PaginationDefinition(
                    .lastIdentity(
                        at: "id", parameter: sent(Self.lastIdentityNames) ?? "starting_after"),
                    hasMore: hasMore?.location), confidence: .likely,
                text: "`has_more` in a list of Stripe's form")
        }
        let totalPages = first(\.totalPages)
        if totalPages != nil || first(\.page) != nil || sent(Self.pageNames) != nil {
            let start = first(\.page)?.value == 0 ? 0 : 1
            var pagination = PaginationDefinition(
                .pageNumber(parameter: sent(Self.pageNames) ?? "page", first: start),
                hasMore: hasMore?.location)
            pagination.totalPages = totalPages?.location
            let reasons = [
                totalPages.map { "\(Self.name($0.location)) is \($0.value)" },
                first(\.page).map { "\(Self.name($0.location)) is \($0.value)" },
                sent(Self.pageNames).map { "the request has `\($0)`" },
            ].compactMap(\.self)
            return Finding(
                pagination: pagination,
                confidence: sent(Self.pageNames) != nil ? .certain : .likely,
                text: reasons.joined(separator: ", "))
        }
        if first(\.offset) != nil || sent(Self.offsetNames) != nil {
            // Most servers repeat the parameter in the response.
            let answered = first(\.offset).flatMap { Self.key($0.location) }
                .flatMap { Self.offsetNames.contains($0) ? $0 : nil }
            return Finding(
                pagination: PaginationDefinition(
                    .offset(parameter: sent(Self.offsetNames) ?? answered ?? "offset", first: 0),
                    hasMore: hasMore?.location),
                confidence: sent(Self.offsetNames) != nil ? .certain : .likely,
                text: first(\.offset).map { "\(Self.name($0.location)) is \($0.value)" }
                    ?? "the request has `\(sent(Self.offsetNames) ?? "")`")
        }
        return noRule(recordCount)
    }

    private func noRule(_ recordCount: Int) -> Finding {
        if let total = total() {
            if total.value == recordCount {
                return Finding(
                    pagination: PaginationDefinition(.singlePage), confidence: .likely,
                    text: "\(Self.name(total.location)) is \(total.value), the number of records")
            }
            return Finding(
                pagination: nil, confidence: .guess,
                text:
                    "\(Self.name(total.location)) is \(total.value), but the response has \(recordCount) records: "
                    + "write the pagination")
        }
        let isRound =
            recordCount >= 10 && [10, 12, 15, 16, 20, 24, 25, 30, 40, 48, 50].contains(recordCount)
            || recordCount >= 100 && recordCount % 50 == 0
        return Finding(
            pagination: nil, confidence: .guess,
            text: isRound
                ? "exactly \(recordCount) records and no sign of pages: the list may be incomplete"
                : "the responses show no pages")
    }

    // MARK: Parameters

    private static let pageNames = [
        "page", "p", "page[number]", "pageNumber", "page_number", "pageIndex", "pg", "page_no",
    ]
    private static let offsetNames = [
        "offset", "skip", "start", "startAt", "startIndex", "$skip", "from", "page[offset]",
    ]
    private static let sizeNames = [
        "per_page", "page_size", "pageSize", "limit", "size", "page[size]", "perPage", "$top",
        "maxResults",
        "max_results", "rows", "page[limit]", "count", "pagesize",
    ]
    private static let lastIdentityNames = ["starting_after", "after_id", "since_id", "after"]
    /// The parameters of pages, which are no part of a resource.
    static let parameterNames = Set(
        pageNames + offsetNames + lastIdentityNames + ["cursor", "page_token", "pageToken"])

    /// Returns a Boolean value that indicates whether a parameter is named like the number of records of a page.
    static func isSize(_ name: String) -> Bool { sizeNames.contains(name) }

    /// Returns the first of some parameters that a request or a link contains with a number.
    private func sent(_ names: [String]) -> String? {
        let links = signs.flatMap { [$0.linkHeader, $0.link?.value].compactMap(\.self) }.map(
            URLText.init)
        return names.first { name in
            (urls + links).contains { $0[name].map { !$0.isEmpty } == true }
        }
    }

    private func size() -> PaginationDefinition.Size? {
        let links = signs.flatMap { [$0.linkHeader, $0.link?.value].compactMap(\.self) }.map(
            URLText.init)
        for url in urls + links {
            for name in Self.sizeNames {
                if let count = url[name].flatMap({ Int($0) }), count > 0 {
                    return .init(count, parameter: name)
                }
            }
        }
        guard let size = first(\.size)?.value, size > 0 else { return nil }
        return .init(size, parameter: nil)
    }

    /// Returns the last key of a location.
    private static func key(_ location: ValueLocation) -> String? {
        guard case .body(let path) = location, case .key(let key) = path.components.last else {
            return nil
        }
        return key
    }

    private static func name(_ location: ValueLocation) -> String {
        switch location {
        case .body(let path), .lastRecord(let path): "`\(path)`"
        case .header(let name): "`\(name)`"
        }
    }
}
