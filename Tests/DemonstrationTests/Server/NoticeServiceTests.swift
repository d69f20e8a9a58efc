// SPDX-License-Identifier: Apache-2.0

import FlyingFox
import Foundation
import Testing

@testable import Demonstration

@Suite struct NoticeServiceTests {
    private let service = AirportService(catalog: AirportCatalog())

    private func response(
        _ method: HTTPMethod, _ path: String, _ body: String = "",
        type: String = "application/json"
    ) async throws -> HTTPResponse {
        try await service.response(
            to: HTTPRequest(
                method: method, version: .http11, path: path, query: [],
                headers: [.contentType: type], body: Data(body.utf8)))
    }

    private func patch(_ path: String, _ body: String) async throws -> HTTPResponse {
        try await response(.PATCH, path, body, type: "application/merge-patch+json")
    }

    private func text(_ response: HTTPResponse) async throws -> String {
        String(decoding: try await response.bodyData, as: UTF8.self)
    }

    @Test func createsNoticeWithNextNumber() async throws {
        let created = try await response(
            .POST, "/notices", #"{"id":null,"text":"Rain.","airport":{"code":"OSL"}}"#)
        #expect(created.statusCode == .created)
        #expect(created.headers[.location] == "/notices/13")
        let body = #"{"airport":{"code":"OSL"},"id":13,"text":"Rain."}"#
        #expect(try await text(created) == body)
        #expect(try await text(response(.GET, "/notices/13")) == body)
        #expect(service.notices.notices.count == 13)
    }

    @Test func changesMembersOfPatchOnly() async throws {
        let before = try #require(service.notices.notice("2"))
        let changed = try await patch("/notices/2", #"{"text":"All is well."}"#)
        #expect(changed.statusCode == .ok)
        #expect(
            service.notices.notice("2")
                == NoticeRecord(id: 2, airport: before.airport, text: "All is well."))
        _ = try await patch("/notices/2", #"{"airport":{"code":"JFK"}}"#)
        #expect(
            service.notices.notice("2")
                == NoticeRecord(id: 2, airport: "JFK", text: "All is well."))
    }

    @Test func deletesNoticeOnce() async throws {
        #expect(try await response(.DELETE, "/notices/2").statusCode == .noContent)
        #expect(service.notices.notice("2") == nil)
        #expect(try await response(.DELETE, "/notices/2").statusCode == .notFound)
        #expect(try await patch("/notices/2", #"{"text":"a"}"#).statusCode == .notFound)
        #expect(service.notices.writes.map(\.method) == ["DELETE"])
    }

    @Test(arguments: [
        (#"{"text":" \n","airport":{"code":"OSL"}}"#, "text must not be empty"),
        (#"{"airport":{"code":"OSL"}}"#, "text is missing"),
        (#"{"text":"a"}"#, "airport is missing"),
        (#"{"text":"a","airport":{"code":"XXX"}}"#, "there is no airport with this code"),
        (#"{"text":null}"#, "a notice is an object with text and airport"),
        (#"[1]"#, "a notice is an object with text and airport"),
        (#"{"text":"#, "a notice is an object with text and airport"),
        (
            #"{"text":"\#(String(repeating: "a", count: 201))"}"#,
            "text has more than 200 characters"
        ),
    ])
    func refusesInvalidNotice(body: String, message: String) async throws {
        let refused = try await response(.POST, "/notices", body)
        #expect(refused.statusCode == .unprocessableContent)
        #expect(
            try await text(refused) == #"{"error":{"message":"\#(message)","status":422}}"#)
        if !message.hasSuffix("missing") {
            #expect(try await patch("/notices/1", body).statusCode == .unprocessableContent)
        }
        #expect(service.notices.notices == service.catalog.notices)
        #expect(service.notices.writes == [])
    }

    @Test func namesMethodsOfEachPath() async throws {
        let paths = [
            ("/notices", "GET, HEAD, POST"), ("/notices/1", "GET, HEAD, PATCH, DELETE"),
            ("/airports", "GET, HEAD"),
        ]
        for (path, methods) in paths {
            let refused = try await response(.PUT, path)
            #expect(refused.statusCode == .methodNotAllowed)
            #expect(refused.headers[HTTPHeader("Allow")] == methods)
        }
    }
}
