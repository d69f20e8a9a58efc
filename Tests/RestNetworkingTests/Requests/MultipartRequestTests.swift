// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestCurl
import RestDocument
import RestMapping
import RestNetworking
import RestTesting
import RestTransport
import TestSupport
import Testing

@Suite(.tags(.socket)) struct MultipartRequestTests {
    /// A form's response is matched by the path of its request, like any other.
    @Test(.parity("N174")) func mapsTheResponseToAForm() async throws {
        try await LoopbackServer.run { request in
            let body = String(decoding: request.body, as: UTF8.self)
            let isForm =
                request.method == "POST" && request.path == "/api/upload/"
                && request.headers["content-type"]?.hasPrefix("multipart/form-data; ") == true
                && body.contains("name=\"file\"; filename=\"blake.png\"\r\nContent-Type: image/png")
            return isForm ? .json(#"{"name": "Blake"}"#) : .json("{}", status: 400)
        } body: { server in
            let transport = CurlTransport()
            let api = ObjectManager(
                client: try HTTPClient(
                    baseURL: String(server.baseURL.dropLast()), transport: transport))
            try api.add(ResponseDescriptor(Author.self, at: "/api/upload/"))
            var form = MultipartForm()
            try form.addData(
                [0x89, 0x50, 0x4E, 0x47], named: "file", fileName: "blake.png",
                contentType: MediaType(fileName: "blake.png")?.description)
            var request = try api.request(.post, at: "/api/upload/")
            try request.setForm(form)
            let response = try await api.response(to: request)
            let match = try #require(response.matches.first)
            var report = MappingReport()
            let authors = try match.plan.objects(
                Author.self, from: match.representation, report: &report)
            #expect(authors == [Author(name: "Blake")])
            #expect(response.matches.count == 1)
            await transport.shutdown()
        }
    }
}
