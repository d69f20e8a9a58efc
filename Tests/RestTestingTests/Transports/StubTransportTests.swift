// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestTesting
import RestTransport
import TestSupport
import Testing

@Suite struct StubTransportTests {
    @Test(.tags(.concurrency))
    func remembersEveryRequestOfManyTasks() async throws {
        let stub = StubTransport { request in .stub(.noContent, to: request) }
        let client = try HTTPClient(baseURL: "https://example.com/", transport: stub)
        try await withThrowingTaskGroup { group in
            for number in 0..<100 {
                group.addTask {
                    let response = try await client.send(try client.request(at: "\(number)"))
                    #expect(response.url.path == "/\(number)")
                }
            }
            try await group.waitForAll()
        }
        let paths = Set(stub.requests.map(\.url.path))
        #expect(paths == Set((0..<100).map { "/\($0)" }))
        #expect(stub.requests.count == 100)
    }

    @Test func answersInTheOrderOfTheRequests() async throws {
        let stub = StubTransport { request in
            .json(#"{"path": "\#(request.url.path)"}"#, status: .created, to: request)
        }
        let client = try HTTPClient(baseURL: "https://example.com/", transport: stub)
        for name in ["b", "a"] {
            let response = try await client.send(try client.request(at: name))
            #expect(response.status == .created)
            #expect(response.headerFields[.contentType] == "application/json")
            #expect(try await response.collect() == Array(#"{"path": "/\#(name)"}"#.utf8))
        }
        #expect(stub.requests.map(\.url.path) == ["/b", "/a"])
    }
}
