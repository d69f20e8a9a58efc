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
