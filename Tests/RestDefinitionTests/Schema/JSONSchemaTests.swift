// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import RestYAML
import Testing

@testable import RestDefinition

@Suite struct JSONSchemaTests {
    private let schema = Definition.jsonSchema()

    @Test(arguments: ExampleFiles.names)
    func allowsExamples(_ name: String) throws {
        let document = try ExampleFiles.source(name).document
        #expect(SchemaValidator.problems(of: document.root, schema.root) == [])
    }

    @Test func describesEveryKey() {
        var count = 0
        func visit(_ node: Node) {
            if let properties = node["properties"] {
                for (key, value) in properties.members where value["const"] == nil {
                    count += 1
                    #expect((value["description"]?.string?.count ?? 0) > 5, "\(key)")
                    visit(value)
                }
            }
            for keyword in ["oneOf", "anyOf"] {
                for element in node[keyword]?.elements ?? node.elements { visit(element) }
            }
            if let items = node["items"] { visit(items) }
            if let values = node["additionalProperties"] { visit(values) }
        }
        visit(schema.root)
        #expect(count > 150)
    }

    /// The article lists the keys that the reader has: `rest check --keys` writes it.
    @Test func articleListsTheKeys() throws {
        let article = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Sources/RestDefinition/RestDefinition.docc/DefinitionKeyReference.md")
        #expect(
            try String(contentsOf: article, encoding: .utf8) == Definition.keyReference() + "\n")
        var keys: Set<String> = []
        func visit(_ node: Node) {
            if let properties = node["properties"] {
                for (key, value) in properties.members {
                    keys.insert(key)
                    visit(value)
                }
            }
            for keyword in ["oneOf", "anyOf"] {
                for element in node[keyword]?.elements.map(\.self) ?? [] { visit(element) }
            }
            if let items = node["items"] { visit(items) }
            if let values = node["additionalProperties"] { visit(values) }
        }
        visit(schema.root)
        let reference = Definition.keyReference()
        #expect(keys.filter { !reference.contains("`\($0)`") } == [])
    }

    /// Every mapping of an example gets an unknown key, and every key of it is removed: the schema and the
    /// reader must agree.
    @Test(arguments: ["capped-search", "pokeapi", "stripe", "tombstones"])
    func agreesWithReaderAboutKeys(_ name: String) throws {
        let source = try ExampleFiles.source(name)
        var refusals = 0
        for mutant in source.mutants() {
            let isRefused = !SchemaValidator.problems(of: mutant.document.root, schema.root).isEmpty
            let codes = mutant.structuralDiagnostics()
            #expect(isRefused == !codes.isEmpty, "\(codes) \(mutant.document.debugDescription)")
            if isRefused { refusals += 1 }
        }
        #expect(refusals > 5)
    }

    @Test(arguments: [
        #"{"type": "cursor", "cursor": "next", "parameter": "c", "first": 1}"#,
        #"{"type": "cursor", "cursor": "next"}"#, #"{"type": "nope"}"#, #"{"size": 1}"#,
        #""cursor""#,
        #"{"type": "offset", "size": 0}"#,
        #"{"type": "offset", "total": {"header": "a", "last_record": "b"}}"#,
        #"["offset"]"#, "true",
    ])
    func refusesPaginationsThatTheReaderRefuses(_ pagination: String) throws {
        let text = """
            {"version": 1, "api": {"base": "https://a.example/"},
             "resources": {"items": {"path": "items", "pagination": \(pagination), "entity": "Item"}},
             "entities": {"Item": "auto"}}
            """
        let source = try SourceValue(parsingJSON: Array(text.utf8))
        #expect(throws: DefinitionError.self) { try DefinitionFile(reading: source) }
        #expect(!SchemaValidator.problems(of: source.document.root, schema.root).isEmpty)
    }
}

extension SourceValue {
    /// Copies of the value with one more key in one mapping, or one key less.
    fileprivate func mutants() -> [SourceValue] {
        switch content {
        case .scalar: return []
        case .sequence(let elements):
            return elements.indices.flatMap { index in
                elements[index].mutants().map { mutant in
                    var elements = elements
                    elements[index] = mutant
                    return SourceValue(.sequence(elements), at: location)
                }
            }
        case .mapping(let members):
            let more = members + [Member("zzzz", SourceValue(.scalar(.boolean(true))))]
            var mutants = [SourceValue(.mapping(more), at: location)]
            for index in members.indices {
                var fewer = members
                fewer.remove(at: index)
                mutants.append(SourceValue(.mapping(fewer), at: location))
                // A name that nobody chose is no key.
                mutants += members[index].value.mutants().map { mutant in
                    var members = members
                    members[index].value = mutant
                    return SourceValue(.mapping(members), at: location)
                }
            }
            return mutants
        }
    }

    /// The diagnostics that the reader finds before the definition is checked as a whole.
    fileprivate func structuralDiagnostics() -> [DefinitionDiagnostic.Code] {
        var context = ReadingContext()
        _ = DefinitionKeys.definition.read(self, &context)
        return context.diagnostics.map(\.code)
    }
}
