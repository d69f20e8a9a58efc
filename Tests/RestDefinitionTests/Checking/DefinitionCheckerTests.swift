// SPDX-License-Identifier: Apache-2.0

import RestDefinition
import RestDocument
import RestYAML
import Testing

@Suite struct DefinitionCheckerTests {
    static let diagnostics: [(DefinitionDiagnostic.Code, String, String)] = [
        (
            .undefinedName, "the entity `Itme` is not defined; write `Item`",
            "items: {path: items, entity: Itme}"
        ),
        (
            .undefinedName, "the resource `list` is not defined; write `lists`",
            "items: {path: \"items/{list.id}\", for_each: list, entity: Item}"
        ),
        (
            .undefinedName, "write `for_each: lists`",
            "items: {path: \"items/{lists.id}\", entity: Item}"
        ),
        (
            .undefinedName, "the parent `lits` is not defined; write `lists`",
            "items: {path: \"items/{lits.id}/{lists.id}\", for_each: lists, entity: Item}"
        ),
        (
            .undefinedName, "the value of `lists` `idd` is not defined; write `id`",
            "items: {path: \"items/{lists.idd}\", for_each: lists, entity: Item}"
        ),
        (
            .undefinedName, "values have no `id`",
            "items: {path: \"items/{code.id}\", for_each: {values: [1], as: code}, entity: Item}"
        ),
        (
            .undefinedName, "write `cursor: {field: …}`",
            "items: {path: items, parameters: {q: \"{cursor.start}\"}, entity: Item}"
        ),
        (
            .conflict, "the resource is its own parent",
            "items: {path: \"items/{items.id}\", for_each: items, entity: Item}"
        ),
        (
            .conflict, "the start of the interval is sent twice",
            "items: {path: items, parameters: {q: \"{cursor.start}\"}, cursor: {field: at, parameter: since}, entity: Item}"
        ),
        (
            .conflict, "the cursor is an integer, but the distance is a duration",
            "items: {path: items, cursor: {field: at, parameter: since, format: integer, lookback: 5m}, entity: Item}"
        ),
        (
            .conflict, "the cursor is a date, but the distance is a number",
            "items: {path: items, cursor: {field: at, parameter: since, format: unix, lookback: 5}, entity: Item}"
        ),
        (.invalidValue, "the path contains a query", "items: {path: \"items?a=1\", entity: Item}"),
        (
            .invalidValue, "the rule applies to every response",
            "items: {path: items, responses: [{action: fail}], entity: Item}"
        ),
        (
            .undefinedName, "the resource `gone` is not defined",
            "items: {path: items, deletion: {list: gone}, entity: Item}"
        ),
        (
            .conflict, "`lists` and `items` have different entities",
            "items: {path: items, deletion: {list: lists}, entity: Item}"
        ),
        (
            .conflict, "the included records are the records themselves",
            "items: {path: items, records: {path: data, included: {path: data, entity: Item}}, entity: Item}"
        ),
    ]

    @Test(arguments: diagnostics)
    func reportsDiagnosticsOfResources(
        _ code: DefinitionDiagnostic.Code, _ part: String, _ line: String
    ) {
        let text = """
            version: 1
            api: {base: "https://api.example.com/"}
            resources:
              \(line)
              lists: {path: lists, entity: List}
            entities:
              List: {identity: id, attributes: {id: integer}}
              Item: {identity: id}
            """
        let diagnostics = text.diagnostics().filter { $0.code != .noEffect }
        #expect(diagnostics.first?.code == code, "\(diagnostics)")
        #expect(diagnostics.first?.description.contains(part) == true, "\(diagnostics)")
        #expect(diagnostics.allSatisfy { $0.location != nil })
    }

    @Test(arguments: [
        (
            DefinitionDiagnostic.Code.undefinedName, "the attribute `ident` is not defined",
            "identity: ident, attributes: {id: integer}"
        ),
        (
            .undefinedName, "the attribute `titel` is not defined; write `title`",
            "search: titel, attributes: {title: text}"
        ),
        (
            .duplicateName, "`Name` and `name` differ in case only",
            "attributes: {Name: text, name: text}"
        ),
        (.invalidValue, "the name `restkit_key` is reserved", "attributes: {restkit_key: text}"),
        (
            .conflict, "`a.b` is ignored, but it is the attribute `c`",
            "ignore: a.b, attributes: {c: {type: text, path: a.b}}"
        ),
        (.undefinedName, "the entity `Lst` is not defined; write `List`", "relations: {list: Lst}"),
        (
            .undefinedName, "the attribute `uid` is not defined",
            "relations: {list: {entity: List, form: identity, attribute: uid}}"
        ),
        (
            .undefinedName, "the relation `itms` is not defined; write `items`",
            "relations: {list: {entity: List, form: inverse, inverse: itms}}"
        ),
        (.missingKey, "write `inverse: NAME`", "relations: {list: {entity: List, form: inverse}}"),
        (
            .conflict, "`List.others` refers to `List`, not to `Item`",
            "relations: {list: {entity: List, inverse: others}}"
        ),
        (
            .invalidValue, "`lists` refers to many rows",
            "identity: lists, attributes: {id: integer}, relations: {lists: {entity: List, to_many: true}}"
        ),
        (
            .conflict, "has an identity of several attributes",
            "relations: {pair: {entity: Pair, form: identity}}"
        ),
    ])
    func reportsDiagnosticsOfEntities(
        _ code: DefinitionDiagnostic.Code, _ part: String, _ line: String
    ) {
        let text = """
            version: 1
            api: {base: "https://api.example.com/"}
            resources:
              items: {path: items, entity: Item}
              lists: {path: lists, entity: List}
              pairs: {path: pairs, entity: Pair}
            entities:
              List:
                identity: id
                attributes: {id: integer, name: text}
                relations: {items: {entity: Item, to_many: true}, others: List}
              Pair: {identity: [a, b]}
              Item: {\(line)}
            """
        let diagnostics = text.diagnostics()
        #expect(
            diagnostics.contains { $0.code == code && $0.description.contains(part) },
            "\(diagnostics)")
        #expect(diagnostics.count == 1, "\(diagnostics)")
    }

    @Test func reportsParentsInACircle() {
        let text = """
            version: 1
            api: {base: "https://api.example.com/"}
            resources:
              a: {path: "a/{b.id}", for_each: b, entity: Item}
              b: {path: "b/{c.id}", for_each: c, entity: Item}
              c: {path: "c/{a.id}", for_each: a, entity: Item}
            entities: {Item: auto}
            """
        #expect(
            text.diagnostics().map(\.problem) == ["the resource is its own parent by way of `c`"])
    }

    @Test(arguments: [
        ("api.example.com", "is not an absolute URL"),
        ("ftp://api.example.com/", "is not supported"),
        ("https:///v1", "has no valid host"), ("https://api.example.com/?a=1", "contains a query"),
        ("https://{host}/", "contains a placeholder"),
    ])
    func reportsUnusableBaseURLs(_ base: String, _ part: String) {
        let definition = Definition(api: APIDefinition(base: base))
        #expect(definition.diagnostics().contains { $0.problem.contains(part) })
    }

    @Test func checksDefinitionsWithoutAFile() {
        let definition = Definition(
            api: APIDefinition(base: "https://api.example.com/"),
            resources: [
                ResourceDefinition(
                    name: "items", path: Template(text: "items"), entity: .one("Item"))
            ],
            entities: [EntityDefinition(name: "Item")])
        #expect(definition.diagnostics().isEmpty)
    }
}
