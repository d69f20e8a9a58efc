// SPDX-License-Identifier: Apache-2.0

#if XML

import RestDocument
import RestXML
import Testing

@Suite struct XMLMistakeTests {
    private func mistake(_ xml: String) throws -> DocumentError {
        try #require(
            #expect(throws: DocumentError.self) { try XMLFormat().read(Array(xml.utf8)) })
    }

    /// A mistake with its place and the elements that are open there.
    struct Mistake: Sendable, CustomTestStringConvertible {
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
        // No element, or more than one.
        Mistake("", .unexpectedEnd, 1, 1), Mistake("  ", .unexpectedEnd, 1, 3),
        Mistake("<!-- c -->\n", .unexpectedEnd, 2, 1), Mistake("x<a/>", .unexpectedByte, 1, 1),
        Mistake("{\"a\": 1}", .unexpectedByte, 1, 1), Mistake("&#32;<a/>", .unexpectedByte, 1, 1),
        Mistake("<![CDATA[x]]><a/>", .unexpectedByte, 1, 2),
        Mistake("</a>", .unexpectedByte, 1, 2), Mistake("<a/>\n<b/>", .trailingContent, 2, 1),
        Mistake("<a></a><b></b>", .trailingContent, 1, 8),
        Mistake("<a/>x", .trailingContent, 1, 5), Mistake("<a/>&#32;", .trailingContent, 1, 5),
        Mistake("<a/><!-- c --> <![CDATA[]]>", .trailingContent, 1, 16),
        Mistake("<a/></a>", .trailingContent, 1, 5),
        Mistake("<a/><!DOCTYPE a>", .trailingContent, 1, 5),
        // What is cut off or ends elsewhere.
        Mistake("<", .unexpectedEnd, 1, 2), Mistake("<a", .unexpectedEnd, 1, 3),
        Mistake("<a>", .unexpectedEnd, 1, 4, "a"),
        Mistake("<a>\n <b>x</b>\n", .unexpectedEnd, 3, 1, "a"),
        Mistake("<a><b c='x", .unexpectedEnd, 1, 11, "a"),
        Mistake("<a></a", .unexpectedEnd, 1, 7, "a"), Mistake("<a></", .unexpectedEnd, 1, 6, "a"),
        Mistake("<a><!-- c", .unexpectedEnd, 1, 10, "a"),
        Mistake("<a/><?p", .unexpectedEnd, 1, 8),
        Mistake("<a><![CDATA[x", .unexpectedEnd, 1, 14, "a"),
        Mistake("<a>\n <b>x</c>\n</a>", .unexpectedByte, 2, 6, "a.b"),
        Mistake("<a><b></a></b>", .unexpectedByte, 1, 7, "a.b"),
        Mistake("<a></ a>", .unexpectedByte, 1, 4, "a"),
        Mistake("<a></a b=''>", .unexpectedByte, 1, 8, "a"),
        // Inside tags.
        Mistake("<a>< b/></a>", .unexpectedByte, 1, 5, "a"),
        Mistake("<a>\n  <b c=1/>\n</a>", .unexpectedByte, 2, 3, "a"),
        Mistake("<a>\n  <b c/>\n</a>", .unexpectedByte, 2, 3, "a"),
        Mistake("<a><b c='1'd='2'/></a>", .unexpectedByte, 1, 4, "a"),
        Mistake("<a b='<'/>", .unexpectedByte, 1, 7), Mistake("<a <b/>", .unexpectedByte, 1, 4),
        Mistake("<a / >", .unexpectedByte, 1, 5), Mistake("<1a/>", .unexpectedByte, 1, 1),
        Mistake("<a>\n<b c='1' c='2'/></a>", .duplicateKey, 2, 1, "a"),
        Mistake("<a>\n<b \u{E9}='1' e\u{301}='2'/></a>", .duplicateKey, 2, 1, "a.b"),
        // Text.
        Mistake("<a>é\néé&nbsp;</a>", .unexpectedByte, 2, 5, "a"),
        Mistake("<a>\néééééééééééé&b;</a>", .unexpectedByte, 2, 25, "a"),
        Mistake("<a b='&c;'/>", .unexpectedByte, 1, 7),
        Mistake("<a>1 & 2</a>", .unexpectedByte, 1, 6, "a"),
        Mistake("<a>&lt</a>", .unexpectedByte, 1, 4, "a"),
        Mistake("<a>&#0;</a>", .unexpectedByte, 1, 4, "a"),
        Mistake("<a>&#xD800;</a>", .unexpectedByte, 1, 4, "a"),
        Mistake("<a>x]]></a>", .unexpectedByte, 1, 5, "a"),
        Mistake("<a>\r\n&b;</a>", .unexpectedByte, 2, 1, "a"),
        Mistake("<a><!-- c --><?p?>\r\n<?q r?>&b;</a>", .unexpectedByte, 2, 8, "a"),
        // Characters.
        Mistake("<a>\n\u{1}</a>", .unexpectedByte, 2, 1),
        Mistake("<a>x\0</a>", .unexpectedByte, 1, 5),
        Mistake("<a b='\0'/>", .unexpectedByte, 1, 7), Mistake("<a/>\0", .unexpectedByte, 1, 5),
        Mistake("<a/><!-- \u{FFFE} -->", .unexpectedByte, 1, 10),
        Mistake("<a>\u{FFFF}</a>", .unexpectedByte, 1, 4),
        // Comments, processing instructions and the declaration.
        Mistake("<a><!-- -- --></a>", .unexpectedByte, 1, 9, "a"),
        Mistake("<a><!-- ---></a>", .unexpectedByte, 1, 9, "a"),
        Mistake("<a><?xml version='1.0'?></a>", .unexpectedByte, 1, 4, "a"),
        Mistake("<a><?XmL x?></a>", .unexpectedByte, 1, 4, "a"),
        Mistake("<a><? p?></a>", .unexpectedByte, 1, 4, "a"),
        Mistake(" <?xml version='1.0'?><a/>", .unexpectedByte, 1, 2),
        Mistake("<?xml?><a/>", .unexpectedByte, 1, 1),
        Mistake("<?xml ?><a/>", .unexpectedByte, 1, 6),
        Mistake("<?xml encoding='UTF-8'?><a/>", .unexpectedByte, 1, 6),
        Mistake("<?xml version='2.0'?><a/>", .unexpectedByte, 1, 20),
        Mistake("<?xml version='1.0' standalone='maybe'?><a/>", .unexpectedByte, 1, 39),
        Mistake("<?xml version='1.0'encoding='UTF-8'?><a/>", .unexpectedByte, 1, 20),
        Mistake("<?xml version='1.0'", .unexpectedEnd, 1, 20),
        // Namespaces.
        Mistake("<p:a/>", .unexpectedByte, 1, 1),
        Mistake("<a>\n<b p:c='1'/></a>", .unexpectedByte, 2, 1, "a"),
        Mistake("<a><b xmlns:p='u'/><p:c/></a>", .unexpectedByte, 1, 20, "a"),
        Mistake("<a xmlns:p='u' xmlns:q='u' p:b='1' q:b='2'/>", .duplicateKey, 1, 1),
        Mistake("<a xmlns:p=''/>", .unexpectedByte, 1, 1),
        Mistake("<a:b:c xmlns:a='u'/>", .unexpectedByte, 1, 1),
        Mistake("<a xmlns:xmlns='u'/>", .unexpectedByte, 1, 1),
    ])
    func saysWhere(_ mistake: Mistake) throws {
        let error = try self.mistake(mistake.xml)
        #expect(error.code == mistake.code, "\(error)")
        #expect([error.line, error.column] == [mistake.line, mistake.column], "\(error)")
        #expect(error.path == mistake.path, "\(error)")
        #expect(!error.description.contains("\n"))
    }

    @Test func keepsTextToItself() throws {
        let error = try mistake("<a><b c='secret'>secret<d e='secret'>secret&secret;")
        #expect(error.path == "a.b.d")
        #expect(error.description.hasSuffix("expected the end of element d"))
        #expect(!error.description.contains("secret"))
        let reference = try mistake("<a b='secret'>secret &secret; secret</a>")
        #expect(!reference.description.contains("secret"))
    }
}

#endif
