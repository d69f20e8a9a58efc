// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestTesting
import RestTransport
import TestSupport
import Testing

/// Fields that are folded onto further lines (RFC 9112 §5.2).
@Suite(.tags(.socket), .serialized) struct FoldedFieldTests {
    private static func script(_ fields: String) -> LoopbackSocketServer.Script {
        { connection in
            while connection.readRequest() != nil {
                let head = "HTTP/1.1 200 OK\r\n\(fields)Content-Length: 5\r\n\r\nhello"
                guard connection.send(Array(head.utf8)) else { return }
            }
        }
    }

    /// libcurl delivers the lines as they are, and the parsers of the other libraries refuse folds.
    @Test(arguments: Adapter.allCases)
    func haveSpacesInPlaceOfFolds(adapter: Adapter) async throws {
        let fields =
            "X-First: a,\r\n b,  \r\n\t \tc\r\nX-Second:\r\n d\r\nX-Third: e\r\n   \r\n"
        try await LoopbackSocketServer.run(Self.script(fields)) { server in
            try await adapter.run(server.baseURL) { client in
                guard adapter == .curl else {
                    let error = await transportError { _ = try await client.read("a") }
                    #expect([.malformedResponse, .connectionLost].contains(error?.code))
                    return
                }
                let response = try await client.send(client.request(at: "a"))
                for (name, words) in [("X-First", "a, b, c"), ("X-Second", "d"), ("X-Third", "e")] {
                    let name = try #require(HTTPField.Name(name))
                    let value = response.headerFields[name] ?? ""
                    let found = value.split { $0 == " " || $0 == "\t" }.joined(separator: " ")
                    #expect(found == words)
                    #expect(value.first != " " && value.last != " " && !value.contains("\r"))
                }
                #expect(try await response.collect() == Array("hello".utf8))
            }
        }
    }

    @Test func lineBeforeFirstFieldIsNoFold() async throws {
        try await LoopbackSocketServer.run(Self.script(" X-First: a\r\n")) { server in
            try await Adapter.curl.run(server.baseURL) { client in
                let error = await transportError { _ = try await client.read("a") }
                #expect(error?.code == .malformedResponse)
            }
        }
    }
}
