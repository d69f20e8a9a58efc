// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestDefinition
import RestDocument
import RestNetworking
import RestTransport

/// The page after another one.
enum NextPage: Sendable, Equatable {
    /// The end of the list.
    case end
    /// A page at a position.
    case page(PagePosition)

    /// The facts about a page from which the next one is derived.
    struct Facts {
        let head: HTTPResponse
        let root: Node?
        let records: PageRecords
        let position: PagePosition
        /// The URL of the response.
        let url: HTTPURL
        /// The number of records of the walk, including those of the page.
        let recordCount: Int
        /// A Boolean value that indicates whether the page has the records of the one before.
        let isRepeated: Bool
        /// The number of pages of the walk, including this one.
        let pageCount: Int
    }

    /// Derives the next page.
    ///
    /// - Throws: ``MirrorError`` with code `listDoesNotEnd` if the server ignores the position.
    init(
        after facts: Facts, by pagination: PaginationDefinition, _ composer: RequestComposer
    ) throws(MirrorError) {
        if facts.isRepeated, facts.records.count > 0 {
            if pagination.stops.contains(.repeatedPage) {
                self = .end
                return
            }
            throw MirrorError(
                .listDoesNotEnd, url: facts.url.redacted,
                details: [
                    "page \(facts.pageCount) has the records of the page before: the server ignores the "
                        + "position, so declare another pagination"
                ])
        }
        if let value = Self.value(pagination.hasMore, facts), Self.isFalse(value) {
            self = .end
            return
        }
        let isEmpty = facts.records.count == 0
        if isEmpty, pagination.stops.contains(.emptyPage) {
            self = .end
            return
        }
        if pagination.stops.contains(.shortPage), let size = pagination.size,
            facts.records.count < size.count
        {
            self = .end
            return
        }
        if let pages = Self.value(pagination.totalPages, facts).flatMap(Self.integer),
            facts.pageCount >= pages
        {
            self = .end
            return
        }
        self = try Self.next(facts, pagination, composer)
    }

    private static func next(
        _ facts: Facts, _ pagination: PaginationDefinition, _ composer: RequestComposer
    ) throws(MirrorError) -> NextPage {
        let count = facts.records.count
        switch pagination.rule {
        case .singlePage: return .end
        case .custom(let name): return try custom(name, facts, composer)
        case .linkHeader:
            guard let target = LinkField(of: facts.head).target(of: "next") else { return .end }
            return try link(target, facts, composer)
        case .link(let path):
            guard let target = facts.root?[path]?.string, !target.isEmpty else { return .end }
            return try link(target, facts, composer)
        case .cursor(let location, _):
            guard let value = value(location, facts), !value.isNull, value.string != "",
                value.bool != false
            else { return .end }
            return .page(.cursor(JSONWriter.compact.text(of: value)))
        case .lastIdentity(let path, _):
            // Without a sign that pages follow, the next one must be empty.
            guard count > 0, let value = facts.records.last?[path], !value.isNull else {
                return .end
            }
            return .page(.cursor(JSONWriter.compact.text(of: value)))
        case .pageNumber(_, let first):
            if count == 0 { return .end }
            if reachesTotal(facts, pagination) { return .end }
            if case .number(let number) = facts.position { return .page(.number(number + 1)) }
            return .page(.number(first + 1))
        case .offset(_, let first):
            if count == 0 || reachesTotal(facts, pagination) { return .end }
            // A server can return fewer records than requested, so that the offset is the number of records.
            if case .number(let number) = facts.position { return .page(.number(number + count)) }
            return .page(.number(first + count))
        }
    }

    private static func custom(
        _ name: String, _ facts: Facts, _ composer: RequestComposer
    ) throws(MirrorError) -> NextPage {
        guard let rule = composer.rules[name] else { return .end }
        let next: MirrorPagination.Next?
        do {
            next = try rule.next(
                MirrorPagination.Page(
                    head: facts.head, url: try composer.withoutCredentials(facts.url).requestText,
                    body: facts.root, lastRecord: facts.records.last,
                    recordCount: facts.records.count, totalRecordCount: facts.recordCount,
                    number: facts.pageCount))
        } catch {
            throw MirrorError(
                .unreadableResponse, url: facts.url.redacted,
                details: ["the rule “\(name)” does not find the next page"], underlying: error)
        }
        switch next {
        case nil: return .end
        case .parameters(let parameters)?: return .page(.parameters(parameters))
        case .url(let target)?: return try link(target, facts, composer)
        }
    }

    private static func link(
        _ target: String, _ facts: Facts, _ composer: RequestComposer
    ) throws(MirrorError) -> NextPage {
        do throws(TransportError) {
            let url = try composer.checked(facts.url.resolving(target))
            return .page(.url(try composer.withoutCredentials(url).requestText))
        } catch {
            throw MirrorError(
                .responseRefused, url: facts.url.redacted,
                details: ["the link to the next page cannot be followed: \(error.reason)"])
        }
    }

    /// Returns a Boolean value that indicates whether all records have been read that the server counts.
    private static func reachesTotal(_ facts: Facts, _ pagination: PaginationDefinition) -> Bool {
        guard let total = value(pagination.total, facts).flatMap(integer) else { return false }
        return facts.recordCount >= total
    }

    /// Returns the value at a location of a response; `nil` if there is none.
    static func value(_ location: ValueLocation?, _ facts: Facts) -> Node? {
        switch location {
        case .body(let path)?: facts.root?[path]
        case .lastRecord(let path)?: facts.records.last?[path]
        case .header(let name)?:
            HTTPField.Name(name).flatMap { facts.head.headerFields[$0] }
                .map { Document.string($0).root }
        case nil: nil
        }
    }

    /// Returns an integer in a value of the body or of a header field.
    static func integer(_ node: Node) -> Int? {
        node.int64.map { Int($0) } ?? node.string.flatMap { Int($0) }
    }

    private static func isFalse(_ node: Node) -> Bool {
        node.isNull || node.bool == false || node.string == "false" || node.int64 == 0
    }
}
