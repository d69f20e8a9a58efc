// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestMapping
import RestNetworking
import RestTesting
import RestTransport
import TestSupport
import Testing

/// A walk of many pages.
@Suite(.tags(.socket)) struct LongWalkTests {
    @Test func keepsConstantStateOverThousandPages() async throws {
        try await LoopbackServer.run({ request in
            let page = request.number("page") ?? 1
            let link = page < 1000 ? [("Link", "</articles?page=\(page + 1)>; rel=next")] : []
            return .json(#"[{"id": \#(page), "title": "t"}]"#, headers: link)
        }) { server in
            let api = try manager(at: server.baseURL)
            try api.add(ResponseDescriptor(Article.self))
            let first = try api.request(.get, at: "articles")
            var machine = try PaginationStateMachine(
                .linkHeader, from: first.url, client: api.client)
            var count = 0
            while let page = try machine.nextRequest() {
                var request = first
                request.url = page.url
                let response = try await api.response(to: request)
                let page = try #require(try machine.receive(response))
                count += 1
                #expect(page.index == count - 1)
                #expect(machine.digestCount <= RequestHistory.windowLength + 1)
            }
            #expect(count == 1000)
            let walked = try await ids(api, by: .linkHeader)
            #expect(walked.flatMap(\.self) == Array(1...1000))
        }
    }
}
