// SPDX-License-Identifier: Apache-2.0

import RestDefinition
import RestDocument
import RestYAML
import Testing

/// A text with a diagnostic, and the expected.
struct ExpectedDiagnostic: Sendable, CustomTestStringConvertible {
    let code: DefinitionDiagnostic.Code
    /// The line and the column, such as `3:5`.
    let location: String
    /// A part of the description.
    let part: String
    let text: String

    init(_ code: DefinitionDiagnostic.Code, _ location: String, _ part: String, _ text: String) {
        self.code = code
        self.location = location
        self.part = part
        self.text = text
    }

    var testDescription: String { "\(code.rawValue) at \(location): \(part)" }

    /// Definitions around parts of them, so that a diagnostic is on the first lines.
    static func api(
        _ code: DefinitionDiagnostic.Code, _ location: String, _ part: String, _ lines: String
    ) -> ExpectedDiagnostic {
        ExpectedDiagnostic(
            code, location, part,
            """
            version: 1
            api:
              base: https://api.example.com/
            \(lines.indented(by: 2))
            resources:
              items: {path: items, entity: Item}
            entities:
              Item: {identity: id}
            """)
    }

    static func resource(
        _ code: DefinitionDiagnostic.Code, _ location: String, _ part: String, _ lines: String
    ) -> ExpectedDiagnostic {
        ExpectedDiagnostic(
            code, location, part,
            """
            version: 1
            api: {base: "https://api.example.com/"}
            resources:
              lists: {path: lists, entity: List}
              items:
            \(lines.indented(by: 4))
            entities:
              List: {identity: id}
              Item: {identity: id, attributes: {id: integer, name: text}}
            """)
    }

    static func entity(
        _ code: DefinitionDiagnostic.Code, _ location: String, _ part: String, _ lines: String
    ) -> ExpectedDiagnostic {
        ExpectedDiagnostic(
            code, location, part,
            """
            version: 1
            api: {base: "https://api.example.com/"}
            resources:
              items: {path: items, entity: Item}
              lists: {path: lists, entity: List}
            entities:
              List: {identity: id, attributes: {id: integer, name: text}}
              Item:
            \(lines.indented(by: 4))
            """)
    }
}

extension String {
    fileprivate func indented(by count: Int) -> String {
        split(separator: "\n", omittingEmptySubsequences: false)
            .map { String(repeating: " ", count: count) + $0 }.joined(separator: "\n")
    }
}

@Suite struct DiagnosticTests {
    static let keys: [ExpectedDiagnostic] = [
        .api(.unknownKey, "4:3", "write `parameters`", "paramaters: {a: 1}"),
        .api(.unknownKey, "4:3", "write `pagination`", "paginator: header_link"),
        .api(.unknownKey, "5:3", "unknown key `zzzzzz`", "format: json\nzzzzzz: 1"),
        .resource(
            .unknownKey, "7:5", "write `parameters`", "path: items\nparams: {a: 1}\nentity: Item"),
        .resource(
            .unknownKey, "7:5", "write `for_each`", "path: items\nforEach: lists\nentity: Item"),
        .resource(.missingKey, "6:5", "`path` of resource is missing", "entity: Item"),
        .resource(.missingKey, "6:5", "`entity` of resource is missing", "path: items"),
        .resource(
            .missingKey, "7:15", "write one of `resource`, `values` or `query`",
            "path: items/{lists.id}\nfor_each: {as: lists}\nentity: Item"),
        .resource(
            .conflict, "8:11", "`json` and `form` exclude each other",
            "path: items\nmethod: POST\nbody: {json: 1, form: {a: b}}\nentity: Item"),
        .entity(.unknownKey, "9:5", "write `identity`", "primary_key: id"),
        .entity(
            .unknownKey, "9:37", "write `former_names`",
            "attributes: {name: {type: text, renamed_from: title}}"),
    ]

    static let values: [ExpectedDiagnostic] = [
        .api(.invalidValue, "4:11", "write `json_lines`", "format: jsonl"),
        .api(.wrongKind, "4:11", "found a list", "format: [json]"),
        .api(.wrongKind, "4:22", "found a text; write an integer", "budget: {parallel: many}"),
        .resource(
            .invalidValue, "7:17", "write `header_link`",
            "path: items\npagination: link_header\nentity: Item"),
        .resource(
            .invalidValue, "7:17", "`cursor` needs other keys; write `{type: cursor, …}`",
            "path: items\npagination: cursor\nentity: Item"),
        .resource(
            .missingKey, "7:17", "`parameter` of pagination is missing",
            "path: items\npagination: {type: cursor, cursor: meta.next}\nentity: Item"),
        .resource(
            .invalidValue, "7:13", "write `GET` or `POST`",
            "path: items\nmethod: PATCH\nentity: Item"),
        .resource(
            .invalidValue, "6:11", "a placeholder has no end", "path: items/{lists.id\nentity: Item"
        ),
        .resource(
            .invalidValue, "6:11", "`{lists}` is not a placeholder",
            "path: items/{lists}\nentity: Item"),
        .resource(
            .invalidValue, "7:35", "write a number and a unit",
            "path: items\ncursor: {field: at, lookback: 5 min}\nentity: Item"),
        .resource(
            .invalidValue, "7:26", "`nope` is not a status code",
            "path: items\nresponses: [{status: nope, action: fail}]\nentity: Item"),
        .resource(
            .invalidValue, "7:14", "is not a path", "path: items\nrecords: \"a[\"\nentity: Item"),
        .entity(.invalidValue, "9:24", "write `text`", "attributes: {name: string}"),
        .entity(.invalidValue, "9:22", "write `date`", "attributes: {at: datetime}"),
        ExpectedDiagnostic(
            .unsupportedVersion, "1:1", "write `version: 1`",
            """
            version: 2
            api: {base: "https://api.example.com/"}
            resources:
              items: {path: items, entity: Item}
            entities:
              Item: auto
            """),
        ExpectedDiagnostic(
            .invalidSyntax, "4:2", "not valid YAML", "version: 1\napi:\n  base: a\n b: c"),
        ExpectedDiagnostic(
            .duplicateName, "2:1", "key `api` appears twice", "version: 1\napi: {}\napi: {}"),
        ExpectedDiagnostic(.wrongKind, "1:1", "found a list; write a mapping", "- version"),
    ]

    static let secrets: [ExpectedDiagnostic] = [
        .api(.exposedSecret, "4:9", "write `$NAME`", "auth: ghp_abcdefghijklmnopqrstuvwxyz"),
        .api(.exposedSecret, "4:31", "write `$NAME`", "auth: {type: bearer, token: abcdefgh}"),
        .api(
            .exposedSecret, "5:5", "write `auth: {type: bearer",
            "headers:\n  Authorization: Bearer abc"),
        .api(
            .exposedSecret, "4:16", "write `auth: {type: key, location: query, name: api_key",
            "parameters: {api_key: abcdefgh}"),
        .api(
            .exposedSecret, "4:37", "a secret is written in the definition",
            "auth: {type: basic, username: me, password: hunter2}"),
        ExpectedDiagnostic(
            .exposedSecret, "2:7", "the URL contains a user or a password",
            """
            version: 1
            api: {base: "https://me:hunter2@api.example.com/"}
            resources:
              items: {path: items, entity: Item}
            entities:
              Item: auto
            """),
    ]

    @Test(arguments: keys + values + secrets)
    func reportsPositionAndCorrection(_ expected: ExpectedDiagnostic) throws {
        let diagnostics = expected.text.diagnostics()
        let match = diagnostics.first {
            $0.code == expected.code && $0.description.contains(expected.part)
        }
        #expect(match != nil, "\(diagnostics.map { "\($0.code) \($0)" })")
        #expect(match?.location?.description == expected.location, "\(diagnostics)")
    }

    @Test(arguments: secrets)
    func neverRepeatsSecrets(_ expected: ExpectedDiagnostic) {
        for diagnostic in expected.text.diagnostics() {
            for secret in ["ghp_abc", "abcdefgh", "hunter2", "Bearer abc"] {
                #expect(!diagnostic.description.contains(secret))
            }
        }
    }

    @Test func reportsAllDiagnosticsAtOnce() {
        let text = """
            version: 1
            api:
              base: https://api.example.com/
              formt: json
              auth: sk_live_123
            resources:
              items:
                path: items/{
                pagination: {type: page_number, cursor: next}
                entity: Item
              others:
                pth: others
            entities:
              Item: {identity: id, attributes: {id: string}}
            """
        let lines = text.diagnostics().map { $0.location?.line }
        #expect(lines == [4, 5, 8, 9, 12, 12, 12, 14])
    }

    @Test func readsJSONWithPositions() {
        let text = """
            {
              "version": 1,
              "api": {"base": "https://api.example.com/", "é": 1, "auht": "none"},
              "resources": {},
              "entities": {}
            }
            """
        #expect(throws: DefinitionError.self) { try DefinitionFile(parsingJSON: Array(text.utf8)) }
        do throws(DefinitionError) {
            _ = try DefinitionFile(parsingJSON: Array(text.utf8))
        } catch {
            #expect(error.diagnostics.map(\.location?.description) == ["3:47", "3:55"])
            #expect(error.diagnostics.last?.advice == "write `auth`")
        }
    }

    @Test func reportsPositionOfInvalidJSON() {
        do throws(DefinitionError) {
            _ = try DefinitionFile(parsingJSON: Array("{\n  \"version\": 01\n}".utf8))
            Issue.record("the text is accepted")
        } catch {
            #expect(error.diagnostics.first?.code == .invalidSyntax)
            #expect(error.diagnostics.first?.location?.line == 2)
        }
    }
}

extension String {
    /// The diagnostics in a definition in YAML.
    func diagnostics() -> [DefinitionDiagnostic] {
        do throws(DefinitionError) {
            _ = try DefinitionFile(reading: SourceValue(parsingYAML: self))
            return []
        } catch {
            return error.diagnostics
        }
    }
}
