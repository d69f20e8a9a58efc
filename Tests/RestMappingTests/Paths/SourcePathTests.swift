// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import Testing

@Suite struct SourcePathTests {
    @Test(
        arguments: [
            ("", []), ("a.b", [.key("a"), .key("b")]),
            ("a[2].b", [.key("a"), .index(2), .key("b")]),
            ("{name}.id", [.placeholder("name"), .key("id")]),
            ("@root.id", [.root, .key("id")]),
            ("@parent.@parent.x", [.parent, .parent, .key("x")]),
            (
                "@metadata.HTTP.request.headers.Content-Type",
                [
                    .metadata, .key("HTTP"), .key("request"), .key("headers"), .key("Content-Type"),
                ]
            ),
            (
                "items.@distinctUnionOfObjects.payee",
                [.key("items"), .collected(.distinctUnionOfObjects), .key("payee")]
            ),
            ("\\@id", [.key("@id")]), ("\\{x}", [.key("{x}")]), ("a\\.b", [.key("a.b")]),
            ("a@b", [.key("a@b")]), ("price (EUR)", [.key("price (EUR)")]),
            ("[\"\"]", [.key("")]),
        ] as [(String, [SourcePath.Component])])
    func roundTripsText(
        text: String, components: [SourcePath.Component]
    ) throws {
        let source = try SourcePath(parsing: text)
        #expect(source.components == components)
        #expect(source.description == text)
        #expect(try SourcePath(parsing: source.description) == source)
    }

    @Test(
        arguments: [
            ("@odata.count", [.key("@odata.count")]),
            ("Items@odata.nextLink", [.key("Items@odata.nextLink")]),
            ("d.@odata.a.b", [.key("d"), .key("@odata.a"), .key("b")]),
            (#"\@odat\a.x"#, [.key("@odata"), .key("x")]),
        ] as [(String, [SourcePath.Component])])
    func readsNamesOfODataWithoutEscape(
        text: String, components: [SourcePath.Component]
    ) throws {
        let source = try SourcePath(parsing: text)
        #expect(source.components == components)
        #expect(try SourcePath(parsing: source.description) == source)
    }

    @Test func parsesParenthesesAsBraces() throws {
        #expect(try SourcePath(parsing: "(name).id").description == "{name}.id")
        #expect(try SourcePath(parsing: "\\(name)").components == [.key("(name)")])
    }

    @Test(arguments: ["@cuont", "a..b", ".a", "a.", "a[x]", "a[", "a]", "a\\", "a[1]b"])
    func throwsForInvalidText(text: String) {
        let error = #expect(throws: MappingError.self) { try SourcePath(parsing: text) }
        #expect(error?.code == .invalidSource)
        #expect(error?.description.contains("at character") == true)
    }

    @Test func suggestsMisspelledOperator() {
        let error = #expect(throws: MappingError.self) { try SourcePath(parsing: "a.@cuont") }
        #expect(error?.description.contains("'@count'") == true)
    }

    @Test func convertsDocumentPath() {
        let path = DocumentPath([.key("@id"), .index(1), .key("{x}")])
        #expect(SourcePath(path).components == [.key("@id"), .index(1), .key("{x}")])
        #expect(SourcePath(path).description == "\\@id[1].\\{x}")
    }
}
