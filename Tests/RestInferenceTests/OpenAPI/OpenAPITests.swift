// SPDX-License-Identifier: Apache-2.0

import RestDefinition
import RestDocument
import RestInference
import RestYAML
import Testing

@Suite struct OpenAPITests {
    private func facts(_ yaml: String) throws -> (Facts, InferredDefinition) {
        let result = try OpenAPIInference.result(of: SourceValue(parsingYAML: yaml))
        #expect(result.definition.diagnostics() == [])
        #expect(
            try DefinitionFile(reading: SourceValue(parsingYAML: result.yaml())).definition
                == result.definition)
        return (Facts(result.definition), result)
    }

    private func expect(_ found: Facts, _ expected: String) {
        let wanted = Facts(expected)
        for kind in ["entity", "relation", "type", "page", "records"] {
            #expect(
                (found.lines[kind] ?? []).sorted() == (wanted.lines[kind] ?? []).sorted(), "\(kind)"
            )
        }
    }

    @Test func readsListsEntitiesAndPagination() throws {
        let (found, result) = try facts(
            """
            openapi: 3.0.3
            servers:
              - url: https://{region}.petstore.example/v1
                variables: {region: {default: eu}}
            security: [{key: []}]
            paths:
              /pets:
                get:
                  parameters:
                    - {name: page, in: query, schema: {type: integer}}
                    - {name: per_page, in: query, schema: {type: integer, maximum: 100, default: 20}}
                    - {name: status, in: query, schema: {type: string}}
                    - {name: api_key, in: query, required: true, schema: {type: string}}
                  responses:
                    "200":
                      content:
                        application/json:
                          schema:
                            type: object
                            properties:
                              data: {type: array, items: {$ref: "#/components/schemas/Pet"}}
                              meta: {$ref: "#/components/schemas/Meta"}
              /pets/{petId}:
                get:
                  parameters: [{name: petId, in: path, required: true, schema: {type: integer}}]
                  responses:
                    "200": {content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}}}}
              /pets/{petId}/visits:
                get:
                  responses:
                    "200":
                      content:
                        application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Visit"}}}
              /search:
                get:
                  parameters: [{name: q, in: query, required: true, schema: {type: string}}]
                  responses:
                    "200":
                      content:
                        application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Pet"}}}
              /stores/{storeId}/pets:
                get:
                  responses:
                    "200":
                      content:
                        application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Pet"}}}
            components:
              securitySchemes:
                key: {type: apiKey, in: header, name: X-Key}
              schemas:
                Meta:
                  type: object
                  properties: {total: {type: integer}, total_pages: {type: integer}}
                Pet:
                  type: object
                  properties:
                    id: {type: integer, format: int64}
                    name: {type: string}
                    born: {type: string, format: date}
                    seen_at: {type: string, format: date-time, nullable: true}
                    weight: {type: number}
                    owner: {$ref: "#/components/schemas/Owner"}
                    vet_id: {type: integer}
                    tags: {type: array, items: {type: string}}
                    address: {type: object, properties: {city: {type: string}, zip: {type: string}}}
                    extra: {type: object, additionalProperties: {type: string}}
                    photo: {type: string, format: uri}
                    token: {type: string, format: uuid}
                    chip: {type: string, format: byte}
                    state: {type: string, enum: [new, old]}
                    parent: {$ref: "#/components/schemas/Pet"}
                    siblings: {type: array, items: {$ref: "#/components/schemas/Pet"}}
                    vaccinations:
                      type: array
                      items: {type: object, properties: {name: {type: string}, at: {type: string, format: date}}}
                Owner:
                  type: object
                  properties: {id: {type: integer}, email: {type: string}}
                Vet:
                  type: object
                  properties: {id: {type: integer}, name: {type: string}}
                Visit:
                  type: object
                  properties: {visit_id: {type: integer}, note: {type: string}}
            """)
        expect(
            found,
            """
            entity Pet id
            entity Owner id
            entity Vet id
            entity Visit visit_id
            entity PetVaccination -
            relation Pet.owner one Owner
            relation Pet.vet one Vet
            relation Pet.parent one Pet
            relation Pet.siblings many Pet
            relation Pet.vaccinations many PetVaccination
            type Pet.id integer
            type Pet.name text
            type Pet.born day
            type Pet.seen_at date
            type Pet.weight double
            type Pet.tags json
            type Pet.address_city text
            type Pet.address_zip text
            type Pet.extra json
            type Pet.photo url
            type Pet.token uuid
            type Pet.chip data
            type Pet.state text
            type Owner.id integer
            type Owner.email text
            type Vet.id integer
            type Vet.name text
            type Visit.visit_id integer
            type Visit.note text
            type PetVaccination.name text
            type PetVaccination.at day
            page pets page_number page 1
            records pets data
            records visits $
            """)
        let api = result.definition.api
        #expect(api.base == "https://eu.petstore.example/v1/")
        #expect(
            api.authentication
                == .key(KeyCredential(name: "X-Key", in: .header, secrets: [.environment("KEY")])))
        let pets = result.definition.resource(named: "pets")
        #expect(pets?.pagination?.size == .init(100, parameter: "per_page"))
        #expect(pets?.pagination?.total == .body("meta.total"))
        #expect(pets?.parameters == [])
        let visits = result.definition.resource(named: "visits")
        #expect(visits?.path.description == "pets/{pets.id}/visits")
        #expect(visits?.parents == [ParentDefinition(name: "pets", source: .resource("pets"))])
        #expect(result.summary.last?.contains("/search (the parameter `q` is required)") == true)
        #expect(
            result.summary.last?.contains("/stores/{storeId}/pets (no list has `{storeId}`)")
                == true)
    }

    @Test func readsNullabilityAndCompositions() throws {
        let (found, _) = try facts(
            """
            openapi: 3.1.0
            servers: [{url: https://api.example.com}]
            paths:
              /orders:
                get:
                  parameters: [{name: cursor, in: query, schema: {type: string}}]
                  responses:
                    "200":
                      content:
                        application/json; charset=utf-8:
                          schema:
                            type: object
                            properties:
                              items: {type: array, items: {$ref: "#/components/schemas/Order"}}
                              next: {type: [string, "null"]}
            components:
              schemas:
                Base: {type: object, properties: {id: {type: string, format: uuid}, created: {type: string, format: date-time}}}
                Order:
                  allOf:
                    - $ref: "#/components/schemas/Base"
                    - type: object
                      properties:
                        note: {type: ["string", "null"]}
                        total: {anyOf: [{type: number}, {type: "null"}]}
                        mixed: {oneOf: [{type: string}, {type: integer}]}
                        customer: {oneOf: [{$ref: "#/components/schemas/Customer"}, {type: "null"}]}
                        agent: {anyOf: [{type: string}, {$ref: "#/components/schemas/Agent"}]}
                        payment:
                          oneOf: [{$ref: "#/components/schemas/Card"}, {$ref: "#/components/schemas/Transfer"}]
                          discriminator: {propertyName: kind}
                        node: {$ref: "#/components/schemas/Node"}
                Customer: {type: object, properties: {id: {type: integer}, name: {type: string}}}
                Agent: {type: object, properties: {id: {type: string}, name: {type: string}}}
                Card: {type: object, properties: {kind: {type: string}, last4: {type: string}, amount: {type: integer}}}
                Transfer: {type: object, properties: {kind: {type: string}, iban: {type: string}}}
                Node: {type: object, properties: {label: {type: string}, next: {$ref: "#/components/schemas/Node"}}}
            """)
        expect(
            found,
            """
            entity Order id
            entity Customer id
            entity Agent id
            relation Order.customer one Customer
            relation Order.agent one Agent
            type Order.id uuid
            type Order.created date
            type Order.note text
            type Order.total double
            type Order.mixed json
            type Order.payment_kind text
            type Order.payment_last4 text
            type Order.payment_amount integer
            type Order.payment_iban text
            type Order.node_label text
            type Order.node_next json
            type Customer.id integer
            type Customer.name text
            type Agent.id text
            type Agent.name text
            page orders cursor next cursor
            records orders items
            """)
    }

    @Test func readsObjectsWithMoreThanTheirList() throws {
        let (found, result) = try facts(
            """
            openapi: 3.0.0
            servers: [{url: https://api.example.com/}]
            paths:
              /games: {get: {responses: {"200": {content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/GameSummary"}}}}}}}}
              /games/{id}: {get: {responses: {"200": {content: {application/json: {schema: {$ref: "#/components/schemas/Game"}}}}}}}
              /games/{slug}/scores: {get: {responses: {"200": {content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Game"}}}}}}}}
            components:
              schemas:
                GameSummary: {type: object, properties: {id: {type: integer}, name: {type: string}}}
                Game: {type: object, properties: {id: {type: integer}, name: {type: string}, rules: {type: string}}}
            """)
        #expect(found.lines["entity"] == ["entity GameSummary id", "entity Game id"])
        #expect(
            result.definition.resources.map(\.path.description) == ["games", "games/{games.id}"])
        #expect(result.summary.last == "Left out: /games/{slug}/scores (no list has `{slug}`)")
    }

    @Test func readsSearchesWhoseBodiesSelectPages() throws {
        let (found, result) = try facts(
            """
            openapi: 3.1.0
            servers: [{url: https://api.example.com/v1/}]
            paths:
              /databases: {get: {responses: {"200": {content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Database"}}}}}}}}
              /databases/{database_id}/query:
                post:
                  requestBody: {$ref: "#/components/requestBodies/Query"}
                  responses: {"200": {$ref: "#/components/responses/Pages"}}
              /pages:
                post:
                  requestBody: {content: {application/json: {schema: {type: object, required: [title], properties: {title: {type: string}}}}}}
                  responses: {"200": {content: {application/json: {schema: {$ref: "#/components/schemas/Page"}}}}}
              /imports:
                post:
                  requestBody: {content: {application/json: {schema: {type: object, properties: {titles: {type: array, items: {type: string}}}}}}}
                  responses: {"200": {content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Page"}}}}}}
              /logs/_search:
                post:
                  requestBody:
                    content:
                      application/json:
                        schema:
                          type: object
                          required: [query]
                          properties:
                            from: {type: integer}
                            size: {type: integer, maximum: 1000}
                            query: {type: object}
                  responses:
                    "200":
                      content:
                        application/json:
                          schema:
                            type: object
                            properties:
                              hits: {type: array, items: {type: object, properties: {id: {type: string}, message: {type: string}}}}
              /reports/search:
                post:
                  requestBody: {content: {application/json: {schema: {type: object, required: [year], properties: {year: {type: integer}, page: {type: integer}}}}}}
                  responses: {"200": {content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Page"}}}}}}
            components:
              requestBodies:
                Query:
                  content:
                    application/json:
                      schema:
                        type: object
                        required: [archived]
                        properties:
                          start_cursor: {type: string}
                          page_size: {type: integer, maximum: 100}
                          archived: {type: boolean, default: false}
                          token: {type: string}
              responses:
                Pages:
                  content:
                    application/json:
                      schema:
                        type: object
                        properties:
                          results: {type: array, items: {$ref: "#/components/schemas/Page"}}
                          next_cursor: {type: [string, "null"]}
                          has_more: {type: boolean}
              schemas:
                Database: {type: object, properties: {id: {type: string}, name: {type: string}}}
                Page: {type: object, properties: {id: {type: string}, title: {type: string}}}
            """)
        let resources = result.definition.resources
        #expect(
            resources.map(\.path.description) == [
                "databases", "logs/_search", "databases/{databases.id}/query",
            ])
        #expect(resources.map(\.method) == [.get, .post, .post])
        #expect(found.lines["entity"]?.contains("entity Page id") == true)
        let query = try #require(resources.last)
        #expect(
            query.pagination?.rule == .cursor(at: .body("next_cursor"), parameter: "start_cursor"))
        #expect(query.pagination?.placement == .body)
        #expect(query.pagination?.size == .init(100, parameter: "page_size"))
        #expect(query.body == .json(.object([.init("archived", .boolean(false))])))
        #expect(resources[1].pagination?.rule == .offset(parameter: "from", first: 0))
        #expect(resources[1].pagination?.placement == .body)
        #expect(resources[1].body == .json(.object([.init("query", .object([]))])))
        #expect(
            result.summary.last
                == "Left out: /reports/search (the member `year` of the body is required)")
    }

    @Test func endsAtReferencesInACircle() throws {
        let (found, _) = try facts(
            """
            openapi: 3.0.0
            paths:
              /a: {get: {responses: {"200": {content: {application/json: {schema: {$ref: "#/components/schemas/A"}}}}}}}
              /b: {get: {responses: {"200": {content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/B"}}}}}}}}
            components:
              schemas:
                A: {$ref: "#/components/schemas/A"}
                B: {allOf: [{$ref: "#/components/schemas/B"}, {type: object, properties: {id: {type: integer}}}]}
            """)
        #expect(found.lines["entity"] == ["entity B id"])
    }

    @Test(arguments: [
        ("swagger: \"2.0\"", "convert it to OpenAPI 3.0 or 3.1"),
        ("a: 1", "write `openapi: 3.1.0`"),
        ("openapi: 4.0.0", "write a document of 3.0 or 3.1"),
    ])
    func refusesOtherDocuments(_ yaml: String, _ advice: String) throws {
        let source = try SourceValue(parsingYAML: yaml)
        do throws(DefinitionError) {
            _ = try OpenAPIInference.result(of: source)
            Issue.record("the document is accepted")
        } catch {
            #expect(error.diagnostics.first?.advice == advice)
        }
    }
}
