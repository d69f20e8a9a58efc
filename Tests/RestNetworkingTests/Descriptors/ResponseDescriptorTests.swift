// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestCurl
import RestDocument
import RestMapping
import RestNetworking
import RestTransport
import TestSupport
import Testing

@Suite struct ResponseDescriptorTests {
    // MARK: URLs

    @Test(.parity("N102")) func matchesEveryURLWithoutBaseURLAndPattern() throws {
        #expect(try matches(nil, nil, "http://restkit.org/monkeys/1234.json"))
    }

    @Test(.parity("N103", "N104")) func matchesPathWithoutBaseURL() throws {
        let pattern = #"/monkeys/:monkeyID\.json"#
        #expect(try matches(nil, pattern, "http://restkit.org/monkeys/1234.json"))
        #expect(try !matches(nil, pattern, "http://restkit.org/mismatch"))
    }

    @Test(.parity("N105", "N106")) func matchesURLBelowBaseURLWithoutPattern() throws {
        let base = "http://restkit.org"
        #expect(try !matches(base, nil, "http://google.com/monkeys/1234.json"))
        #expect(try matches(base, nil, "http://restkit.org/whatever"))
    }

    @Test(.parity("N107", "N108", "N109", "N110"))
    func matchesPathBelowBaseURLWithoutPath() throws {
        let base = "http://restkit.org"
        let pattern = #"/monkeys/:monkeyID\.json"#
        #expect(try !matches(base, pattern, "/monkeys/1234.json", at: "http://google.com"))
        #expect(try matches(base, pattern, "/monkeys/1234.json", at: base))
        #expect(try !matches(base, pattern, "/mismatch", at: base))
        #expect(
            try matches(base, pattern, "/monkeys/1234.json?param1=val1&param2=val2", at: base))
    }

    @Test(.parity("N111")) func matchesPathBelowBaseURLWithPort() throws {
        #expect(
            try matches(
                "http://0.0.0.0:5000", "/api/v1/organizations/",
                "http://0.0.0.0:5000/api/v1/organizations/?client_search=t"))
    }

    @Test(.parity("N112", "N113", "N114", "N115", "N116", "N117", "N118"))
    func matchesPathBelowBaseURLWithPath() throws {
        let base = "http://restkit.org/api/v1/"
        #expect(try !matches(base, nil, "http://restkit.org/monkeys/1234.json"))
        #expect(try matches(base, nil, "http://restkit.org/api/v1/whatever"))
        #expect(try !matches(base, "/whatever", "monkeys/1234.json", at: "http://google.com"))
        let pattern = #"monkeys/:monkeyID\.json"#
        #expect(try matches(base, pattern, "monkeys/1234.json", at: base))
        #expect(try !matches(base, pattern, "mismatch", at: base))
        #expect(try matches(base, pattern, "http://restkit.org/api/v1/monkeys/1234.json"))
        #expect(try !matches(base, pattern, "http://restkit.org/api/v1/mismatch"))
    }

    @Test(
        arguments: [
            ("http://base", "http://base.evil.com/x"), ("http://base", "https://base/x"),
            ("http://base", "http://base:8080/x"), ("http://base/api/v1", "http://base/api/v10/x"),
            ("http://base/api/v1/", "http://base/api/v1evil"),
        ])
    func matchesBaseURLAtSegmentBoundaryOnly(base: String, url: String) throws {
        #expect(try !matches(base, nil, url))
    }

    @Test func matchesWithOrWithoutLeadingSlash() throws {
        #expect(try matches("http://base", "articles/:id", "http://base/articles/1"))
        #expect(try matches("http://base", "/articles/:id", "http://base/articles/1"))
        #expect(try !matches("http://base/v1/", "/articles/:id", "http://base/v1/articles/1"))
    }

    // MARK: Responses

    @Test(.parity("N119", "S097")) func matchesResponseByPathAndStatus() throws {
        let descriptor = try self.descriptor(
            "http://0.0.0.0:5000", "/api/v1/organizations/", statusCodes: 200)
        let url = try HTTPURL(
            parsing: "http://0.0.0.0:5000/api/v1/organizations/?client_search=t")
        #expect(descriptor.matches(response: HTTPResponse(status: 200), to: .get, url: url))
        #expect(!descriptor.matches(response: HTTPResponse(status: 201), to: .get, url: url))
        let other = try HTTPURL(parsing: "http://0.0.0.0:5000/api/v1/people/")
        #expect(!descriptor.matches(response: HTTPResponse(status: 200), to: .get, url: other))
        let ofAnyStatus = try self.descriptor("http://0.0.0.0:5000", "/api/v1/organizations/")
        #expect(ofAnyStatus.matches(response: HTTPResponse(status: 404), to: .get, url: url))
        #expect(!ofAnyStatus.matches(response: HTTPResponse(status: 404), to: .get, url: other))
    }

    @Test(
        .parity("N120", "N121"),
        arguments: ["recommendation/", "recommendation?action=search&type=whatever"])
    func assignsTrailingSlashToBaseURL(path: String) throws {
        let descriptor = try self.descriptor(
            "http://domain.com/domain/api/v1/", "/recommendation/", statusCodes: 200)
        let url = try HTTPURL(parsing: "http://domain.com/domain/api/v1/" + path)
        #expect(!descriptor.matches(response: HTTPResponse(status: 200), to: .get, url: url))
    }

    @Test func matchesEveryStatusWithoutStatusCodes() {
        let descriptor = ResponseDescriptor(Article.self, statusCodes: nil)
        #expect(descriptor.matches(status: 200) && descriptor.matches(status: 599))
        #expect(!ResponseDescriptor(Article.self).matches(status: 404))
    }

    @Test(.parity("S095")) func matchesEveryPathWithoutPattern() {
        #expect(ResponseDescriptor(Article.self).matches(path: "/anything"))
        #expect(ResponseDescriptor(Article.self, at: "a/:b").matches(path: nil))
        #expect(!ResponseDescriptor(Article.self, at: "a/:b").matches(path: "a"))
    }

    @Test(.parity("S096")) func comparesWholePathWithoutBaseURL() throws {
        let url = "http://restkit.org/api/v1/monkeys/1?name=a"
        #expect(try matches(nil, "/api/v1/monkeys/:id", url))
        #expect(try !matches(nil, "/monkeys/:id", url))
        #expect(try !matches(nil, "api/v1/monkeys/:id", url))
        // An encoded slash is no separator.
        #expect(try matches(nil, "/files/:name", "http://restkit.org/files/a%2Fb"))
        #expect(try !matches(nil, "/files/:name/:part", "http://restkit.org/files/a%2Fb"))
    }

    // MARK: Properties

    @Test(.parity("S093")) func isForAnyMethodByDefault() {
        let descriptor = ResponseDescriptor(
            ObjectMapping(for: Article.self), at: "articles", keyPath: "a", statusCodes: 200)
        #expect(descriptor.methods == .any)
        for method in [HTTPRequest.Method.get, .post, .put, .delete, .head, .patch, .options] {
            #expect(descriptor.matches(method: method))
        }
    }

    @Test(.parity("S090", "S092")) func isImmutableExceptForBaseURL() throws {
        typealias Writable<Value> = WritableKeyPath<ResponseDescriptor, Value>
        let mapping: KeyPath<ResponseDescriptor, any MappingConvertible> = \.mapping
        #expect(!(mapping as AnyKeyPath is Writable<any MappingConvertible>))
        #expect(!(\ResponseDescriptor.methods as AnyKeyPath is Writable<MethodSet>))
        #expect(!(\ResponseDescriptor.path as AnyKeyPath is Writable<String?>))
        #expect(!(\ResponseDescriptor.keyPath as AnyKeyPath is Writable<DocumentPath>))
        #expect(!(\ResponseDescriptor.statusCodes as AnyKeyPath is Writable<StatusCodeSet?>))
        #expect(\ResponseDescriptor.baseURL as AnyKeyPath is Writable<HTTPURL?>)
        let api = try manager(at: "http://restkit.org/")
        try api.add(ResponseDescriptor(Article.self))
        var copy = try #require(api.responseDescriptors.first)
        copy.baseURL = try HTTPURL(parsing: "http://google.com/")
        #expect(api.responseDescriptors.map(\.baseURL) == [nil])
    }

    @Test(.parity("S049", "S094")) func usesBaseURLOfManagerByDefault() throws {
        let api = try manager(at: "http://restkit.org/v1/")
        let described = ResponseDescriptor(Article.self, at: "articles", keyPath: "articles")
        var foreign = ResponseDescriptor(Author.self, at: "articles")
        foreign.baseURL = try HTTPURL(parsing: "http://google.com/")
        try api.add(described, foreign)
        let first = try api.explain(path: "articles")
        #expect(first.matching == [described])
        #expect(first.mismatches.map(\.descriptor) == [foreign])
        #expect(first.mismatches.map(\.conditions) == [[.baseURL]])
        #expect(try api.explain(path: "/articles").matching.isEmpty)
        // The base URL is that of the current client.
        try api.configure {
            $0.client = try HTTPClient(baseURL: "http://google.com/", transport: CurlTransport())
        }
        #expect(try api.explain(path: "articles").matching == [foreign, described])
    }

    // MARK: Equality

    @Test(.parity("N122")) func equalsDescriptorWithSameProperties() {
        let mapping = ObjectMapping(for: Article.self)
        #expect(
            ResponseDescriptor(mapping, at: "a", methods: [.get], keyPath: "k", statusCodes: 200)
                == ResponseDescriptor(
                    mapping, at: "a", methods: [.get], keyPath: "k", statusCodes: 200))
        #expect(
            ResponseDescriptor(mapping, statusCodes: nil)
                == ResponseDescriptor(mapping, statusCodes: nil))
    }

    @Test(.parity("N123", "N124", "N125", "N126")) func differsInEachProperty() {
        let one = ResponseDescriptor(
            ObjectMapping(for: Article.self), at: "a", methods: [.get], keyPath: "k",
            statusCodes: 200)
        let others = [
            ResponseDescriptor(
                ObjectMapping(for: Article.self, ["id"]), at: "a", methods: [.get], keyPath: "k",
                statusCodes: 200),
            ResponseDescriptor(
                Author.self, at: "a", methods: [.get], keyPath: "k", statusCodes: 200),
            ResponseDescriptor(
                Article.self, at: "b", methods: [.get], keyPath: "k", statusCodes: 200),
            ResponseDescriptor(
                Article.self, at: "a", methods: [.get], keyPath: "l", statusCodes: 200),
            ResponseDescriptor(
                Article.self, at: "a", methods: [.get], keyPath: "k", statusCodes: 404),
            ResponseDescriptor(
                Article.self, at: "a", methods: .any, keyPath: "k", statusCodes: 200),
        ]
        for other in others {
            #expect(one != other)
        }
    }

    // MARK: Diagnostics

    @Test func invalidDescriptorMatchesNothing() throws {
        let descriptor = ResponseDescriptor(
            ObjectMapping(for: Article.self, ["headline"]), at: "articles/:a:b")
        #expect(descriptor.diagnostics.count == 2)
        #expect(descriptor.plan == nil)
        #expect(!descriptor.matches(path: "articles/1"))
        #expect(try !descriptor.matches(url: HTTPURL(parsing: "http://base/articles/1")))
    }

    private func descriptor(
        _ base: String?, _ pattern: String?, statusCodes: StatusCodeSet? = nil
    ) throws -> ResponseDescriptor {
        var descriptor = ResponseDescriptor(Article.self, at: pattern, statusCodes: statusCodes)
        descriptor.baseURL = try base.map { try HTTPURL(parsing: $0) }
        return descriptor
    }

    private func matches(
        _ base: String?, _ pattern: String?, _ url: String, at start: String? = nil
    ) throws -> Bool {
        let url = try start.map { try HTTPURL(parsing: $0).resolving(url) } ?? HTTPURL(parsing: url)
        return try descriptor(base, pattern).matches(url: url)
    }
}
