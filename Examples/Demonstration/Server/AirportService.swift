// SPDX-License-Identifier: Apache-2.0

import FlyingFox
import Foundation

/// A REST API of airports, terminals, flights and notices, served by the demonstration.
///
/// | path | body |
/// |---|---|
/// | `/` | the number of resources in each collection |
/// | `/airports` | `[airport]`, with `Link` headers |
/// | `/terminals` | `{"terminals": [terminal], "page", "per_page", "total", "total_pages"}` |
/// | `/flights` | `{"flights": [flight]}`, with `Link` headers |
/// | `/notices` | `[notice]`, all of them |
/// | `/airports/OSL` and so on | one resource |
///
/// The parameters `page` and `per_page` select a page. Every response to GET has an `ETag`, and
/// `If-None-Match` is honoured. Errors are JSON objects with the status and a message.
///
/// A POST request to `/notices` creates a notice, whose number the server gives. PATCH, with a JSON
/// merge patch, and DELETE change and delete one.
///
/// Bodies are written by Foundation's encoder, so that the parser under test does not read the
/// output of the writer beside it.
struct AirportService: Sendable {
    let catalog: AirportCatalog
    let notices: NoticeService

    init(catalog: AirportCatalog) {
        self.catalog = catalog
        notices = NoticeService(catalog)
    }

    /// Returns the response to a request.
    func response(to request: HTTPRequest) async throws -> HTTPResponse {
        guard [.GET, .HEAD].contains(request.method) else {
            return try await responseToWrite(request)
        }
        let answer: Answer?
        do {
            answer = try self.answer(to: request)
        } catch {
            return try fault(.badRequest, error.message)
        }
        guard let answer else {
            return try fault(
                .notFound,
                "nothing is here; collections are /airports, /terminals, /flights and /notices")
        }
        let body = try Self.encode(answer.value)
        let tag = EntityTag(of: body)
        var headers: HTTPHeaders = [.contentType: "application/json", .eTag: tag.text]
        if let links = answer.links { headers[HTTPHeader("Link")] = links }
        if let condition = request.headers[HTTPHeader.ifNoneMatch], tag.isNamed(by: condition) {
            headers[.contentType] = nil
            return HTTPResponse(statusCode: .notModified, headers: headers)
        }
        if request.method == .HEAD {
            headers[.contentLength] = "\(body.count)"
            return HTTPResponse(statusCode: .ok, headers: headers)
        }
        return HTTPResponse(statusCode: .ok, headers: headers, body: body)
    }

    /// A representation with the links to neighbouring pages.
    private struct Answer {
        let value: any Encodable
        var links: String?
    }

    private func answer(to request: HTTPRequest) throws(PageQuery.Fault) -> Answer? {
        let path = request.path.split(separator: "/").map(String.init)
        guard let collection = path.first else {
            return Answer(
                value: CountsRepresentation(
                    airports: catalog.airports.count, terminals: catalog.terminals.count,
                    flights: catalog.flights.count, notices: notices.notices.count))
        }
        guard path.count < 3 else { return nil }
        if path.count == 2 { return resource(path[1], in: collection) }
        let query = try PageQuery(request.query.lazy.map { ($0.name, $0.value) })
        switch collection {
        case "airports":
            return Answer(
                value: query.slice(of: catalog.airports).map(AirportRepresentation.init),
                links: query.links(at: "/airports", total: catalog.airports.count))
        case "terminals":
            return Answer(value: TerminalPage(query, of: catalog.terminals))
        case "flights":
            let flights = query.slice(of: catalog.flights).map(FlightRepresentation.init)
            return Answer(
                value: ["flights": flights],
                links: query.links(at: "/flights", total: catalog.flights.count))
        case "notices": return Answer(value: notices.notices.map(NoticeRepresentation.init))
        default: return nil
        }
    }

    private func resource(_ code: String, in collection: String) -> Answer? {
        switch collection {
        case "airports":
            catalog.airports.first { $0.code == code }
                .map { Answer(value: AirportRepresentation(record: $0)) }
        case "terminals":
            catalog.terminals.first { $0.code == code }
                .map { Answer(value: TerminalRepresentation(record: $0)) }
        case "flights":
            catalog.flights.first { $0.number == code }
                .map { Answer(value: FlightRepresentation(record: $0)) }
        case "notices":
            notices.notice(code).map { Answer(value: NoticeRepresentation(record: $0)) }
        default: nil
        }
    }

    func fault(_ status: HTTPStatusCode, _ message: String) throws -> HTTPResponse {
        let body = try Self.encode(FaultRepresentation(status: status.code, message: message))
        return HTTPResponse(
            statusCode: status, headers: [.contentType: "application/json"], body: body)
    }

    static func encode(_ value: any Encodable) throws -> Data {
        let encoder = JSONEncoder()
        // Sorted keys keep the bytes, and with them the entity tags, stable.
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(value)
    }
}

/// A page of terminals, with its position and the totals in the body.
private struct TerminalPage: Encodable {
    let terminals: [TerminalRepresentation]
    let page: Int
    let size: Int
    let total: Int
    let pageCount: Int

    private enum CodingKeys: String, CodingKey {
        case terminals
        case page
        case size = "per_page"
        case total
        case pageCount = "total_pages"
    }

    init(_ query: PageQuery, of records: [TerminalRecord]) {
        terminals = query.slice(of: records).map(TerminalRepresentation.init)
        page = query.number
        size = query.size
        total = records.count
        pageCount = query.lastNumber(of: records.count)
    }
}
