// SPDX-License-Identifier: Apache-2.0

import RestDefinition
import RestDocument
import RestInference
import Testing

@Suite struct HARTests {
    private static let archive = #"""
        {"log": {"version": "1.2", "entries": [
          {"request": {"method": "GET", "url": "https://api.example.com/v1/users?access_token=s3cret&page=1&limit=2",
            "headers": [{"name": "Authorization", "value": "Bearer s3cret"}, {"name": "Cookie", "value": "sid=s3cret"}]},
           "response": {"status": 200, "headers": [{"name": "X-Total-Count", "value": "5"},
             {"name": "Set-Cookie", "value": "sid=s3cret"}, {"name": "ETag", "value": "\"s3cret\""}],
            "content": {"mimeType": "application/json; charset=utf-8",
             "text": "[{\"id\": 1, \"name\": \"Ada\"}, {\"id\": 2, \"name\": \"Bob\"}]"}}},
          {"request": {"method": "GET", "url": "https://api.example.com/v1/users?access_token=s3cret&page=2&limit=2",
            "headers": [{"name": "authorization", "value": "Bearer s3cret"}]},
           "response": {"status": 200, "headers": [], "content": {"mimeType": "application/json", "encoding": "base64",
             "text": "W3siaWQiOiAzLCAibmFtZSI6ICJFdmUifV0="}}},
          {"request": {"method": "GET", "url": "https://api.example.com/v1/users/1/posts", "headers": []},
           "response": {"status": 200, "headers": [], "content": {"mimeType": "application/json",
             "text": "[{\"id\": 10, \"user_id\": 1, \"text\": \"Hi\"}]"}}},
          {"request": {"method": "GET", "url": "https://api.example.com/v1/users/2/posts", "headers": []},
           "response": {"status": 200, "headers": [], "content": {"mimeType": "application/json",
             "text": "[{\"id\": 11, \"user_id\": 2, \"text\": \"Ho\"}]"}}},
          {"request": {"method": "GET", "url": "https://api.example.com/v1/users/3", "headers": []},
           "response": {"status": 200, "headers": [], "content": {"mimeType": "application/json",
             "text": "{\"id\": 3, \"name\": \"Eve\"}"}}},
          {"request": {"method": "POST", "url": "https://api.example.com/v1/login", "headers": []},
           "response": {"status": 200, "headers": [], "content": {"mimeType": "application/json",
             "text": "{\"id\": 1, \"token\": \"s3cret\"}"}}},
          {"request": {"method": "GET", "url": "https://stats.example.org/collect", "headers": []},
           "response": {"status": 200, "headers": [], "content": {"mimeType": "application/json", "text": "{\"ok\": true}"}}},
          {"request": {"method": "GET", "url": "https://api.example.com/v1/missing", "headers": []},
           "response": {"status": 404, "headers": [], "content": {"mimeType": "application/json", "text": "{\"id\": 9}"}}},
          {"request": {"method": "GET", "url": "https://api.example.com/logo.png", "headers": []},
           "response": {"status": 200, "headers": [], "content": {"mimeType": "image/png", "text": "AAAA"}}}
        ]}}
        """#

    @Test func readsResourcesParentsAndCredentials() throws {
        let result = try HARInference.result(of: Document(parsing: Self.archive))
        let definition = result.definition
        #expect(definition.diagnostics() == [])
        #expect(definition.api.base == "https://api.example.com/v1/")
        #expect(definition.api.authentication == .bearer([.environment("API_TOKEN")]))
        #expect(definition.resources.map(\.name) == ["users", "posts"])
        #expect(
            definition.resources[0].pagination?.rule == .pageNumber(parameter: "page", first: 1))
        #expect(definition.resources[0].pagination?.size == .init(2, parameter: "limit"))
        #expect(definition.resources[0].pagination?.total == .header("X-Total-Count"))
        #expect(definition.resources[1].path.description == "users/{users.id}/posts")
        #expect(definition.entities.map(\.name) == ["User", "Post"])
        #expect(definition.entity(named: "Post")?.relation(named: "user")?.entity == "User")
    }

    @Test func dropsSecretsWhileReading() throws {
        let result = try HARInference.result(of: Document(parsing: Self.archive))
        #expect(!result.yaml().contains("s3cret"))
        #expect(!result.yaml().contains("access_token"))
        #expect(!String(reflecting: result).contains("s3cret"))
    }

    /// Two pages of a search whose cursor is in the body of the request.
    private static let search = #"""
        {"log": {"entries": [
          {"request": {"method": "POST", "url": "https://api.example.com/v1/databases/59833787-2cf9-4fdf-8782-e53db20768a5/query",
            "headers": [{"name": "Authorization", "value": "Bearer s3cret"}],
            "postData": {"mimeType": "application/json",
             "text": "{\"page_size\": 2, \"api_key\": \"s3cret\", \"filter\": {\"property\": \"Done\", \"token\": \"s3cret\", \"checkbox\": {\"equals\": true}}}"}},
           "response": {"status": 200, "headers": [], "content": {"mimeType": "application/json",
             "text": "{\"object\": \"list\", \"results\": [{\"object\": \"page\", \"id\": \"a1\", \"archived\": false}, {\"object\": \"page\", \"id\": \"a2\", \"archived\": false}], \"next_cursor\": \"c-2\", \"has_more\": true}"}}},
          {"request": {"method": "POST", "url": "https://api.example.com/v1/databases/59833787-2cf9-4fdf-8782-e53db20768a5/query",
            "headers": [],
            "postData": {"mimeType": "application/json",
             "text": "{\"page_size\": 2, \"start_cursor\": \"c-2\", \"filter\": {\"property\": \"Done\", \"token\": \"s3cret\", \"checkbox\": {\"equals\": true}}}"}},
           "response": {"status": 200, "headers": [], "content": {"mimeType": "application/json",
             "text": "{\"object\": \"list\", \"results\": [{\"object\": \"page\", \"id\": \"a3\", \"archived\": true}], \"next_cursor\": null, \"has_more\": false}"}}},
          {"request": {"method": "POST", "url": "https://api.example.com/v1/pages", "headers": [],
            "postData": {"mimeType": "application/json", "text": "{\"title\": \"New\"}"}},
           "response": {"status": 200, "headers": [], "content": {"mimeType": "application/json",
             "text": "{\"object\": \"page\", \"id\": \"a4\", \"archived\": false}"}}},
          {"request": {"method": "POST", "url": "https://api.example.com/v1/imports", "headers": [],
            "postData": {"mimeType": "application/json", "text": "{\"titles\": [\"a\"]}"}},
           "response": {"status": 200, "headers": [], "content": {"mimeType": "application/json",
             "text": "[{\"id\": \"b1\"}]"}}}
        ]}}
        """#

    @Test func findsCursorsInBodiesOfSearches() throws {
        let result = try HARInference.result(of: Document(parsing: Self.search))
        let definition = result.definition
        #expect(definition.diagnostics() == [])
        // A POST that writes is no list.
        #expect(definition.resources.count == 1)
        let resource = definition.resources[0]
        #expect(resource.method == .post)
        #expect(
            resource.pagination?.rule
                == .cursor(at: .body("next_cursor"), parameter: "start_cursor"))
        #expect(resource.pagination?.placement == .body)
        #expect(resource.pagination?.size == .init(2, parameter: "page_size"))
        #expect(
            resource.body
                == .json(
                    .object([
                        .init(
                            "filter",
                            .object([
                                .init("property", .text(Template(text: "Done"))),
                                .init("checkbox", .object([.init("equals", .boolean(true))])),
                            ]))
                    ])))
        #expect(!result.yaml().contains("s3cret"))
    }

    /// One response does not show the name of the parameter, but its form does.
    @Test func namesCursorOfOneResponseByForm() throws {
        var inference = DefinitionInference()
        inference.observe(
            try Document(
                parsing: #"""
                    {"object": "list", "results": [{"id": "a1"}, {"id": "a2"}], "next_cursor": "c",
                     "has_more": true}
                    """#), from: "https://api.example.com/v1/search",
            posting: .object([] as [(String, Document)]))
        let pagination = inference.result().definition.resources.first?.pagination
        #expect(pagination?.rule == .cursor(at: .body("next_cursor"), parameter: "start_cursor"))
        #expect(pagination?.placement == .body)
    }

    @Test(arguments: [
        "{}", #"{"log": {"entries": []}}"#,
        #"{"log": {"entries": [{"request": {"method": "GET"}}]}}"#,
        #"{"log": {"entries": 1}}"#, "[]",
    ])
    func refusesArchivesWithoutRecords(_ text: String) throws {
        let document = try Document(parsing: text)
        #expect(throws: DefinitionError.self) { try HARInference.result(of: document) }
    }
}
