// SPDX-License-Identifier: Apache-2.0

import RestDefinition
import RestDocument
import Testing

@testable import RestInference

@Suite struct PagePathTests {
    /// Pages at paths of their own, each with the link to the next one.
    @Test(arguments: [
        ("https://api.example.com/records/1.json", "https://api.example.com/records/2.json"),
        ("https://api.example.com/records/1.json", "/records/2.json"),
        ("https://api.example.com/records/first/", "/records/second/?size=2"),
    ])
    func pagesThatOthersNameAreOneList(_ first: String, _ link: String) throws {
        let second = URLText(first).resolving(link)
        var inference = DefinitionInference()
        inference.observe(
            try Document(parsing: #"{"next": "\#(link)", "results": [{"id": 1}, {"id": 2}]}"#),
            from: first)
        inference.observe(
            try Document(parsing: #"{"next": null, "results": [{"id": 3}]}"#),
            from: "\(second.origin)/\(second.components.joined(separator: "/"))"
                + (second.endsWithSlash ? "/" : ""))
        let definition = inference.result().definition
        #expect(definition.resources.count == 1)
        #expect(definition.resources.first?.pagination?.rule == .link(at: "next"))
        #expect(definition.entities.map(\.identity) == [["id"]])
    }

    @Test func pagesOfLinkHeaderFieldAreOneList() throws {
        var inference = DefinitionInference()
        for page in 1...3 {
            inference.observe(
                try Document(parsing: #"[{"id": \#(page)}]"#),
                from: "https://api.example.com/records/page-\(page)",
                fields: [
                    HeaderField(
                        "Link", "<https://api.example.com/records/page-\(page + 1)>; rel=\"next\"")
                ])
        }
        #expect(
            inference.result().definition.resources.map(\.path.description) == ["records/page-1"])
    }

    /// The next object of an object is no page.
    @Test func nextLinkOfSingleObjectIsNoPage() throws {
        var inference = DefinitionInference()
        for (path, next) in [("days/monday", "/weeks/2"), ("weeks/2", "/days/friday")] {
            inference.observe(
                try Document(parsing: #"{"id": 1, "name": "\#(path)", "next": "\#(next)"}"#),
                from: "https://api.example.com/\(path)")
        }
        #expect(inference.result().definition.resources.count == 2)
    }

    @Test(arguments: [
        ("?page=2", ["a", "b"], false), ("c", ["a", "c"], false), ("/c/", ["c"], true),
        ("../c?page=2", ["c"], false), ("./c", ["a", "c"], false),
        ("https://other.example.com/c", ["c"], false),
    ])
    func referenceIsResolved(_ reference: String, _ components: [String], _ endsWithSlash: Bool) {
        let url = URLText("https://api.example.com/a/b").resolving(reference)
        #expect(url.components == components)
        #expect(url.endsWithSlash == endsWithSlash)
        #expect(
            url.origin
                == (reference.hasPrefix("https")
                    ? "https://other.example.com" : "https://api.example.com"))
    }
}
