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
    func addsToAQuery(path: String, expected: String) throws {
        let assembler = try assembler()
        #expect(try assembler.path(path, adding: ["x": 1]) == expected)
        #expect(try assembler.path(path, adding: [:]) == path)
        #expect(try assembler.path(path, adding: ["x": []]) == path)
    }

    @Test(arguments: [("\"secret\"", ""), ("[1]", ""), ("null", ""), (deep, "a[0][0]")])
    func refusesParametersThatAreNoForm(text: String, path: String) throws {
        let parameters = try Document(parsing: text)
        let assembler = try assembler()
        let error = try #require(throws: NetworkingError.self) {
            try assembler.request(.get, at: "a", parameters: parameters)
        }
        #expect(error.code == .invalidRequest)
        #expect(error.path?.description.hasPrefix(path) == true)
        #expect(error.underlying is DocumentError)
        #expect(!error.description.contains("secret"))
    }

    @Test func saysWhatItAccepts() throws {
        var configuration = try assembler().configuration
        configuration.formats.register(FormFormat(), for: "text/x-form", "text/*")
        let request = try RequestAssembler(configuration: configuration)
            .request(.get, at: "a", parameters: [:])
        #expect(request.headerFields[.accept] == "text/x-form, application/json")
        configuration.formats = FormatRegistry()
        let other = try RequestAssembler(configuration: configuration)
            .request(.get, at: "a", parameters: [:])
        #expect(other.headerFields[.accept] == nil)
    }

    @Test func parametersOfAPageReplaceTheirNames() throws {
        let numbering = PageNumbering(
            parameter: "page", size: 2, sizeParameter: "n", first: 1, end: .emptyPage)
        let parameters = numbering.parameters(ofPage: 3, with: ["n": 9, "q": ["x"], "page": nil])
        #expect(try FormFormat().text(of: parameters) == "n=2&page=3&q[]=x")
        #expect(parameters.root.members.map(\.key) == ["q", "page", "n"])
    }

    private static let deep =
        #"{"a":"# + String(repeating: "[", count: 40) + String(repeating: "]", count: 40) + "}"

    private func assembler() throws -> RequestAssembler {
        let client = try HTTPClient(baseURL: "http://127.0.0.1:1/", transport: CurlTransport())
        return RequestAssembler(configuration: ObjectManagerConfiguration(client: client))
    }
}
