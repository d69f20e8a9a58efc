// SPDX-License-Identifier: Apache-2.0

import RestCurl
import RestMapping
import RestNetworking
import RestTransport
import TestSupport
import Testing

@Suite struct ObjectManagerTests {
    @Test func rejectsInvalidDescriptorsWithAllDiagnostics() throws {
        let api = try manager(at: "http://127.0.0.1:1/")
        let error = #expect(throws: NetworkingError.self) {
            try api.add(
                ResponseDescriptor(Article.self),
                ResponseDescriptor(
                    ObjectMapping(for: Article.self, ["titel", "headline"]), at: "a/:b:c"),
                ResponseDescriptor(Author.self, at: "a/../b"))
        }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.causes.count == 4)
        #expect(error?.description.contains("did you mean 'title'") == true)
        #expect(api.responseDescriptors.isEmpty)
    }

    @Test func removesEqualDescriptor() throws {
        let api = try manager(at: "http://127.0.0.1:1/")
        try api.add(ResponseDescriptor(Article.self), ResponseDescriptor(Author.self, at: "a"))
        api.remove(ResponseDescriptor(Article.self))
        #expect(api.responseDescriptors == [ResponseDescriptor(Author.self, at: "a")])
    }

    @Test(.parity("N014")) func hasBaseURLOfItsClient() throws {
        let api = try manager(at: "http://restkit.org")
        #expect(api.baseURL.text == "http://restkit.org")
        api.client = try HTTPClient(baseURL: "http://google.com", transport: CurlTransport())
        #expect(api.baseURL.text == "http://google.com")
    }
}
