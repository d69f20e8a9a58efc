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

@Suite struct ParameterStyleTests {
    private static let parameters: RequestParameters = [
        "a": [1, 2], "b": true, "c": nil as Int?, "d": "x,y",
    ]

    private func manager(_ format: MediaType = .formURLEncoded) throws -> ObjectManager {
        try ObjectManager(
            client: HTTPClient(baseURL: "http://127.0.0.1:1/", transport: CurlTransport()),
            requestFormat: format)
    }

    private func request(
        _ method: HTTPRequest.Method, _ parameters: RequestParameters,
        object: RequestObject? = nil, _ style: ParameterStyle = ParameterStyle(),
        of api: ObjectManager
    ) throws -> TransportRequest {
        var request = ObjectRequest<Void>(
            method, at: "a", object: object, parameters: parameters)
        request.parameterStyle = style
        return try api.assemble(request).transportRequest
    }

    private func body(_ request: TransportRequest) -> String? {
        guard let bytes = request.body.bytes else { return nil }
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }

    @Test(arguments: [
        (ParameterStyle(), "a[]=1&a[]=2&b=1&c&d=x%2Cy"),
        (ParameterStyle(lists: .repeated), "a=1&a=2&b=1&c&d=x%2Cy"),
        (ParameterStyle(lists: .commas, nulls: .empty), "a=1,2&b=1&c=&d=x%2Cy"),
        (ParameterStyle(lists: .indices, booleans: .words), "a[0]=1&a[1]=2&b=true&c&d=x%2Cy"),
        (ParameterStyle(nulls: .omitted), "a[]=1&a[]=2&b=1&d=x%2Cy"),
    ])
    func writesQueriesAndForms(style: ParameterStyle, expected: String) throws {
        let api = try manager()
        // A URL has no brackets outside of its host.
        let inURL = expected.replacing("[", with: "%5B").replacing("]", with: "%5D")
        let query = try request(.get, Self.parameters, style, of: api)
        #expect(query.url.query == inURL)
        #expect(body(query) == nil)
        let form = try request(.post, Self.parameters, style, of: api)
        #expect(form.url.query == nil)
        #expect(body(form) == expected)
        // The default of a manager.
        api.configure { $0.parameterStyle = style }
        #expect(try request(.get, Self.parameters, of: api).url.query == inURL)
        #expect(body(try request(.put, Self.parameters, of: api)) == expected)
    }

    @Test func choiceOfRequestPrecedesManagerAndFormat() throws {
        let api = try manager()
        api.configure {
            $0.formats.register(
                FormFormat(style: FormStyle(lists: .repeated, booleans: .words, nulls: .omitted)),
                for: .formURLEncoded, isAccepted: false)
        }
        api.configure { $0.parameterStyle.lists = .commas }
        let style = ParameterStyle(booleans: .numbers)
        let expected = "a=1,2&b=1&d=x%2Cy"
        #expect(try request(.get, Self.parameters, style, of: api).url.query == expected)
        #expect(body(try request(.post, Self.parameters, style, of: api)) == expected)
    }

    @Test func styleOfFormAppliesToObjects() throws {
        let api = try manager()
        api.configure { $0.parameterStyle.lists = .repeated }
        let article = Article(id: 1, title: "a", author: nil, tags: ["x", "y"])
        let object = RequestObject(article)
        #expect(
            body(try request(.post, [:], object: object, of: api))
                == "id=1&tags=x&tags=y&title=a")
        #expect(
            body(try request(.post, ["n": 1], object: object, of: api))
                == "id=1&n=1&tags=x&tags=y&title=a")
        let authors = RequestParameters(["a": [["name": "x"]]] as Document)
        let error = #expect(throws: NetworkingError.self) {
            try request(.get, authors, of: api)
        }
        #expect(error?.code == .invalidRequest)
        #expect(error?.path == "a[0]")
        #expect("\(error as Any)".contains("brackets or indices"))
    }

    @Test func jsonKeepsItsOwnValues() throws {
        let api = try manager(.json)
        api.configure {
            $0.parameterStyle = ParameterStyle(lists: .commas, booleans: .words, nulls: .omitted)
        }
        #expect(
            body(try request(.post, Self.parameters, of: api))
                == #"{"a":[1,2],"b":true,"c":null,"d":"x,y"}"#)
    }

    // MARK: Places

    @Test(arguments: [
        ("POST", ParameterStyle.Placement.standard, false), ("POST", .query, true),
        ("POST", .body, false), ("PATCH", .query, true), ("QUERY", .standard, false),
        ("QUERY", .query, true), ("DELETE", .body, false), ("GET", .body, false),
    ])
    func placesParametersBesideObject(
        name: String, placement: ParameterStyle.Placement, isInQuery: Bool
    ) throws {
        let method = try #require(HTTPRequest.Method(name))
        let api = try manager(.json)
        let style = ParameterStyle(placement: placement)
        let object = RequestObject(Author(name: "Ann"))
        let both = try request(method, ["x": 1], object: object, style, of: api)
        #expect(both.url.query == (isInQuery ? "x=1" : nil))
        #expect(body(both) == (isInQuery ? #"{"name":"Ann"}"# : #"{"name":"Ann","x":1}"#))
        let alone = try request(method, ["x": 1], style, of: api)
        #expect(alone.url.query == (isInQuery ? "x=1" : nil))
        #expect(body(alone) == (isInQuery ? nil : #"{"x":1}"#))
        api.configure { $0.parameterStyle.placement = placement }
        #expect(try request(method, ["x": 1], of: api).url.query == (isInQuery ? "x=1" : nil))
    }

    @Test(arguments: [HTTPRequest.Method.delete, .get, .head])
    func objectThatIsNotUsedIsError(method: HTTPRequest.Method) throws {
        let api = try manager(.json)
        try api.add(
            Route(Author.self, "authors/:name"), Route(named: "all", "authors", methods: [.get]),
            Route(named: "one", "authors/:name", methods: [.get]))
        let object = RequestObject(Author(name: "Ann"))
        for object in [object, RequestObject(encoding: ["a": 1]), RequestObject([] as [Author])] {
            let error = #expect(throws: NetworkingError.self) {
                try request(method, [:], object: object, of: api)
            }
            #expect(error?.code == .invalidRequest)
            #expect(error?.causes.first?.contains("does not send the object") == true)
        }
        let routed = try api.assemble(ObjectRequest<Void>(method, at: .object, object: object))
        #expect(routed.transportRequest.url.path == "/authors/Ann")
        let named = try api.assemble(ObjectRequest<Void>(at: .route(named: "one"), object: object))
        #expect(named.transportRequest.url.path == "/authors/Ann")
        #expect(throws: NetworkingError.self) {
            try api.assemble(ObjectRequest<Void>(at: .route(named: "all"), object: object))
        }
    }

    @Test(arguments: [ParameterStyle.Placement.standard, .query])
    func placesParametersBesideChanges(placement: ParameterStyle.Placement) async throws {
        try await LoopbackServer.run({ _ in .json(#"{"name": "B"}"#) }) { server in
            let api = try RestNetworkingTests.manager(at: server.baseURL)
            api.configure { $0.parameterStyle.placement = placement }
            _ = try await api.patch(
                Author(name: "B"), changesSince: Author(name: "A"), at: "a"
            ) { $0.parameters = ["x": 1] }
            let request = try #require(server.requests.first)
            let isInQuery = placement == .query
            #expect(request.query == (isInQuery ? "x=1" : ""))
            #expect(
                String(decoding: request.body, as: UTF8.self)
                    == (isInQuery ? #"{"name":"B"}"# : #"{"name":"B","x":1}"#))
        }
    }

    // MARK: Parameters

    @Test func repeatedNameIsList() throws {
        let api = try manager()
        api.configure { $0.parameterStyle.lists = .repeated }
        let parameters: RequestParameters = ["a": 1, "b": "x", "a": "2", "a": nil as Int?]
        #expect(try request(.get, parameters, of: api).url.query == "a=1&a=2&a&b=x")
        try api.setRequestFormat(.json)
        #expect(
            body(try request(.post, parameters, of: api)) == #"{"a":[1,"2",null],"b":"x"}"#)
    }

    @Test func emptyObjectIsBodyUnlikeNoParameters() throws {
        let api = try manager(.json)
        #expect(body(try request(.post, RequestParameters([:] as Document), of: api)) == "{}")
        #expect(body(try request(.post, RequestParameters([String: Int]()), of: api)) == "{}")
        for parameters in [RequestParameters(), [:]] {
            let request = try request(.post, parameters, of: api)
            #expect(request.body.isEmpty && request.headerFields[.contentType] == nil)
        }
        let query = try request(.get, RequestParameters([:] as Document), of: api)
        #expect(query.url.text == "http://127.0.0.1:1/a" && query.body.isEmpty)
    }

    @Test(
        arguments: [
            (ParameterStyle(), ["tags[]": ["x", "y"], "on": ["1"], "none": [""]]),
            (
                ParameterStyle(lists: .indices),
                ["tags[0]": ["x"], "tags[1]": ["y"], "on": ["1"], "none": [""]]
            ),
            (
                ParameterStyle(lists: .repeated, booleans: .words, nulls: .omitted),
                ["tags": ["x", "y"], "on": ["true"]]
            ),
            (ParameterStyle(lists: .commas), ["tags": ["x,y"], "on": ["1"], "none": [""]]),
        ] as [(ParameterStyle, [String: [String]])])
    func writesFieldsOfMultipartForms(
        style: ParameterStyle, fields: [String: [String]]
    ) async throws {
        let api = try manager()
        var request = ObjectRequest<Void>(
            .post, at: "a",
            parameters: ["tags": ["x", "y"], "on": true, "none": nil as Int?])
        request.parameterStyle = style
        request.form = { try $0.addField("z", named: "last") }
        var bytes: [UInt8] = []
        for try await chunk in try api.assemble(request).transportRequest.body.chunks {
            bytes += chunk
        }
        let text = String(decoding: bytes, as: UTF8.self)
        for (name, values) in fields {
            for value in values {
                #expect(text.contains("name=\"\(name)\"\r\n\r\n\(value)\r\n"))
            }
        }
        let count = fields.values.reduce(1) { $0 + $1.count }
        #expect(text.ranges(of: "form-data; name=").count == count)
    }
}
