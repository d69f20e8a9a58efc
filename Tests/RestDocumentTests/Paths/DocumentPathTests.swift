// SPDX-License-Identifier: Apache-2.0

import RestDocument
import Testing

@Suite struct DocumentPathTests {
    @Test(
        arguments: [
            ("", []),
            ("a", [.key("a")]),
            ("articles[3].author.id", [.key("articles"), .index(3), .key("author"), .key("id")]),
            ("[0][12]", [.index(0), .index(12)]),
            ("[0].a", [.index(0), .key("a")]),
            (#"a\.b.c"#, [.key("a.b"), .key("c")]),
            (#"a\[0\]"#, [.key("a[0]")]),
            (#"a\\b"#, [.key(#"a\b"#)]),
            (#"[""]"#, [.key("")]),
            (#"a[""].b"#, [.key("a"), .key(""), .key("b")]),
            ("é.日本.\u{1F600}", [.key("é"), .key("日本"), .key("\u{1F600}")]),
            ("0.1", [.key("0"), .key("1")]),
            (#"value[0].@odata\.id"#, [.key("value"), .index(0), .key("@odata.id")]),
            (#"@odat\a.id"#, [.key("@odata"), .key("id")]),
            ("odata.id", [.key("odata"), .key("id")]),
            ("@type.$ref.a-b", [.key("@type"), .key("$ref"), .key("a-b")]),
        ] as [(String, [DocumentPath.Component])])
    func readsAndWrites(_ text: String, _ components: [DocumentPath.Component]) throws {
        let path = try DocumentPath(parsing: text)
        #expect(path.components == components)
        #expect(path.description == text)
    }

    @Test(
        arguments: [
            (".", 0), ("a.", 2), (".a", 0), ("a..b", 2), ("a]", 1), ("[", 1), ("[]", 1), ("[x]", 1),
            ("[-1]", 1), ("[1", 2), ("[1]a", 3), (#"a\"#, 2), ("[99999999999999999999]", 19),
            (#"[""#, 1), ("a[0]]", 4), ("[1.5]", 2),
        ])
    func rejectsMalformedPathsWithOffset(_ text: String, _ offset: Int) {
        let error = #expect(throws: DocumentError.self) { try DocumentPath(parsing: text) }
        #expect(error?.code == .invalidPath)
        #expect(error?.offset == offset)
    }

    @Test(
        arguments: [
            ("@odata.nextLink", [.key("@odata.nextLink")]),
            ("Items@odata.count", [.key("Items@odata.count")]),
            ("d.@odata.a.b[1]", [.key("d"), .key("@odata.a"), .key("b"), .index(1)]),
            (#"@odata\.nextLink"#, [.key("@odata.nextLink")]),
        ] as [(String, [DocumentPath.Component])])
    func readsNamesOfODataWithoutEscape(
        _ text: String, _ components: [DocumentPath.Component]
    ) throws {
        #expect(try DocumentPath(parsing: text).components == components)
    }

    @Test func appendsComponents() {
        #expect(DocumentPath.root.appending(key: "a.b").appending(index: 2) == #"a\.b[2]"#)
    }

    @Test func trapsOnMalformedLiteral() async {
        await #expect(processExitsWith: .failure) {
            let path: DocumentPath = "a..b"
            print(path)
        }
    }
}
