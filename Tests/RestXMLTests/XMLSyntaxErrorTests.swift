// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestXML
import Testing

@Suite struct XMLSyntaxErrorTests {
    private func error(in xml: String) throws -> DocumentError {
        try #require(
            #expect(throws: DocumentError.self) { try XMLFormat().read(Array(xml.utf8)) })
    }

    /// A malformed text with the location of its error and the path of the open elements.
    struct MalformedText: Sendable, CustomTestStringConvertible {
        let xml: String
        let code: DocumentError.Code
        let line: Int
        let column: Int
        let path: DocumentPath

        init(
            _ xml: String, _ code: DocumentError.Code, _ line: Int, _ column: Int,
            _ path: DocumentPath = ""
        ) {
            self.xml = xml
            self.code = code
            self.line = line
            self.column = column
            self.path = path
        }

        var testDescription: String { xml }
    }

    @Test(arguments: [
        // No element, or several.
        MalformedText("", .unexpectedEnd, 1, 1), MalformedText("  ", .unexpectedEnd, 1, 3),
        MalformedText("<!-- c -->\n", .unexpectedEnd, 2, 1),
        MalformedText("x<a/>", .unexpectedByte, 1, 1),
        MalformedText("{\"a\": 1}", .unexpectedByte, 1, 1),
        MalformedText("&#32;<a/>", .unexpectedByte, 1, 1),
        MalformedText("<![CDATA[x]]><a/>", .unexpectedByte, 1, 2),
        MalformedText("</a>", .unexpectedByte, 1, 2),
        MalformedText("<a/>\n<b/>", .trailingContent, 2, 1),
        MalformedText("<a></a><b></b>", .trailingContent, 1, 8),
        MalformedText("<a/>x", .trailingContent, 1, 5),
        MalformedText("<a/>&#32;", .trailingContent, 1, 5),
        MalformedText("<a/><!-- c --> <![CDATA[]]>", .trailingContent, 1, 16),
        MalformedText("<a/></a>", .trailingContent, 1, 5),
        MalformedText("<a/><!DOCTYPE a>", .trailingContent, 1, 5),
        // Truncated text and mismatched tags.
        MalformedText("<", .unexpectedEnd, 1, 2), MalformedText("<a", .unexpectedEnd, 1, 3),
        MalformedText("<a>", .unexpectedEnd, 1, 4, "a"),
        MalformedText("<a>\n <b>x</b>\n", .unexpectedEnd, 3, 1, "a"),
        MalformedText("<a><b c='x", .unexpectedEnd, 1, 11, "a"),
        MalformedText("<a></a", .unexpectedEnd, 1, 7, "a"),
        MalformedText("<a></", .unexpectedEnd, 1, 6, "a"),
        MalformedText("<a><!-- c", .unexpectedEnd, 1, 10, "a"),
        MalformedText("<a/><?p", .unexpectedEnd, 1, 8),
        MalformedText("<a><![CDATA[x", .unexpectedEnd, 1, 14, "a"),
        MalformedText("<a>\n <b>x</c>\n</a>", .unexpectedByte, 2, 6, "a.b"),
        MalformedText("<a><b></a></b>", .unexpectedByte, 1, 7, "a.b"),
        MalformedText("<a></ a>", .unexpectedByte, 1, 4, "a"),
        MalformedText("<a></a b=''>", .unexpectedByte, 1, 8, "a"),
        // Inside tags.
        MalformedText("<a>< b/></a>", .unexpectedByte, 1, 5, "a"),
        MalformedText("<a>\n  <b c=1/>\n</a>", .unexpectedByte, 2, 3, "a"),
        MalformedText("<a>\n  <b c/>\n</a>", .unexpectedByte, 2, 3, "a"),
        MalformedText("<a><b c='1'd='2'/></a>", .unexpectedByte, 1, 4, "a"),
        MalformedText("<a b='<'/>", .unexpectedByte, 1, 7),
        MalformedText("<a <b/>", .unexpectedByte, 1, 4),
        MalformedText("<a / >", .unexpectedByte, 1, 5),
        MalformedText("<1a/>", .unexpectedByte, 1, 1),
        MalformedText("<a>\n<b c='1' c='2'/></a>", .duplicateKey, 2, 1, "a"),
        // Text.
        MalformedText("<a>é\néé&nbsp;</a>", .unexpectedByte, 2, 5, "a"),
        MalformedText("<a>\néééééééééééé&b;</a>", .unexpectedByte, 2, 25, "a"),
        MalformedText("<a b='&c;'/>", .unexpectedByte, 1, 7),
        MalformedText("<a>1 & 2</a>", .unexpectedByte, 1, 6, "a"),
        MalformedText("<a>&lt</a>", .unexpectedByte, 1, 4, "a"),
        MalformedText("<a>&#0;</a>", .unexpectedByte, 1, 4, "a"),
        MalformedText("<a>&#xD800;</a>", .unexpectedByte, 1, 4, "a"),
        MalformedText("<a>x]]></a>", .unexpectedByte, 1, 5, "a"),
        MalformedText("<a>\r\n&b;</a>", .unexpectedByte, 2, 1, "a"),
        MalformedText("<a><!-- c --><?p?>\r\n<?q r?>&b;</a>", .unexpectedByte, 2, 8, "a"),
        // Characters.
        MalformedText("<a>\n\u{1}</a>", .unexpectedByte, 2, 1),
        MalformedText("<a>x\0</a>", .unexpectedByte, 1, 5),
        MalformedText("<a b='\0'/>", .unexpectedByte, 1, 7),
        MalformedText("<a/>\0", .unexpectedByte, 1, 5),
        MalformedText("<a/><!-- \u{FFFE} -->", .unexpectedByte, 1, 10),
        MalformedText("<a>\u{FFFF}</a>", .unexpectedByte, 1, 4),
        // Comments, processing instructions and the declaration.
        MalformedText("<a><!-- -- --></a>", .unexpectedByte, 1, 9, "a"),
        MalformedText("<a><!-- ---></a>", .unexpectedByte, 1, 9, "a"),
        MalformedText("<a><?xml version='1.0'?></a>", .unexpectedByte, 1, 4, "a"),
        MalformedText("<a><?XmL x?></a>", .unexpectedByte, 1, 4, "a"),
        MalformedText("<a><? p?></a>", .unexpectedByte, 1, 4, "a"),
        MalformedText(" <?xml version='1.0'?><a/>", .unexpectedByte, 1, 2),
        MalformedText("<?xml?><a/>", .unexpectedByte, 1, 1),
        MalformedText("<?xml ?><a/>", .unexpectedByte, 1, 6),
        MalformedText("<?xml encoding='UTF-8'?><a/>", .unexpectedByte, 1, 6),
        MalformedText("<?xml version='2.0'?><a/>", .unexpectedByte, 1, 20),
        MalformedText("<?xml version='1.0' standalone='maybe'?><a/>", .unexpectedByte, 1, 39),
        MalformedText("<?xml version='1.0'encoding='UTF-8'?><a/>", .unexpectedByte, 1, 20),
        MalformedText("<?xml version='1.0'", .unexpectedEnd, 1, 20),
        // Namespaces.
        MalformedText("<p:a/>", .unexpectedByte, 1, 1),
        MalformedText("<a>\n<b p:c='1'/></a>", .unexpectedByte, 2, 1, "a"),
        MalformedText("<a><b xmlns:p='u'/><p:c/></a>", .unexpectedByte, 1, 20, "a"),
        MalformedText("<a xmlns:p='u' xmlns:q='u' p:b='1' q:b='2'/>", .duplicateKey, 1, 1),
        MalformedText("<a xmlns:p=''/>", .unexpectedByte, 1, 1),
        MalformedText("<a:b:c xmlns:a='u'/>", .unexpectedByte, 1, 1),
        MalformedText("<a xmlns:xmlns='u'/>", .unexpectedByte, 1, 1),
    ])
    func locatesEachError(_ text: MalformedText) throws {
        let error = try self.error(in: text.xml)
        #expect(error.code == text.code, "\(error)")
        #expect([error.line, error.column] == [text.line, text.column], "\(error)")
        #expect(error.path == text.path, "\(error)")
        #expect(!error.description.contains("\n"))
    }

    @Test func omitsValuesFromDescriptions() throws {
        let truncated = try error(in: "<a><b c='secret'>secret<d e='secret'>secret&secret;")
        #expect(truncated.path == "a.b.d")
        #expect(truncated.description.hasSuffix("expected the end of element d"))
        #expect(!truncated.description.contains("secret"))
        let reference = try error(in: "<a b='secret'>secret &secret; secret</a>")
        #expect(!reference.description.contains("secret"))
    }
}
