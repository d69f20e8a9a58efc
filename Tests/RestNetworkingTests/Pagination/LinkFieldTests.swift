// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestNetworking
import Testing

@Suite struct LinkFieldTests {
    @Test func parsesLinksOfPagedResponse() {
        let field = LinkField(
            #"""
            <https://api.example.com/items?page=1&per_page=3>; rel="prev", \#
            <https://api.example.com/items?page=3&per_page=3>; rel="next", \#
            <https://api.example.com/items?a=1,2;3>; rel="last"
            """#)
        #expect(field.links.count == 3)
        #expect(field.target(of: "next") == "https://api.example.com/items?page=3&per_page=3")
        #expect(field.target(of: "last") == "https://api.example.com/items?a=1,2;3")
        #expect(field.target(of: "first") == nil)
    }

    @Test(arguments: [
        #"<a>; rel=next"#, #"<a>;REL="NEXT""#, #"<a> ; rel = "next""#, #"<a>; rel="start  next""#,
        #"<a>; title="x, <y>; rel=\"no\""; rel="next""#, #",, <b>; rel=prev ,<a>;;rel=next"#,
        #"<a>; rel="next"; rel="ignored""#, #"<b>; rel=next; anchor="/other", <a>; rel=next"#,
        #"<a>; crossorigin; rel=next"#,
    ])
    func findsNextInEverySpelling(text: String) {
        #expect(LinkField(text).target(of: "next") == "a")
    }

    @Test func keepsRelativeTargetsAndParameters() {
        let link = LinkField(#"<?page=2>; rel="next last"; title="a \"b\" c"; x"#).links.first
        #expect(link?.target == "?page=2")
        #expect(link?.relations == ["next", "last"])
        #expect(link?["title"] == #"a "b" c"#)
        #expect(link?["x"] == "")
    }

    @Test func joinsSeveralFieldsOfResponse() throws {
        var head = HTTPResponse(status: .ok)
        let name = try #require(HTTPField.Name("Link"))
        head.headerFields.append(HTTPField(name: name, value: #"<?page=1>; rel="first prev""#))
        head.headerFields.append(HTTPField(name: name, value: #"<?page=3>; rel="next last""#))
        let field = LinkField(of: head)
        #expect(field.target(of: "prev") == "?page=1")
        #expect(field.target(of: "next") == "?page=3")
        #expect(field.target(of: "last") == "?page=3")
    }

    @Test(arguments: [
        "", "   ", ",", "a; rel=next", "<a; rel=next", #"<a>; rel="next"#, "<a>; rel",
        "<a> rel=next",
        "<a>", ";;;", "<>;rel", #"<a>; rel="next\"#,
    ])
    func findsNoNextInMalformedField(text: String) {
        #expect(LinkField(text).target(of: "next") == nil)
    }

    @Test func keepsLinksBeforeSyntaxError() {
        let field = LinkField(#"<a>; rel=next, <b>; rel="unfinished"#)
        #expect(field.links.map(\.target) == ["a"])
    }

    @Test(arguments: [
        #"nonsense, <a>; rel="next""#, #"<b; rel="prev", <a>; rel="next""#,
        #"<b> rel=prev, <a>; rel="next""#, #"<b>; rel="prev, <a>; rel="next""#,
        #"<b>; rel="prev"x, <a>; rel=next"#, #"x=1; <a>, <a>; rel=next"#,
        #"<a>; rel=next, <b"#, #"<a>; rel=next, b; rel=prev"#, #"<a>; rel=next, <b>; rel="x"#,
        #"; rel=prev, , <a>; rel=next, "#,
    ])
    func badLinkLosesOnlyItself(text: String) {
        #expect(LinkField(text).target(of: "next") == "a")
    }

    @Test func readsUnquotedValuesWithBlanks() {
        let field = LinkField("<a>; title=Page two ; rel=next prev;type=text/html, <b>; rel=last")
        #expect(field.links.first?["title"] == "Page two")
        #expect(field.links.first?["type"] == "text/html")
        #expect(field.target(of: "next") == "a" && field.target(of: "prev") == "a")
        #expect(field.target(of: "last") == "b")
    }
}
