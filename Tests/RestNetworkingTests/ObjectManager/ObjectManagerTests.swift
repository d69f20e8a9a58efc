// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestCurl
import RestDocument
import RestMapping
import RestTransport
import TestSupport
import Testing

@testable import RestNetworking

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
        try api.configure {
            $0.client = try HTTPClient(baseURL: "http://google.com", transport: CurlTransport())
        }
        #expect(api.baseURL.text == "http://google.com")
    }

    @Test(.parity("S015", "S017")) func firstManagerIsShared() async {
        // In a process of its own, as other tests create managers too.
        await #expect(processExitsWith: .success) {
            precondition(ObjectManager.shared == nil)
            let first = try manager(at: "http://127.0.0.1:1/")
            precondition(ObjectManager.shared === first)
            let second = try manager(at: "http://127.0.0.1:1/")
            precondition(ObjectManager.shared === first)
            ObjectManager.shared = second
            precondition(ObjectManager.shared === second)
        }
    }

    @Test(.parity("N159", "S020")) func hasRequestFormatFromBirth() throws {
        let client = try HTTPClient(baseURL: "http://base", transport: CurlTransport())
        #expect(ObjectManager(client: client).requestFormat == .formURLEncoded)
        let json = try ObjectManager(client: client, requestFormat: .json)
        #expect(json.requestFormat == .json)
        let request = try json.request(.post, at: "a", parameters: ["b": 1])
        #expect(request.headerFields[.contentType] == "application/json")
        let error = #expect(throws: NetworkingError.self) {
            try ObjectManager(client: client, requestFormat: "application/bson")
        }
        #expect(error?.code == .invalidConfiguration)
    }

    @Test(.parity("S049")) func matchesDescriptorsWithItsBaseURL() throws {
        let api = try manager(at: "http://restkit.org/v1/")
        try api.add(ResponseDescriptor(Article.self, at: "articles"))
        let selection = DescriptorSelection(
            descriptors: api.snapshot.value.responseDescriptors, expected: nil)
        let count = { (url: String) -> Int in
            let location = RequestedLocation(
                url: try HTTPURL(parsing: url), baseURL: api.baseURL)
            let outcome = selection.match(
                ["id": 1], at: location, method: .get, status: 200)
            guard case .matches(let matches, _) = outcome else { return 0 }
            return matches.count
        }
        #expect(try count("http://restkit.org/v1/articles") == 1)
        #expect(try count("http://restkit.org/v2/articles") == 0)
    }
}
