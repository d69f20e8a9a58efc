// SPDX-License-Identifier: Apache-2.0

import RestDefinition
import RestDocument
import RestYAML
import Testing

@Suite struct NoEffectTests {
    static let resources: [(String, String)] = [
        (
            "resources.items.pagination",
            "path: items\npagination: {type: header_link, parameter: page}"
        ),
        (
            "resources.items.pagination",
            "path: items\npagination: {type: cursor, cursor: next, parameter: c, first: 1}"
        ),
        (
            "resources.items.pagination",
            "path: items\npagination: {type: offset, size_parameter: limit}"
        ),
        (
            "resources.items.pagination.stop",
            "path: items\npagination: {type: offset, stop: short_page}"
        ),
        ("resources.items.pagination.cap", "path: items\npagination: {type: offset, cap: 1000}"),
        (
            "resources.items.pagination.cap",
            "path: items\npagination: {type: offset, cap: 1000}\ncursor: {field: at, parameter: since}"
        ),
        (
            "resources.items.pagination.placement",
            "path: items\npagination: {type: offset, placement: body}"
        ),
        ("resources.items.body", "path: items\nbody: {json: {a: 1}}"),
        ("resources.items.for_each", "path: items\nfor_each: lists"),
        (
            "resources.items.for_each",
            "path: items/{lists.id}\nfor_each: {resource: lists, separator: \";\"}"
        ),
        (
            "resources.items.for_each.only_changed",
            "path: items/{code.value}\nfor_each: {values: [a, b], as: code, only_changed: true}"
        ),
        ("resources.items.cursor", "path: items\ncursor: {field: at, end_parameter: until}"),
        ("resources.items.cursor.format", "path: items\ncursor: {field: at, format: unix}"),
        (
            "resources.items.cursor.step",
            "path: items\ncursor: {field: at, parameter: since, step: 1d}"
        ),
        ("resources.items.cursor.retention", "path: items\ncursor: {field: at, retention: 30d}"),
        ("resources.items.cursor.request_time", "path: items\ncursor: {request_time: true}"),
        ("resources.items.cursor", "path: items\ncursor: {request_time: false}"),
        (
            "resources.items.cursor.order",
            "path: items\ncursor: {request_time: true, parameter: since, order: ascending}"
        ),
        (
            "resources.items.cursor.per_parent",
            "path: items\ncursor: {field: at, parameter: since, per_parent: false}"
        ),
        (
            "resources.items.cursor.lookback",
            "path: items\ncursor: {field: at, parameter: since, lookback: 0s}"
        ),
        (
            "resources.items.deletion",
            "path: items\ncursor: {field: at, parameter: since}\ndeletion: walk"
        ),
        (
            "resources.items.deletion",
            "path: items\ndeletion: {tombstone: deleted_at, identity: id}"
        ),
        ("resources.items.responses.0", "path: items\nresponses: [{status: 401, action: refresh}]"),
        (
            "resources.items.responses.1",
            "path: items\nresponses: [{status: 4xx, action: ignore}, {status: 404, action: fail}]"
        ),
    ]

    @Test(arguments: resources)
    func reportsSettingsOfResources(_ path: String, _ lines: String) {
        let text = """
            version: 1
            api: {base: "https://api.example.com/"}
            resources:
              lists: {path: lists, entity: List}
              items:
                entity: Item
            \(lines.split(separator: "\n").map { "    \($0)" }.joined(separator: "\n"))
            entities: {List: auto, Item: auto}
            """
        let diagnostics = text.diagnostics()
        #expect(diagnostics.map(\.code) == [.noEffect], "\(diagnostics)")
        #expect(diagnostics.first?.path.description == path, "\(diagnostics)")
        #expect(diagnostics.first?.location != nil)
    }

    @Test(arguments: [
        (
            "api.headers.Authorization",
            "auth: $TOKEN\nheaders: {Authorization: $TOKEN}"
        ),
        ("api.auth.prefix", "auth: {type: key, name: k, location: query, secret: $KEY, prefix: P}"),
        ("api.auth", "auth: {type: bearer, token: $A, scopes: [a]}"),
        ("api.budget", "budget: {reset_format: seconds}"),
        ("api.budget", "budget: {reset_header: X-Reset}"),
        ("api.pagination", "pagination: offset"),
        ("api.format", "format: csv"),
    ])
    func reportsSettingsOfAPI(_ path: String, _ lines: String) {
        let text = """
            version: 1
            api:
              base: https://api.example.com/
            \(lines.split(separator: "\n").map { "  \($0)" }.joined(separator: "\n"))
            resources:
              items: {path: items, pagination: single_page, format: json, entity: Item}
            entities: {Item: auto}
            """
        let diagnostics = text.diagnostics()
        #expect(diagnostics.map(\.code) == [.noEffect], "\(diagnostics)")
        #expect(diagnostics.first?.path.description == path, "\(diagnostics)")
    }

    @Test(arguments: [
        (
            "entities.Item.relations.list.ordered",
            "relations: {list: {entity: List, ordered: true}}"
        ),
        (
            "entities.Item.relations.list.missing",
            "relations: {list: {entity: List, missing: skipped}}"
        ),
        (
            "entities.Item.relations.list.attribute",
            "relations: {list: {entity: List, attribute: id}}"
        ),
    ])
    func reportsSettingsOfRelations(_ path: String, _ line: String) {
        let text = """
            version: 1
            api: {base: "https://api.example.com/"}
            resources:
              items: {path: items, entity: Item}
              lists: {path: lists, entity: List}
            entities:
              List: auto
              Item: {\(line)}
            """
        let diagnostics = text.diagnostics()
        #expect(diagnostics.map(\.code) == [.noEffect], "\(diagnostics)")
        #expect(diagnostics.first?.path.description == path, "\(diagnostics)")
    }

    @Test func reportsEntitiesWithoutRows() {
        let text = """
            version: 1
            api: {base: "https://api.example.com/"}
            resources:
              items: {path: items, entity: Item}
            entities:
              Item: {relations: {list: List}}
              List: {relations: {owner: User}}
              User: auto
              Orphan: {relations: {other: Other}}
              Other: auto
            """
        #expect(
            text.diagnostics().map(\.path.description) == ["entities.Orphan", "entities.Other"])
    }
}
