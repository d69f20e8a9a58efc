// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import RestCurl
import RestDocument
import RestMapping
import RestTransport
import TestSupport
import Testing

@testable import RestNetworking

@Suite struct ObjectWriterTests {
    private let user = Author(name: "Blake")
    private let address = Profile(name: "New York City", age: 7)

    // MARK: Lists

    @Test(.parity("N095")) func listWithoutRootKeysIsArray() throws {
        let text = try text([user, address], [descriptor(Author.self), descriptor(Profile.self)])
        #expect(text == #"[{"name":"Blake"},{"name":"New York City","age":7}]"#)
    }

    @Test(.parity("N096")) func listWithRootKeyIsArrayInObject() throws {
        let text = try text(
            [user, address],
            [descriptor(Author.self, "whatever"), descriptor(Profile.self, "whatever")])
        #expect(text == #"{"whatever":[{"name":"Blake"},{"name":"New York City","age":7}]}"#)
    }

    @Test(.parity("N097")) func singleObjectOfRootKeyIsObject() throws {
        let text = try text(
            [user, address], [descriptor(Author.self, "this"), descriptor(Profile.self, "that")])
        #expect(
            text == #"{"this":{"name":"Blake"},"that":{"name":"New York City","age":7}}"#)
    }

    @Test(.parity("N098")) func parametersAreMergedBesideRootKeys() throws {
        let text = try text(
            [user, address], [descriptor(Author.self, "this"), descriptor(Profile.self, "that")],
            ["extra": "info"])
        #expect(
            text
                == #"{"this":{"name":"Blake"},"that":{"name":"New York City","age":7},"#
                + #""extra":"info"}"#)
    }

    @Test(.parity("N099")) func listOfOneIsArray() throws {
        #expect(
            try text([user], [descriptor(Author.self, "whatever")])
                == #"{"whatever":[{"name":"Blake"}]}"#)
        #expect(try text([user], []) == #"[{"name":"Blake"}]"#)
    }

    @Test(.parity("N100")) func rejectsParametersBesideArray() throws {
        let error = #expect(throws: NetworkingError.self) {
            try text([user, address], [], ["name": "Foo"])
        }
        #expect(error?.code == .invalidRequest)
        #expect(error?.causes.first?.contains("root key") == true)
    }

    @Test(.parity("N101")) func rejectsObjectsWithAndWithoutRootKey() throws {
        let error = #expect(throws: NetworkingError.self) {
            try text([user, address], [descriptor(Author.self, "bang"), descriptor(Profile.self)])
        }
        #expect(error?.code == .invalidRequest)
    }

    @Test func emptyListIsEmptyArray() throws {
        let api = try manager()
        let request = { try api.request(for: [Author](), method: .post, at: "a") }
        #expect(body(of: try request()) == "[]")
        try api.add(descriptor(Author.self, "authors"))
        #expect(body(of: try request()) == #"{"authors":[]}"#)
    }

    @Test func namesPositionOfElementWithoutRepresentation() throws {
        let api = try manager()
        let ratings = [Rating(value: 1), Rating(value: .nan)]
        let error = #expect(throws: NetworkingError.self) {
            try api.request(for: ratings, method: .post, at: "a")
        }
        #expect(error?.path == "[1].value")
    }

    // MARK: Objects and parameters

    @Test(.parity("N144")) func sendsParametersAloneWithoutObject() throws {
        let api = try manager()
        try api.add(descriptor(Author.self, "this"))
        let request = try api.request(.post, at: "a", parameters: ["this": "that"])
        #expect(body(of: request) == #"{"this":"that"}"#)
    }

    @Test(.parity("N143")) func sendsParametersAloneWithoutDescriptorForMethod() throws {
        let api = try manager()
        try api.add(RequestDescriptor(Author.self, methods: [.put]))
        let request = try api.request(
            for: user, method: .post, at: "a", parameters: ["this": "that"])
        #expect(body(of: request) == #"{"this":"that"}"#)
        // Without parameters nothing would be sent.
        let error = #expect(throws: NetworkingError.self) {
            try api.request(for: user, method: .post, at: "a")
        }
        #expect(error?.code == .noMatchingDescriptor)
    }

    @Test func parametersReplaceValuesAtEveryDepth() throws {
        let api = try manager()
        let article = Article(id: 1, title: "a", author: user, tags: ["x", "y"])
        let request = try api.request(
            for: article, method: .put, at: "a",
            parameters: ["title": "b", "author": ["role": "editor"], "tags": ["z"], "new": 1])
        #expect(
            body(of: request)
                == #"{"id":1,"title":"b","author":{"name":"Blake","role":"editor"},"#
                + #""tags":["z"],"new":1}"#)
    }

    @Test func rootKeyIsOneKey() throws {
        let api = try manager()
        try api.add(descriptor(Author.self, "a.b"))
        let request = try api.request(for: user, method: .post, at: "a")
        #expect(body(of: request) == #"{"a.b":{"name":"Blake"}}"#)
    }

    @Test(arguments: [HTTPRequest.Method.get, .delete, .head, .options])
    func sendsNoObjectWithoutBody(method: HTTPRequest.Method) throws {
        let api = try manager()
        try api.add(Route(Author.self, "a/:name"))
        let request = try api.request(for: user, method: method, parameters: ["x": "y"])
        #expect(request.url.text == "http://127.0.0.1:1/a/Blake?x=y")
        #expect(request.body.isEmpty)
        #expect(request.headerFields[.contentType] == nil)
    }

    @Test(.parity("S022"), arguments: [HTTPRequest.Method.post, .put, .patch])
    func sendsObjectInBody(method: HTTPRequest.Method) throws {
        let api = try manager()
        let request = try api.request(for: user, method: method, at: "a?b=c")
        #expect(request.url.text == "http://127.0.0.1:1/a?b=c")
        #expect(body(of: request) == #"{"name":"Blake"}"#)
        #expect(request.headerFields[.contentType] == "application/json")
        try api.add(Route(Author.self, "a"))
        for method in [HTTPRequest.Method.get, .delete] {
            let request = try api.request(for: user, method: method, parameters: ["x": 1])
            #expect(request.url.query == "x=1")
            #expect(request.body.isEmpty)
        }
    }

    @Test(.parity("N142")) func sendsNilAttributeAsBareKey() throws {
        let api = try ObjectManager(
            client: HTTPClient(baseURL: "http://localhost:4567", transport: CurlTransport()))
        try api.add(
            RequestDescriptor(RequestMapping(for: Profile.self, ["name"]), rootKey: "human"))
        let request = try api.request(
            for: Profile(name: nil), method: .patch, at: "/the/path",
            parameters: ["key": "value"])
        #expect(request.url.text == "http://localhost:4567/the/path")
        #expect(request.method == .patch)
        #expect(body(of: request) == "human[name]&key=value")
        #expect(
            request.headerFields[.contentType]
                == "application/x-www-form-urlencoded; charset=utf-8")
    }

    @Test func writesFormOfObject() throws {
        let api = try ObjectManager(
            client: HTTPClient(baseURL: "http://localhost:4567", transport: CurlTransport()))
        let article = Article(id: 1, title: "a b", author: user, tags: ["x", "y"])
        let request = try api.request(for: article, method: .post, at: "a")
        #expect(
            body(of: request) == "author[name]=Blake&id=1&tags[]=x&tags[]=y&title=a%20b")
        let error = #expect(throws: NetworkingError.self) {
            try api.request(for: [article], method: .post, at: "a")
        }
        #expect(error?.code == .invalidRequest)
    }

    @Test func rejectsObjectWithoutRepresentation() throws {
        let api = try manager()
        let error = #expect(throws: NetworkingError.self) {
            try api.request(
                for: Rating(value: .infinity), method: .post, at: "a", parameters: ["x": 1])
        }
        #expect(error?.code == .invalidRequest)
        #expect(error?.stage == .assembly)
        #expect(error?.path == "value")
        #expect(error?.underlying is MappingError)
    }

    // MARK: Encodable

    @Test func encodesCodableObjectWithManagersEncoder() throws {
        let api = try manager()
        let request = ObjectRequest<Void>(
            .post, at: "a", object: RequestObject(encoding: Invitation(email: "a@b", note: nil)),
            parameters: ["extra": 1])
        #expect(
            body(of: try api.assemble(request).transportRequest)
                == #"{"email":"a@b","extra":1}"#)
        api.configure { $0.encoder.keyEncodingStrategy = .convertToSnakeCase }
        struct Draft: Encodable { var sentAt = "x" }
        let draft = ObjectRequest<Void>(
            .post, at: "a", object: RequestObject(encoding: Draft()))
        #expect(body(of: try api.assemble(draft).transportRequest) == #"{"sent_at":"x"}"#)
    }

    // MARK: ObjectMappable

    @Test(.parity("S105", "S106")) func sendsObjectMappableByItsDeclarations() throws {
        let api = try manager()
        let project = Project(title: "P", lead: user)
        let request = try api.request(
            for: project, method: .post, at: "a", parameters: ["extra": 1])
        #expect(
            body(of: request)
                == #"{"project_title":"P","lead":{"name":"Blake"},"extra":1,"sent":true}"#)
        #expect(
            body(of: try api.request(for: [project], method: .post, at: "a"))
                == #"[{"project_title":"P","lead":{"name":"Blake"},"sent":true}]"#)
    }

    // MARK: Helpers

    private func descriptor(
        _ type: (some MappingSubject).Type, _ rootKey: String? = nil
    ) -> RequestDescriptor {
        RequestDescriptor(type, rootKey: rootKey)
    }

    private func text(
        _ objects: [any RequestSubject], _ descriptors: [RequestDescriptor],
        _ parameters: RequestParameters = [:]
    ) throws -> String {
        let api = try manager()
        try api.add(descriptors)
        let request = ObjectRequest<Void>(
            .post, at: "a", object: RequestObject(objects), parameters: parameters)
        return body(of: try api.assemble(request).transportRequest)
    }

    private func manager() throws -> ObjectManager {
        try ObjectManager(
            client: HTTPClient(baseURL: "http://127.0.0.1:1/", transport: CurlTransport()),
            requestFormat: .json)
    }
}
