// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestDocument
import RestMapping
import RestNetworking
import RestTesting
import RestTransport
import TestSupport
import Testing

@Suite struct ObjectManagerConfigurationTests {
    private let transport = StubTransport { .stub(.noContent, to: $0) }

    /// An interceptor that adds a field and replaces `Accept`.
    private struct HeaderInterceptor: HTTPInterceptor {
        func send(
            _ request: TransportRequest, through next: InterceptorChain
        ) async throws -> TransportResponse {
            var request = request
            try request.setHeader("value", for: "test")
            request.headerFields[.accept] = "text/html"
            return try await next.send(request)
        }
    }

    private func client() throws -> HTTPClient {
        try HTTPClient(baseURL: "http://test.com", transport: transport)
    }

    private func body(_ request: TransportRequest) -> String? {
        request.body.bytes.map { String(decoding: $0, as: UTF8.self) }
    }

    // MARK: Changes

    @Test func losesNoneOfManyConcurrentChanges() async throws {
        let api = ObjectManager(client: try client())
        let names = (0..<200).map { "x-field-\($0)" }
        await withTaskGroup(of: Void.self) { group in
            for (index, name) in names.enumerated() {
                group.addTask {
                    let type = MediaType(stringLiteral: "text/x-\(index)")
                    api.configure {
                        $0.formats.register(TextFormat(), for: type)
                        $0.client.defaultHeaders[HTTPField.Name(name)!] = name
                    }
                }
            }
        }
        let types = api.formats.accepted.map(\.subtype)
        #expect(Set(names.indices.map { "x-\($0)" }).isSubset(of: types))
        #expect(Set(names).isSubset(of: api.defaultHeaders.map(\.value)))
    }

    /// Requests that are assembled meanwhile see both changes of a call, or none of them.
    @Test func requestSeesAllChangesOfCall() async throws {
        let api = ObjectManager(client: try client())
        let change = Task.detached {
            for number in 0..<500 {
                api.configure {
                    $0.client.defaultHeaders[.userAgent] = "\(number)"
                    $0.client.defaultHeaders[.acceptLanguage] = "\(number)"
                }
            }
        }
        for _ in 0..<500 {
            let fields = api.defaultHeaders
            #expect(fields[.userAgent] == fields[.acceptLanguage])
        }
        await change.value
    }

    @Test func keepsConfigurationIfChangeFails() throws {
        let api = ObjectManager(client: try client())
        let error = #expect(throws: NetworkingError.self) {
            try api.configure {
                $0.client.defaultHeaders[.userAgent] = "Test"
                $0.dateFormat = .milliseconds
                try $0.setRequestFormat("application/x-unknown")
            }
        }
        #expect(error?.code == .invalidConfiguration)
        #expect(api.defaultHeaders[.userAgent] == nil)
        #expect(api.dateFormat == .iso8601)
    }

    // MARK: Headers

    @Test(.parity("N177")) func keepsHeadersOfInterceptors() async throws {
        var client = try client()
        client.interceptors = [HeaderInterceptor()]
        let api = ObjectManager(client: client)
        let request = try api.request(.patch, at: "/the/path", parameters: ["a": "b"])
        _ = try await api.response(to: request)
        _ = try await api.getObjects(at: "other")
        let sent = transport.requests
        #expect(sent.map(\.url.text) == ["http://test.com/the/path", "http://test.com/other"])
        #expect(sent.map(\.method) == [.patch, .get])
        for request in sent {
            #expect(request.headerFields[values: .accept] == ["text/html"])
            #expect(request.headerFields.filter { $0.name.canonicalName == "test" }.count == 1)
            #expect(request.headerFields.contains { $0.value == "value" })
        }
    }

    @Test(.parity("S021")) func sendsConfiguredAcceptHeader() async throws {
        let api = ObjectManager(client: try client())
        #expect(api.defaultHeaders == [.accept: "application/json"])
        api.setAccept("text/plain", "application/*; q=0.5")
        _ = try await api.getObjects(at: "a")
        #expect(api.client.defaultHeaders == api.defaultHeaders)
        api.setAccept()
        _ = try await api.getObjects(at: "b")
        #expect(
            transport.requests.map { $0.headerFields[.accept] }
                == ["text/plain, application/*; q=0.5", "application/json"])
    }

    @Test(.parity("S018")) func hasDefaultHeadersOfItsClient() async throws {
        var client = try client()
        client.defaultHeaders = [.acceptLanguage: "is", .userAgent: "Test/1"]
        let api = ObjectManager(client: client)
        let all: HTTPFields = [
            .acceptLanguage: "is", .userAgent: "Test/1", .accept: "application/json",
        ]
        #expect(api.defaultHeaders == all)
        _ = try await api.getObjects(at: "a")
        let sent = transport.requests.first?.headerFields ?? [:]
        #expect(Set(sent) == Set(all))
        api.configure { $0.client.defaultHeaders = [.accept: "text/plain"] }
        #expect(api.client.defaultHeaders == [.accept: "text/plain"])
    }

    // MARK: Parameters

    @Test(.parity("N159"), arguments: [HTTPRequest.Method.post, .put, .patch])
    func writesParametersAsForm(method: HTTPRequest.Method) throws {
        let api = ObjectManager(client: try client())
        #expect(api.requestFormat == .formURLEncoded)
        let request = try api.request(
            method, at: "a?x=1", parameters: ["b": "c d", "a": [1, 2]])
        #expect(request.url.text == "http://test.com/a?x=1")
        #expect(body(request) == "a[]=1&a[]=2&b=c%20d")
        #expect(
            request.headerFields[.contentType]
                == "application/x-www-form-urlencoded; charset=utf-8")
    }

    @Test(.parity("N160")) func writesParametersInFormatOfItsClient() throws {
        var client = try client()
        client.parameterMediaType = "application/json"
        let api = ObjectManager(client: client)
        #expect(api.requestFormat == .json)
        let request = try api.request(.post, at: "a", parameters: ["b": [1, nil] as [Int?]])
        #expect(body(request) == #"{"b":[1,null]}"#)
        #expect(request.headerFields[.contentType] == "application/json")
        // The format follows the client.
        client.parameterMediaType = "application/x-www-form-urlencoded"
        api.configure { $0.client = client }
        #expect(api.requestFormat == .formURLEncoded)
    }

    @Test(.parity("N161"), arguments: ["application/x-plist", "nonsense", ""])
    func writesFormWhenClientTypeIsUnregistered(type: String) throws {
        var client = try client()
        client.parameterMediaType = type
        let api = ObjectManager(client: client)
        #expect(api.requestFormat == .formURLEncoded)
        let request = try api.request(.post, at: "a", parameters: ["b": "c"])
        #expect(body(request) == "b=c")
    }

    @Test(.parity("S020")) func setsRequestFormat() throws {
        let api = ObjectManager(client: try client())
        try api.setRequestFormat(.json)
        for method in [HTTPRequest.Method.post, .put, .patch] {
            let request = try api.request(method, at: "a", parameters: ["b": true])
            #expect(body(request) == #"{"b":true}"#)
        }
        let error = #expect(throws: NetworkingError.self) {
            try api.setRequestFormat("application/x-plist")
        }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.description.contains("application/x-plist") == true)
        #expect(api.requestFormat == .json)
        // Unregistering the format later fails when a request is created.
        api.configure { $0.formats.unregister(JSONFormat.self) }
        let late = #expect(throws: NetworkingError.self) {
            try api.request(.post, at: "a", parameters: ["b": true])
        }
        #expect(late?.code == .invalidRequest)
    }

    @Test(arguments: [HTTPRequest.Method.get, .head, .delete, .options])
    func writesParametersOfOtherMethodsIntoQuery(method: HTTPRequest.Method) throws {
        let api = ObjectManager(client: try client())
        try api.setRequestFormat(.json)
        let request = try api.request(method, at: "a", parameters: ["b": "c"])
        #expect(request.url.text == "http://test.com/a?b=c")
        #expect(request.body.isEmpty)
        #expect(request.headerFields[.contentType] == nil)
    }

    @Test func sendsNoBodyWithoutParameters() throws {
        let api = ObjectManager(client: try client())
        let request = try api.request(.post, at: "a")
        #expect(request.body.isEmpty)
        #expect(request.headerFields[.contentType] == nil)
    }

    @Test func rejectsListAsForm() throws {
        let api = ObjectManager(client: try client())
        let list = RequestParameters([1, 2] as Document)
        let error = #expect(throws: NetworkingError.self) {
            try api.request(.post, at: "a", parameters: list)
        }
        #expect(error?.code == .invalidRequest)
        #expect(error?.stage == .assembly)
        try api.setRequestFormat(.json)
        #expect(body(try api.request(.post, at: "a", parameters: list)) == "[1,2]")
    }
}
