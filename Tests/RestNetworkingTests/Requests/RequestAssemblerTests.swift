// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestCurl
import RestDocument
import RestTransport
import TestSupport
import Testing

@testable import RestNetworking

@Suite struct RequestAssemblerTests {
    @Test(arguments: [
        ("a", "a?x=1"), ("a?", "a?x=1"), ("a?y=2", "a?y=2&x=1"), ("a?y=2&", "a?y=2&x=1"),
    ])
    func addsParametersToQuery(path: String, expected: String) throws {
        let assembler = try assembler()
        #expect(try assembler.path(path, adding: ["x": 1], ParameterStyle()) == expected)
        #expect(try assembler.path(path, adding: [:], ParameterStyle()) == path)
        #expect(try assembler.path(path, adding: ["x": []], ParameterStyle()) == path)
    }

    @Test(arguments: [("\"secret\"", ""), ("[1]", ""), ("null", ""), (deep, "a[0][0]")])
    func rejectsParametersThatAreNotForm(text: String, path: String) throws {
        let parameters = try Document(parsing: text)
        let assembler = try assembler()
        let error = try #require(throws: NetworkingError.self) {
            try assembler.assemble(
                ObjectRequest<Void>(.get, at: "a", parameters: RequestParameters(parameters)))
        }
        #expect(error.code == .invalidRequest)
        #expect(error.path?.description.hasPrefix(path) == true)
        #expect(error.underlying is DocumentError)
        #expect(!error.description.contains("secret"))
    }

    @Test(arguments: [
        (HTTPRequest.Method.delete, "channels/#general"), (.get, "#"), (.post, "a?b=1#c"),
        (.get, "http://127.0.0.1:1/a#b"),
    ])
    func rejectsNumberSignInPath(method: HTTPRequest.Method, path: String) throws {
        let error = try #require(throws: NetworkingError.self) {
            try assembler().assemble(ObjectRequest<Void>(method, at: path, parameters: ["x": 1]))
        }
        #expect(error.code == .invalidRequest)
        #expect(error.causes == ["the path contains a number sign; write it as %23"])
        let encoded = try assembler().assemble(
            ObjectRequest<Void>(method, at: path.replacing("#", with: "%23")))
        #expect(encoded.transportRequest.url.fragment == nil)
        #expect(encoded.transportRequest.url.text.contains("%23"))
    }

    @Test func sendsAcceptHeaderOfFormats() throws {
        var configuration = try assembler().configuration.value
        configuration.formats.register(FormFormat(), for: "text/x-form", "text/*")
        let request = try RequestAssembler(configuration: ConfigurationSnapshot(configuration))
            .assemble(ObjectRequest<Void>(at: "a"))
        #expect(request.transportRequest.headerFields[.accept] == "text/x-form, application/json")
        configuration.formats = FormatRegistry()
        let other = try RequestAssembler(configuration: ConfigurationSnapshot(configuration))
            .assemble(ObjectRequest<Void>(at: "a"))
        #expect(other.transportRequest.headerFields[.accept] == nil)
    }

    private static let deep =
        #"{"a":"# + String(repeating: "[", count: 40) + String(repeating: "]", count: 40) + "}"

    private func assembler() throws -> RequestAssembler {
        let client = try HTTPClient(baseURL: "http://127.0.0.1:1/", transport: CurlTransport())
        return RequestAssembler(
            configuration: ConfigurationSnapshot(ObjectManagerConfiguration(client: client)))
    }
}
