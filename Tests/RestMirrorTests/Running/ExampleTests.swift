// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDefinition
import RestMirror
import RestTesting
import Synchronization
import TestSupport
import Testing

/// The example definitions against doubles that behave like their APIs.
@Suite(.tags(.socket)) struct ExampleTests {
    /// Returns the value of a parameter in a query.
    private static func parameter(_ name: String, _ request: LoopbackRequest) -> String? {
        for pair in request.query.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
            if parts.count == 2, parts[0].removingPercentEncoding == name {
                return parts[1].removingPercentEncoding
            }
        }
        return nil
    }

    /// Runs a definition twice and expects that the second run is complete and writes no row.
    private static func syncTwice(
        _ name: String, _ file: MirrorFile, _ handler: @escaping LoopbackServer.Handler
    ) async throws -> [LoopbackRequest] {
        try await LoopbackServer.run(handler) { server in
            let definition = try ExampleDefinitions.read(name, at: server.baseURL)
            let log = EventLog()
            let first = try await file.sync(definition) { log.append($0) }
            #expect(first.isComplete, "\(first.resources.compactMap(\.failure)) \(first.warnings)")
            #expect(log.warnings == [])
            let second = try await file.sync(definition)
            #expect(second.isComplete)
            #expect(!second.rows.hasChanges)
            return server.requests
        }
    }

    @Test func starWars() async throws {
        let file = try MirrorFile()
        _ = try await Self.syncTwice("star-wars", file) { request in
            let host = "http://" + (request.headers["host"] ?? "")
            func url(_ kind: String, _ id: Int) -> String { "\"\(host)/\(kind)/\(id)/\"" }
            let page = Int(Self.parameter("page", request) ?? "1") ?? 1
            switch request.path {
            case "/people/":
                let ids = page == 1 ? [1, 2] : [3]
                let rows = ids.map {
                    """
                    {"name": "p\($0)", "height": "172", "homeworld": \(url("planets", 1)),
                     "films": [\(url("films", 1))], "species": [], "vehicles": [], "starships": [],
                     "url": \(url("people", $0))}
                    """
                }
                let next = page == 1 ? "\"\(host)/people/?page=2\"" : "null"
                return .json(
                    #"{"count": 3, "next": \#(next), "results": [\#(rows.joined(separator: ","))]}"#
                )
            case "/planets/":
                return .json(
                    """
                    {"count": 1, "next": null, "results": [{"name": "Tatooine", "url": \(url("planets", 1)),
                     "residents": [\(url("people", 1)), \(url("people", 2)), \(url("people", 3))], "films": []}]}
                    """)
            case "/films/":
                return .json(
                    """
                    {"count": 1, "next": null, "results": [{"title": "A New Hope", "episode_id": 4,
                     "release_date": "1977-05-25", "url": \(url("films", 1)),
                     "characters": [\(url("people", 1)), \(url("people", 2)), \(url("people", 3))],
                     "planets": [], "species": [], "starships": [], "vehicles": []}]}
                    """)
            default: return .json(#"{"count": 0, "next": null, "results": []}"#)
            }
        }
        #expect(
            try file.rows(
                "SELECT p.name, h.name FROM Person p JOIN Planet h ON h.restkit_key = p.homeworld ORDER BY 1"
            )
                == ["p1|Tatooine", "p2|Tatooine", "p3|Tatooine"])
        #expect(
            try file.rows("SELECT title, episode_id, release_date FROM Film") == [
                "A New Hope|4|1977-05-25"
            ])
        #expect(try file.integers("SELECT count(*) FROM Film_characters") == [3])
    }

    @Test func gitHub() async throws {
        let file = try MirrorFile()
        let requests = try await Self.syncTwice("github", file) { request in
            let host = "http://" + (request.headers["host"] ?? "")
            guard request.headers["authorization"] == "Bearer t1" else {
                return LoopbackResponse(status: 401)
            }
            let user = #"{"id": 7, "login": "ada"}"#
            switch request.path {
            case "/orgs/swiftlang/repos":
                if Self.parameter("page", request) == "2" {
                    return .json(
                        #"[{"id": 2, "name": "b", "full_name": "swiftlang/b", "owner": \#(user)}]"#)
                }
                let link = "<\(host)/orgs/swiftlang/repos?per_page=100&page=2>; rel=\"next\""
                return .json(
                    #"[{"id": 1, "name": "a", "full_name": "swiftlang/a", "owner": \#(user), "permissions": {}}]"#,
                    headers: [("Link", link)])
            case "/repos/swiftlang/a/issues":
                return .json(
                    """
                    [{"id": 10, "number": 1, "title": "t", "updated_at": "2024-05-01T10:00:00Z", "user": \(user),
                      "labels": [{"id": 5, "name": "bug"}], "assignees": [\(user)], "milestone": null},
                     {"id": 11, "title": "pull", "updated_at": "2024-05-02T10:00:00Z", "pull_request": {}}]
                    """)
            case "/repos/swiftlang/a/pulls":
                return .json(
                    #"[{"id": 20, "title": "p", "user": \#(user), "head": {"ref": "x", "repo": {"id": 99}}}]"#
                )
            case "/repos/swiftlang/b/issues": return LoopbackResponse(status: 410)
            case "/orgs/swiftlang/members": return .json("[\(user)]")
            default: return .json("[]")
            }
        }
        #expect(
            try file.rows(
                "SELECT i.id, r.full_name, u.login FROM Issue i JOIN Repository r ON r.restkit_key = i.repository "
                    + "JOIN User u ON u.restkit_key = i.user") == ["10|swiftlang/a|ada"])
        #expect(
            try file.rows(
                "SELECT l.name FROM Issue_labels x JOIN Label l ON l.restkit_key = x.target") == [
                    "bug"
                ])
        #expect(try file.integers("SELECT id FROM Repository ORDER BY id") == [1, 2])
        // The position is that of the pull request, less a minute.
        #expect(requests.contains { Self.parameter("since", $0) == "2024-05-02T09:59:00Z" })
    }

    @Test func jsonAPI() async throws {
        let file = try MirrorFile()
        _ = try await Self.syncTwice("json-api", file) { request in
            if request.path == "/people" {
                return .json(
                    #"{"data": [{"type": "people", "id": "9", "attributes": {"firstName": "Dan"}}], "links": {}}"#
                )
            }
            return .json(
                """
                {"data": [{"type": "articles", "id": "1", "attributes": {"title": "JSON:API"},
                  "relationships": {"author": {"data": {"type": "people", "id": "9"}},
                    "comments": {"data": [{"type": "comments", "id": "5"}]}}}],
                 "included": [{"type": "people", "id": "9", "attributes": {"firstName": "Dan"}},
                  {"type": "comments", "id": "5", "attributes": {"body": "First!"},
                   "relationships": {"author": {"data": {"type": "people", "id": "9"}}}}],
                 "links": {"next": null}, "meta": {"total": 1}}
                """)
        }
        #expect(
            try file.rows(
                "SELECT a.title, p.firstName, c.body FROM Article a JOIN Person p ON p.restkit_key = a.author "
                    + "JOIN Comment c ON c.article = a.restkit_key") == ["JSON:API|Dan|First!"])
    }

    @Test func stripe() async throws {
        let file = try MirrorFile()
        let isDeleted = Mutex(false)
        let handler: LoopbackServer.Handler = { request in
            switch request.path {
            case "/customers":
                if Self.parameter("starting_after", request) == "c2" {
                    return .json(#"{"data": [{"id": "c3", "created": 3}], "has_more": false}"#)
                }
                return .json(
                    #"{"data": [{"id": "c1", "created": 1, "metadata": {"a": 1}}, {"id": "c2", "created": 2}], "has_more": true}"#
                )
            case "/invoices":
                return .json(
                    """
                    {"data": [{"id": "i1", "created": 5, "customer": {"id": "c1", "created": 1}, "charge": "h1",
                      "lines": {"data": [{"id": "l1", "amount": 7}]}}], "has_more": false}
                    """)
            case "/charges":
                return .json(
                    #"{"data": [{"id": "h1", "created": 6, "customer": "c2"}], "has_more": false}"#)
            default:
                let event = #"{"id": "e1", "created": 9, "data": {"object": {"id": "c3"}}}"#
                return .json(
                    #"{"data": [\#(isDeleted.withLock(\.self) ? event : "")], "has_more": false}"#)
            }
        }
        _ = try await Self.syncTwice("stripe", file, handler)
        #expect(
            try file.rows(
                "SELECT i.id, c.id, h.id, l.amount FROM Invoice i JOIN Customer c ON c.restkit_key = i.customer "
                    + "JOIN Charge h ON h.restkit_key = i.charge JOIN InvoiceLine l") == [
                    "i1|c1|h1|7"
                ])
        #expect(try file.rows("SELECT id FROM Customer ORDER BY id") == ["c1", "c2", "c3"])
    }

    @Test func searchAfter() async throws {
        let file = try MirrorFile()
        let requests = try await Self.syncTwice("search-after", file) { request in
            let body = String(decoding: request.body, as: UTF8.self)
            guard request.method == "POST", request.headers["authorization"] == "ApiKey t3",
                body.contains(#""size":1000"#)
            else { return LoopbackResponse(status: 400) }
            func hit(_ sku: String, _ second: Int) -> String {
                """
                {"_id": "\(sku)", "_source": {"sku": "\(sku)", "price": 1.10,
                 "updated_at": "2024-05-01T10:00:0\(second)Z"}, "sort": [\(second), "\(sku)"]}
                """
            }
            let hits =
                body.contains(#""search_after":[2,"b"]"#)
                ? []
                : body.contains("search_after")
                    ? [hit("b", 2)] : [hit("a", 1)]
            return .json(#"{"hits": {"total": {"value": 2}, "hits": [\#(hits.joined())]}}"#)
        }
        #expect(try file.rows("SELECT sku, price FROM Product ORDER BY sku") == ["a|1.1", "b|1.1"])
        #expect(
            requests.contains {
                String(decoding: $0.body, as: UTF8.self).contains("2024-05-01T09:59:52Z")
            })
    }

    @Test func tombstones() async throws {
        let file = try MirrorFile()
        let ids = ["0f8fad5b-d9cb-469f-a165-70867728950e", "7c9e6679-7425-40de-944b-e07fc1f90ae7"]
        _ = try await Self.syncTwice("tombstones", file) { request in
            guard request.headers["authorization"] == "Bearer a" else {
                return LoopbackResponse(status: 401)
            }
            if Self.parameter("page_token", request) == "p2"
                || Self.parameter("changed_since", request) != nil
            {
                return .json(
                    #"{"contacts": [{"id": "\#(ids[0])", "changed_at": 1714557700000, "deleted_at": 1714557700000}], "paging": {"has_more": false}}"#
                )
            }
            return .json(
                """
                {"contacts": [{"id": "\(ids[0])", "name": "A", "changed_at": 1714557600000, "company": {"id": 1}},
                  {"id": "\(ids[1])", "name": "B", "changed_at": 1714557600000}],
                 "paging": {"next": "p2", "has_more": true}}
                """)
        }
        #expect(try file.rows("SELECT id, name FROM Contact") == ["\(ids[1])|B"])
    }

    @Test func oData() async throws {
        let file = try MirrorFile()
        _ = try await Self.syncTwice("odata", file) { request in
            let host = "http://" + (request.headers["host"] ?? "")
            if request.path == "/Customers" {
                if request.query.contains("skiptoken") {
                    return .json(
                        #"{"value": [{"CustomerID": "B", "CompanyName": "b"}], "@odata.count": 2}"#)
                }
                return .json(
                    """
                    {"@odata.count": 2, "value": [{"CustomerID": "A", "CompanyName": "a", "Fax": null}],
                     "@odata.nextLink": "\(host)/Customers?$count=true&$skiptoken='A'"}
                    """)
            }
            return .json(
                """
                {"@odata.count": 1, "value": [{"OrderID": 1, "CustomerID": "A", "Freight": 32.38,
                 "OrderDate": "1996-07-04T00:00:00Z", "@odata.etag": "x", "Order_Details": [
                  {"OrderID": 1, "ProductID": 11, "UnitPrice": 14, "Quantity": 12, "Discount": 0.5}]}]}
                """)
        }
        #expect(
            try file.rows(
                "SELECT o.OrderID, c.CompanyName, o.Freight, l.Quantity FROM \"Order\" o "
                    + "JOIN Customer c ON c.restkit_key = o.customer JOIN OrderLine l ON l.\"order\" = o.restkit_key"
            )
                == ["1|a|32.38|12"])
        #expect(try file.rows("SELECT CustomerID FROM Customer ORDER BY 1") == ["A", "B"])
    }

    @Test func wordPress() async throws {
        let file = try MirrorFile()
        let requests = try await Self.syncTwice("wordpress", file) { request in
            let page = Int(Self.parameter("page", request) ?? "1") ?? 1
            func response(_ rows: [String], total: Int) -> LoopbackResponse {
                .json(
                    "[\(rows.joined(separator: ","))]",
                    headers: [
                        ("X-WP-Total", "\(total)"), ("X-WP-TotalPages", "\((total + 99) / 100)"),
                    ])
            }
            switch request.path {
            case "/posts":
                let isLater =
                    Self.parameter("modified_after", request).map { $0 > "2024-06" } == true
                let rows = (isLater ? [2] : [1, 2]).map {
                    """
                    {"id": \($0), "slug": "p\($0)", "title": {"rendered": "T\($0)"}, "author": 3,
                     "modified_gmt": "2024-0\($0 + 5)-01T00:00:00", "categories": [8]}
                    """
                }
                return response(rows, total: rows.count)
            case "/users": return response([#"{"id": 3, "name": "ada"}"#], total: 1)
            default:
                // One page more than a hundred.
                let ids = page == 1 ? Array(1...100) : [101]
                return response(
                    ids.map { #"{"id": \#($0), "name": "c", "parent": 0}"# }, total: 101)
            }
        }
        #expect(
            try file.rows(
                "SELECT p.slug, p.title, u.name FROM Post p JOIN User u ON u.restkit_key = p.author ORDER BY p.id"
            )
                == ["p1|T1|ada", "p2|T2|ada"])
        #expect(try file.integers("SELECT count(*) FROM Category") == [101])
        #expect(!requests.contains { Self.parameter("page", $0) == "3" })
    }

    @Test func pokeAPI() async throws {
        let file = try MirrorFile()
        _ = try await Self.syncTwice("pokeapi", file) { request in
            let host = "http://" + (request.headers["host"] ?? "")
            func pokemon(_ id: Int) -> String {
                #"{"name": "p\#(id)", "url": "\#(host)/pokemon/\#(id)/"}"#
            }
            switch request.path {
            case "/pokemon/":
                let isFirst = Self.parameter("offset", request) == nil
                let next = isFirst ? "\"\(host)/pokemon/?limit=100&offset=2\"" : "null"
                let rows = (isFirst ? [1, 2] : [3]).map(pokemon).joined(separator: ",")
                return .json(#"{"count": 3, "next": \#(next), "results": [\#(rows)]}"#)
            case "/type/":
                return .json(
                    #"{"count": 1, "next": null, "results": [{"name": "fire", "url": "\#(host)/type/10/"}]}"#
                )
            case "/pokemon/p3/": return LoopbackResponse(status: 404)
            default:
                let id = request.path.split(separator: "/").last.map { $0.dropFirst() } ?? "0"
                return .json(
                    """
                    {"id": \(id), "name": "p\(id)", "height": 7, "sprites": {"front": "f"}, "moves": [1],
                     "species": {"name": "s", "url": "\(host)/pokemon-species/\(id)/"},
                     "types": [{"slot": 1, "type": {"name": "fire", "url": "\(host)/type/10/"}}]}
                    """)
            }
        }
        #expect(
            try file.rows(
                "SELECT d.id, p.name, s.id, t.name FROM PokemonDetails d "
                    + "JOIN Pokemon p ON p.restkit_key = d.pokemon JOIN Species s ON s.restkit_key = d.species "
                    + "JOIN PokemonDetails_types x ON x.source = d.restkit_key "
                    + "JOIN TypeSlot l ON l.restkit_key = x.target JOIN Type t ON t.restkit_key = l.type ORDER BY 1"
            )
                == ["1|p1|1|fire", "2|p2|2|fire"])
        #expect(try file.integers("SELECT id FROM Pokemon ORDER BY id") == [1, 2, 3])
    }

    /// A search returns a thousand results at most; the double has more in two months, and 30 in a page.
    @Test func cappedSearch() async throws {
        let file = try MirrorFile()
        let start = 1_401_580_800.0  // 2014-06-01
        // One repository each half hour for 40 days.
        let created = (0..<1_920).map { start + Double($0) * 1_800 }
        let format = Date.ISO8601FormatStyle()
        let log = EventLog()
        let ranges = Mutex<Set<String>>([])
        try await LoopbackServer.run { request in
            let host = "http://" + (request.headers["host"] ?? "")
            let query = Self.parameter("q", request) ?? ""
            let range = query.split(separator: "created:").last.map(String.init) ?? ""
            let bounds = range.components(separatedBy: "..").compactMap { try? format.parse($0) }
            guard bounds.count == 2 else { return LoopbackResponse(status: 422) }
            ranges.withLock { _ = $0.insert(range) }
            let hits = created.indices.filter {
                created[$0] >= bounds[0].timeIntervalSince1970
                    && created[$0] <= bounds[1].timeIntervalSince1970
            }
            let page = Int(Self.parameter("page", request) ?? "1") ?? 1
            if page > 10 { return LoopbackResponse(status: 422) }
            let part = hits.dropFirst((page - 1) * 100).prefix(100)
            let rows = part.map {
                let date = format.format(Date(timeIntervalSince1970: created[$0]))
                return
                    #"{"id": \#($0), "full_name": "r", "created_at": "\#(date)", "owner": {"id": 1, "login": "a"}}"#
            }
            var headers: [(name: String, value: String)] = []
            if page * 100 < min(hits.count, 1_000) {
                let target = request.target.replacing(/&page=\d+/, with: "")
                headers.append(("Link", "<\(host)\(target)&page=\(page + 1)>; rel=\"next\""))
            }
            return .json(
                #"{"total_count": \#(hits.count), "items": [\#(rows.joined(separator: ","))]}"#,
                headers: headers)
        } body: { server in
            var definition = try ExampleDefinitions.read("capped-search", at: server.baseURL)
            definition.resources[0].cursor?.step = .duration(.seconds(30 * 86_400))
            let summary = try await file.sync(definition) { log.append($0) }
            #expect(
                summary.isComplete, "\(summary.resources.compactMap(\.failure)) \(summary.warnings)"
            )
        }
        #expect(try file.integers("SELECT count(*) FROM Repository") == [1_920])
        #expect(log.warnings == [])
        // The first 30 days have 1,440 results.
        #expect(ranges.withLock { $0.contains("2014-06-01T00:00:00Z..2014-06-16T00:00:00Z") })
    }
}
