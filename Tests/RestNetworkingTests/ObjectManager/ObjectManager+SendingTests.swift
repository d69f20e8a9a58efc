// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import InMemoryLogging
import Logging
import RestCurl
import RestDocument
import RestMapping
import RestTesting
import RestTransport
import Synchronization
import TestSupport
import Testing

@testable import RestNetworking

@Suite(.tags(.socket)) struct ObjectManagerSendingTests {
    // MARK: Values

    @Test func returnsValueHeadAndReportTogether() async throws {
        try await serve(.json(#"{"id": "7", "title": "a"}"#, status: 201)) { api, server in
            let response = try await api.send(ObjectRequest<Article>(at: "articles/7"))
            #expect(response.value.id == 7)
            #expect(response.head.status == .created)
            #expect(response.url.text == server.baseURL + "articles/7")
            #expect(response.report.objectCount == 1)
            #expect(response.report.coercionCount == 1)
            #expect(response.origin == .network)
        }
    }

    @Test(.parity("S040", "S042"))
    func sendsEachMethodWithObjectAndParameters() async throws {
        try await serve(.json(#"{"name": "after"}"#)) { api, server in
            let author = Author(name: "before")
            let posted: Author = try await api.post(author, at: "authors")
            let put: Author = try await api.put(author, at: "authors/1", parameters: ["x": 1])
            let patched: Author = try await api.patch(author, at: "authors/1")
            let got: Author = try await api.get("authors/1", parameters: ["x": 1])
            try api.add(Route(Author.self, "authors/1", methods: .delete))
            try await api.delete(author, parameters: ["x": 1])
            #expect([posted, put, patched, got].map(\.name) == Array(repeating: "after", count: 4))
            #expect(server.requests.map(\.method) == ["POST", "PUT", "PATCH", "GET", "DELETE"])
            #expect(
                server.requests.map { String(decoding: $0.body, as: UTF8.self) }
                    == [
                        #"{"name":"before"}"#, #"{"name":"before","x":1}"#,
                        #"{"name":"before"}"#, "", "",
                    ])
            #expect(server.requests.map(\.query) == ["", "", "", "x=1", "x=1"])
        }
    }

    @Test func readsCodableValuesWithoutDescriptor() async throws {
        let body = #"[{"email": "a@b", "note": "x"}, {"email": "c@d"}]"#
        let expected = [
            Invitation(email: "a@b", note: "x"), Invitation(email: "c@d", note: nil),
        ]
        try await serve(.json(body)) { api, server in
            let invitations: [Invitation] = try await api.get("invitations")
            #expect(invitations == expected)
            #expect(try await api.getObjects(Invitation.self, at: "invitations") == expected)
            let response = try await api.send(
                ObjectRequest<[Invitation]>(.post, at: "invitations"))
            #expect(response.value == expected)
            let echoed: [Invitation] = try await api.post(expected[0], at: "invitations")
            #expect(echoed == expected)
            #expect(
                String(decoding: server.requests[3].body, as: UTF8.self)
                    == #"{"email":"a@b","note":"x"}"#)
        }
        try await serve(.json(#"{"data": [{"email": "a@b"}]}"#)) { api, _ in
            let found = try await api.getObjects(Invitation.self, at: "a", keyPath: "data")
            #expect(found == [Invitation(email: "a@b")])
            // A descriptor for the elements is one for the list.
            try api.add(ResponseDescriptor(CodableMapping(for: Invitation.self), keyPath: "data"))
            let list: [Invitation] = try await api.get("a")
            #expect(list == [Invitation(email: "a@b")])
        }
    }

    @Test func namesPathOfValueThatCannotBeDecoded() async throws {
        try await serve(.json(#"[{"email": "a"}, {"email": 1}]"#)) { api, _ in
            let error = await networkingError {
                try await api.get("a", as: [Invitation].self)
            }
            #expect(error?.code == .mappingFailed)
            #expect(error?.path == "[1].email")
        }
    }

    @Test func readsDocumentWithoutMapping() async throws {
        try await serve(.json(#"{"a": {"b": [1, null]}}"#)) { api, _ in
            let whole: Document = try await api.get("a")
            #expect(whole.debugDescription == #"{"a":{"b":[1,null]}}"#)
            let part: Document = try await api.get("a", keyPath: "a.b")
            #expect(part.debugDescription == "[1,null]")
        }
    }

    @Test func keyPathOfCallReplacesThatOfDescriptor() async throws {
        let body = #"{"data": {"name": "a"}, "other": {"name": "b"}}"#
        try await serve(.json(body)) { api, _ in
            let plain: Author = try await api.get("a", keyPath: "data")
            #expect(plain.name == "a")
            try api.add(ResponseDescriptor(Author.self, keyPath: "data"))
            let other: Author = try await api.get("a", keyPath: "other")
            #expect(other.name == "b")
        }
    }

    @Test(arguments: ["text/html", "application/json", nil])
    func ignoresBodyThatNobodyWants(type: String?) async throws {
        let answer = LoopbackResponse(
            headers: type.map { [("Content-Type", $0)] } ?? [], body: Array("<p>done".utf8))
        try await serve(answer) { api, server in
            try api.add(ResponseDescriptor(Author.self, at: "elsewhere"))
            try await api.post("jobs", parameters: ["name": "x"])
            try await api.delete("jobs/1")
            try await api.put(Author(name: "x"), at: "jobs/1")
            #expect(server.requests.count == 3)
        }
        try await serve(.json("{}", status: 500)) { api, _ in
            let error = await networkingError { try await api.delete("jobs/1") }
            #expect(error?.code == .unexpectedStatus)
        }
    }

    @Test(.parity("N227"), arguments: ["", nil] as [String?])
    func acceptsEmptyBodyWithoutContentType(type: String?) async throws {
        let answer = LoopbackResponse(headers: type.map { [("Content-Type", $0)] } ?? [])
        try await serve(answer) { api, server in
            let value: Author? = try await api.get("a")
            #expect(value == nil)
            #expect(server.requests.map(\.method) == ["GET"])
            let response = try await api.response(to: api.request(.get, at: "a"))
            #expect(response.head.status == .ok)
            #expect(response.head.headerFields[.contentType] == type)
        }
    }

    // MARK: Options of one call

    @Test func setsPropertiesOfOneCall() async throws {
        try await serve(.json(#"{"name": "a"}"#)) { api, server in
            let name = HTTPField.Name("X-Trace")!
            let _: Author = try await api.get("a") { request in
                request.headerFields[name] = "1"
                request.headerFields[.accept] = "application/vnd.api+json"
                request.idempotencyKey = "k"
                request.timeout = .seconds(5)
            }
            let _: Author = try await api.get("a")
            let (first, second) = (server.requests[0].headers, server.requests[1].headers)
            #expect(first["x-trace"] == "1" && second["x-trace"] == nil)
            #expect(first["accept"] == "application/vnd.api+json")
            #expect(second["accept"] == "application/json")
            #expect(first["idempotency-key"] == "k" && second["idempotency-key"] == nil)
        }
    }

    @Test func assemblesLimitsPolicyPrincipalAndProgress() throws {
        let api = try manager(at: "http://127.0.0.1:1/")
        let progress = ProgressObserver { _ in }
        var request = ObjectRequest<Void>(.post, at: "a", parameters: ["q": "x"])
        request.timeout = .seconds(5)
        request.cachePolicy = .revalidate
        request.principal = Principal("ann")
        request.progress = progress
        request.priority = .high
        let copy = request
        request.timeout = nil
        let assembled = try api.assemble(copy)
        #expect(assembled.transportRequest.limits?.totalTimeout == .seconds(5))
        #expect(assembled.transportRequest.cachePolicy == .revalidate)
        #expect(assembled.transportRequest.principal == Principal("ann"))
        #expect(assembled.transportRequest.progress === progress)
        #expect(assembled.priority == .high)
        #expect(try api.assemble(request).transportRequest.limits == nil)
        request.idempotencyKey = "a\nb"
        #expect(code { try api.assemble(request) } == .invalidRequest)
    }

    // MARK: Forms

    @Test(.parity("N174", "S024")) func postsMultipartForm() async throws {
        try await LoopbackServer.run { request in
            let body = String(decoding: request.body, as: UTF8.self)
            let isForm =
                request.method == "POST" && request.path == "/api/upload/"
                && request.headers["content-type"]?.hasPrefix("multipart/form-data; ") == true
                && body.contains("name=\"file\"; filename=\"blake.png\"\r\nContent-Type: image/png")
            return isForm ? .json(#"{"name": "Blake"}"#) : .json("{}", status: 400)
        } body: { server in
            let api = try manager(at: String(server.baseURL.dropLast()))
            try api.add(ResponseDescriptor(Author.self, at: "/api/upload/"))
            let author: Author = try await api.post("/api/upload/", parameters: ["a": 1]) {
                $0.headerFields[.userAgent] = "configured"
            } form: { form in
                try form.addData(
                    [0x89, 0x50, 0x4E, 0x47], named: "file", fileName: "blake.png",
                    contentType: "image/png")
            }
            #expect(author == Author(name: "Blake"))
            #expect(server.requests.first?.headers["user-agent"] == "configured")
            let request = try api.multipartRequest(
                for: Article(id: 1, title: "t", author: Author(name: "Ann"), tags: ["x", "y"]),
                at: "/api/upload/", parameters: ["id": nil]
            ) { form in try form.addField("v", named: "n") }
            let text = String(decoding: try await bytes(of: request.body), as: UTF8.self)
            let fields = ["id", "title", "author[name]", "tags[]", "tags[]", "n"]
            let values = ["", "t", "Ann", "x", "y", "v"]
            for (field, value) in zip(fields, values) {
                #expect(text.contains("name=\"\(field)\"\r\n\r\n\(value)\r\n"))
            }
            #expect(text.components(separatedBy: "Content-Disposition").count - 1 == fields.count)
        }
    }

    @Test(.parity("S024")) func routesFormOfParameterizedObject() throws {
        let api = try manager(at: "http://127.0.0.1:1/")
        try api.add(Route(Article.self, "articles/:id/copies", methods: .post))
        try api.add(Route(Article.self, "articles/:id", methods: .put))
        try api.add(RequestDescriptor(Article.self, methods: .post, rootKey: "article"))
        let article = Article(id: 7, title: "t", author: Author(name: "Ann"), tags: ["x"])
        func text(_ request: TransportRequest) -> String {
            String(decoding: request.body.bytes ?? [], as: UTF8.self)
        }
        let posted = try api.multipartRequest(for: article) { try $0.addField("v", named: "n") }
        #expect(posted.method == .post && posted.url.path == "/articles/7/copies")
        let fields = ["article[id]", "article[title]", "article[author][name]", "article[tags][]"]
        for (field, value) in zip(fields + ["n"], ["7", "t", "Ann", "x", "v"]) {
            #expect(text(posted).contains("name=\"\(field)\"\r\n\r\n\(value)\r\n"))
        }
        #expect(text(posted).components(separatedBy: "Content-Disposition").count - 1 == 5)
        // The route and the descriptor are those of the method.
        let put = try api.multipartRequest(for: article, method: .put) {
            try $0.addField("v", named: "n")
        }
        #expect(put.method == .put && put.url.path == "/articles/7")
        #expect(text(put).components(separatedBy: "Content-Disposition").count - 1 == 1)
        #expect(text(put).contains("name=\"n\"\r\n\r\nv\r\n"))
        let error = #expect(throws: NetworkingError.self) {
            try api.multipartRequest(for: article, method: .patch) {
                try $0.addField("v", named: "n")
            }
        }
        #expect(error?.code == .noMatchingRoute)
    }

    @Test(.parity("S025"), arguments: [HTTPRequest.Method.get, .head, .options])
    func rejectsFormOfMethodWithoutBody(method: HTTPRequest.Method) throws {
        let api = try manager(at: "http://127.0.0.1:1/")
        let error = #expect(throws: NetworkingError.self) {
            try api.multipartRequest(for: nil, method: method, at: "a") { form in
                try form.addField("v", named: "n")
            }
        }
        #expect(error?.code == .invalidRequest)
        for allowed in [HTTPRequest.Method.post, .put, .delete, .patch] {
            let request = try api.multipartRequest(for: nil, method: allowed, at: "a") { form in
                try form.addField("v", named: "n")
            }
            #expect(!request.body.isEmpty)
        }
    }

    @Test(.parity("S006")) func writesListsInForms() throws {
        let api = try manager(at: "http://127.0.0.1:1/")
        let authors = [Author(name: "a"), Author(name: "b")]
        let error = #expect(throws: NetworkingError.self) {
            try api.multipartRequest(for: authors, at: "a") { _ in }
        }
        #expect(error?.code == .invalidRequest)
        #expect(error?.causes.first?.contains("root key") == true)
        try api.add(RequestDescriptor(Author.self, rootKey: "authors"))
        let request = try api.multipartRequest(for: authors, at: "a") { form in
            try form.addField("v", named: "n")
        }
        let text = String(decoding: request.body.bytes ?? [], as: UTF8.self)
        #expect(text.contains("name=\"authors[][name]\"\r\n\r\na\r\n"))
        #expect(text.contains("name=\"authors[][name]\"\r\n\r\nb\r\n"))
    }

    @Test func emptyFormIsOrdinaryRequest() throws {
        let api = try manager(at: "http://127.0.0.1:1/")
        let request = try api.multipartRequest(for: nil, at: "a") { _ in }
        #expect(request.body.isEmpty && request.headerFields[.contentType] == nil)
    }

    @Test func errorOfFormIsErrorOfRequest() async throws {
        let api = try manager(at: "http://127.0.0.1:1/")
        let error = await networkingError {
            try await api.post(
                "photos", form: { try $0.addFile(at: "/no/such/file", named: "file") })
        }
        #expect(error?.code == .invalidRequest)
        #expect((error?.underlying as? TransportError)?.code == .bodyUnavailable)
    }

    // MARK: Paths

    @Test func matchesDescriptorsWithPathThatWasAskedFor() async throws {
        try await LoopbackServer.run({ request in
            request.path == "/repos/a/issues"
                ? .redirect(301, to: "/repositories/1/issues")
                : .json(#"{"items": [{"name": "a"}]}"#)
        }) { server in
            let api = try manager(at: server.baseURL)
            try api.add(
                ResponseDescriptor(Author.self, at: "repos/:owner/issues", keyPath: "items"))
            let response = try await api.send(ObjectRequest<[Author]>(at: "repos/a/issues"))
            #expect(response.value == [Author(name: "a")])
            #expect(response.url.text == server.baseURL + "repositories/1/issues")
            // Asked for directly, that path has no descriptor, which the error says.
            let error = await networkingError {
                try await api.get("repositories/1/issues", as: [Author].self)
            }
            #expect(error?.code == .mappingFailed)
            #expect(
                error?.causes.last?.contains(#"another is Author at "repos/:owner/issues""#) == true
            )
        }
    }

    // MARK: willMapDocument

    @Test(.parity("N259", "S081")) func mapsReplacedDocument() async throws {
        try await serve(.json(#"{"user": {"name": "before"}}"#)) { api, _ in
            try api.add(ResponseDescriptor(Author.self, keyPath: "user"))
            let replaced: Author = try await api.get("a") { request in
                request.willMapDocument = { document in
                    #expect(document.root["user"]?["name"]?.string == "before")
                    return ["user": ["name": "after"]]
                }
            }
            #expect(replaced.name == "after")
            let unchanged: Author = try await api.get("a") { $0.willMapDocument = { $0 } }
            #expect(unchanged.name == "before")
            let error = await networkingError {
                let _: Author = try await api.get("a") { $0.willMapDocument = { _ in "text" } }
            }
            #expect(error?.code == .mappingDeclined)
        }
    }

    @Test(.parity("S080")) func declinesMapping() async throws {
        try await serve(.json(#"{"name": "a"}"#)) { api, _ in
            let error = await networkingError {
                let _: Author = try await api.get("a") { $0.willMapDocument = { _ in nil } }
            }
            #expect(error?.code == .mappingDeclined)
            #expect(error?.status == 200)
            #expect(String(decoding: error?.body ?? [], as: UTF8.self) == #"{"name": "a"}"#)
            let thrown = await networkingError {
                let _: Author = try await api.get("a") {
                    $0.willMapDocument = { _ in throw Refusal(message: "no") }
                }
            }
            #expect(thrown?.underlying is Refusal)
        }
    }

    // MARK: Issues

    private static let badDate = #"{"id": 1, "title": "a", "author": 5, "tags": ["t", {}]}"#

    @Test func deliversIssuesOfEveryCall() async throws {
        try await serve(.json(Self.badDate)) { api, server in
            let notices = Notices()
            api.configure { $0.onIssues = { notice in notices.all.withLock { $0.append(notice) } } }
            let _: Article = try await api.get("a?key=secret")
            _ = try await api.getObjects(Article.self, at: "a")
            let request = ObjectRequest<MappingResult>(at: "a")
            _ = try await api.send(request, updating: Article(id: 1, title: "b"))
            try api.add(ResponseDescriptor(Article.self))
            _ = try await api.getObjects(at: "a")
            for try await _ in api.pages(of: Article.self, at: "a", by: .linkHeader) {}
            let found = notices.all.withLock { $0 }
            #expect(found.count == 5)
            #expect(found.allSatisfy { $0.report.issues.first?.path == "author" })
            #expect(found.map(\.status) == [200, 200, 200, 200, 200])
            let url = server.baseURL + "a"
            #expect(found.map(\.url) == [url + "?…", url, url, url, url])
        }
    }

    @Test func deliversIssuesOfFailedMapping() async throws {
        try await serve(.json(#"[{"id": 1, "title": "a", "author": 5}, {"id": 2}]"#)) { api, _ in
            let notices = Notices()
            api.configure { $0.onIssues = { notice in notices.all.withLock { $0.append(notice) } } }
            let error = await networkingError { try await api.get("a", as: [Article].self) }
            #expect(error?.code == .mappingFailed)
            #expect(notices.all.withLock { $0.count } == 1)
        }
    }

    @Test func deliversIssuesOfErrorBody() async throws {
        let body = #"{"message": "no", "code": "x"}"#
        try await serve(.json(body, status: 422)) { api, server in
            let notices = Notices()
            api.configure { $0.onIssues = { notice in notices.all.withLock { $0.append(notice) } } }
            try api.add(ResponseDescriptor(Refusal.self, statusCodes: .error))
            let error = await networkingError { try await api.get("a", as: Article.self) }
            #expect(error?.mappedErrors as? [Refusal] == [Refusal(message: "no", code: nil)])
            #expect(error?.mappingReport.issues.map(\.path) == ["code"])
            _ = await networkingError {
                try await api.download("a", to: NSTemporaryDirectory() + UUID().uuidString)
            }
            _ = await networkingError { try await api.enqueue(ObjectRequest<Void>(at: "a")).value }
            let found = notices.all.withLock { $0 }
            #expect(found.count == 3)
            #expect(found.map(\.status) == [422, 422, 422])
            #expect(found.map(\.url) == Array(repeating: server.baseURL + "a", count: 3))
            #expect(found.allSatisfy { $0.report.issues.map(\.path) == ["code"] })
        }
    }

    @Test func logsIssuesWithoutValuesByDefault() async throws {
        let secret = #"{"id": 1, "title": "a", "author": "s3cret", "tags": []}"#
        try await serve(.json(secret)) { api, _ in
            let log = InMemoryLogHandler()
            api.configure { $0.logger = Logger(label: "test") { _ in log } }
            let _: Article = try await api.get("a?key=s3cret")
            #expect(log.entries.count == 1)
            let entry = try #require(log.entries.first)
            #expect(entry.level == .warning)
            #expect("\(entry.message)" == "mapping issues")
            #expect("\(entry.metadata)".contains("at author: Article.author expected"))
            #expect(!"\(entry.metadata)".contains("s3cret"))
        }
    }

    // MARK: Helpers

    private func serve(
        _ answer: LoopbackResponse, _ work: (ObjectManager, LoopbackServer) async throws -> Void
    ) async throws {
        try await LoopbackServer.run({ _ in answer }) { server in
            let api = try manager(at: server.baseURL)
            try api.setRequestFormat(.json)
            try await work(api, server)
        }
    }

    private func bytes(of body: MessageBody) async throws -> [UInt8] {
        try #require(body.bytes)
    }
}

/// The issues that a manager reported.
private final class Notices: Sendable {
    let all = Mutex<[ReportedIssues]>([])
}
