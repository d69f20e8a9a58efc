// SPDX-License-Identifier: Apache-2.0

import FlyingFox
import Foundation
import Testing

@testable import Demonstration

@Suite struct AirportServiceTests {
    private let service = AirportService(catalog: AirportCatalog())

    private func response(
        _ method: HTTPMethod = .GET, _ path: String, query: [String: String] = [:],
        headers: [HTTPHeader: String] = [:]
    ) async throws -> HTTPResponse {
        try await service.response(
            to: HTTPRequest(
                method: method, version: .http11, path: path,
                query: query.map { .init(name: $0.key, value: $0.value) }, headers: headers,
                body: Data()))
    }

    private func json(_ response: HTTPResponse) async throws -> Any {
        try JSONSerialization.jsonObject(with: await response.bodyData)
    }

    @Test func reportsTotalsAtTheRoot() async throws {
        let counts = try #require(try await json(response(.GET, "/")) as? [String: Int])
        #expect(counts["airports"] == service.catalog.airports.count)
        #expect(counts["terminals"] == service.catalog.terminals.count)
        #expect(counts["flights"] == service.catalog.flights.count)
        #expect(counts["notices"] == service.catalog.notices.count)
    }

    @Test func nestsTerminalsInAirports() async throws {
        let airports = try #require(
            try await json(response(.GET, "/airports", query: ["per_page": "100"]))
                as? [[String: Any]])
        #expect(airports.count == service.catalog.airports.count)
        let heathrow = try #require(airports.first { $0["code"] as? String == "LHR" })
        let terminals = try #require(heathrow["terminals"] as? [[String: String]])
        #expect(terminals.map { $0["code"] } == ["LHR-2", "LHR-3", "LHR-4", "LHR-5"])
        let unknown = try #require(airports.first { $0["code"] as? String == "CAI" })
        #expect(unknown["opened"] is NSNull)
    }

    @Test func describesThePageInTheBody() async throws {
        let page = try #require(
            try await json(response(.GET, "/terminals", query: ["page": "2"])) as? [String: Any])
        let total = service.catalog.terminals.count
        #expect(page["page"] as? Int == 2 && page["per_page"] as? Int == 25)
        #expect(page["total"] as? Int == total)
        #expect(page["total_pages"] as? Int == (total + 24) / 25)
        let terminal = try #require((page["terminals"] as? [[String: Any]])?.first)
        #expect(
            terminal["airport"] as? [String: String] == [
                "code": service.catalog.terminals[25].airport
            ])
    }

    @Test func linksPages() async throws {
        let links = try #require(
            try await response(.GET, "/flights", query: ["page": "2"]).headers[HTTPHeader("Link")])
        #expect(links.contains("</flights?page=3&per_page=25>; rel=\"next\""))
    }

    @Test(arguments: [
        ("GET", "/airlines", 404), ("GET", "/airports/XXX", 404), ("GET", "/airports/OSL/x", 404),
        ("GET", "/airports/OSL", 200), ("GET", "/terminals/CDG-2E", 200),
        ("GET", "/flights/BA 101", 200), ("HEAD", "/flights", 200), ("POST", "/flights", 405),
        ("GET", "/notices/3", 200), ("GET", "/notices/0", 404), ("DELETE", "/notices/0", 404),
        ("DELETE", "/notices", 405), ("POST", "/notices/3", 405), ("POST", "/notices", 415),
        ("PATCH", "/notices/3", 415),
    ])
    func answersWithAStatus(method: String, path: String, status: Int) async throws {
        let response = try await response(HTTPMethod(rawValue: method), path)
        #expect(response.statusCode.code == status)
        guard status >= 400 else { return }
        let fault = try #require(try await json(response) as? [String: [String: Any]])
        #expect(fault["error"]?["status"] as? Int == status)
    }

    @Test func rejectsInvalidPages() async throws {
        let response = try await response(.GET, "/airports", query: ["per_page": "0"])
        #expect(response.statusCode == .badRequest)
        let fault = try #require(try await json(response) as? [String: [String: Any]])
        #expect(fault["error"]?["message"] as? String == "per_page is a number from 1 to 100")
    }

    @Test func respondsNotModifiedToMatchingTags() async throws {
        let first = try await response(.GET, "/airports")
        let tag = try #require(first.headers[.eTag])
        for condition in [tag, "W/\(tag)", "\"x\", \(tag)", "*"] {
            let again = try await response(.GET, "/airports", headers: [.ifNoneMatch: condition])
            #expect(again.statusCode == .notModified)
            #expect(again.headers[.eTag] == tag)
            #expect(try await again.bodyData.isEmpty)
        }
        let other = try await response(
            .GET, "/airports", query: ["page": "2"], headers: [.ifNoneMatch: tag])
        #expect(other.statusCode == .ok)
    }

    @Test func respondsToHeadWithLengthOnly() async throws {
        let length = try await response(.GET, "/flights").bodyData.count
        let head = try await response(.HEAD, "/flights")
        #expect(head.headers[.contentLength] == "\(length)")
        #expect(try await head.bodyData.isEmpty)
    }
}
