// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestNetworking
import TestSupport
import Testing

@Suite struct PathPatternMatchingTests {
    @Test(.parity("N021")) func addsQueryToArguments() throws {
        let pattern = try PathPattern("/this/is/:controllerName/:entityName")
        let arguments = pattern.arguments(
            in: "/this/is/my/backend?foo=bar&this=that", query: .included)
        #expect(
            arguments == [
                "controllerName": "my", "entityName": "backend", "foo": "bar", "this": "that",
            ])
    }

    @Test(.parity("N022")) func decodesArguments() throws {
        let pattern = try PathPattern("/bills/:stateID/:session/:billID")
        let arguments = pattern.arguments(
            in: "/bills/tx/82/SB%2014?apikey=GC12d0c6af", query: .included)
        #expect(
            arguments == [
                "stateID": "tx", "session": "82", "billID": "SB 14", "apikey": "GC12d0c6af",
            ])
    }

    @Test(.parity("N023")) func matchesPathWithoutLeadingSlash() throws {
        let pattern = try PathPattern("github.com/:username")
        #expect(pattern.arguments(in: "github.com/jverkoey") == ["username": "jverkoey"])
    }

    @Test(.parity("N024")) func hasEmptyArgumentsWithoutParameters() throws {
        #expect(try PathPattern("/metadata").arguments(in: "/metadata") == [:])
    }

    @Test(.parity("N025")) func comparesOnePathWithManyPatterns() throws {
        let candidate = NormalizedPath("/metadata?apikey=GC12d0c6af")
        #expect(try PathPattern("/metadata/:stateID").arguments(in: candidate) == nil)
        #expect(
            try PathPattern("/metadata").arguments(in: candidate, query: .included)
                == ["apikey": "GC12d0c6af"])
    }

    @Test(.parity("N026", "N028")) func ignoresQueryButNotTrailingSlash() throws {
        let pattern = try PathPattern("/api/v1/organizations/")
        #expect(pattern.matches("/api/v1/organizations/?client_search=t"))
        #expect(!pattern.matches("/api/v1/organizations?client_search=t"))
        #expect(
            pattern.arguments(in: "/api/v1/organizations/?client_search=s", query: .included)
                == ["client_search": "s"])
    }

    @Test(.parity("N027")) func matchesLiteralAfterLastParameter() throws {
        let pattern = try PathPattern("/api/v1/organizations/:identifier/")
        #expect(pattern.arguments(in: "/api/v1/organizations/1/") == ["identifier": "1"])
        #expect(!pattern.matches("/api/v1/organizations/1"))
    }

    @Test(
        .parity("N029"),
        arguments: [
            ("/api/v1/organizations", "/api/v1/organizations/1234/another?client_search=t", false),
            (
                "/api/:version/organizations", "/api/v1/organizations/1234/another?client_search=t",
                false
            ),
            ("/api/:version/organizations", "/api/v1/organizations/", false),
            ("/api/:version/organizations/:organizationID", "/api/v1/organizations/1234", true),
        ])
    func rejectsOtherPaths(text: String, path: String, isMatch: Bool) throws {
        #expect(try PathPattern(text).matches(path) == isMatch)
    }

    @Test(
        .parity("N030"),
        arguments: [
            ("/categories", false), ("/categories/:categoryName", false),
            ("/categories/:categorySlug/articles/:articleSlug", true),
        ])
    func parameterMatchesNoSlash(text: String, isMatch: Bool) throws {
        let path = "/categories/some-category-name/articles/the-article-name"
        #expect(try PathPattern(text).matches(path) == isMatch)
    }

    @Test func endsValueAtNextLiteral() throws {
        let pattern = try PathPattern("/range/:from-:to/x")
        #expect(pattern.arguments(in: "/range/1-2-3/x") == ["from": "1", "to": "2-3"])
        #expect(!pattern.matches("/range/-2/x"))
        #expect(!pattern.matches("/range/1-/x"))
    }

    @Test func patternWithQueryMatchesNothing() throws {
        let pattern = try PathPattern("/a?b=:c")
        #expect(try pattern.interpolated(with: ["c": 1]).path == "/a?b=1")
        #expect(!pattern.matches("/a?b=1"))
        #expect(pattern.arguments(in: "/a", query: .included) == nil)
    }

    @Test func prefersPathArgumentsToQueryArguments() throws {
        let arguments = try PathPattern("/a/:id").arguments(
            in: "/a/1?id=2&tag=x&tag=y%20z&flag&empty=&sum=1+1=2?not=this", query: .included)
        #expect(arguments?.values(for: "id") == ["1"])
        #expect(arguments?.values(for: "tag") == ["x", "y z"])
        #expect(arguments?["flag"] == nil)
        #expect(arguments?["empty"] == "")
        #expect(arguments?["sum"] == "1+1=2")
        #expect(arguments?["not"] == nil)
    }

    @Test func comparesNormalizedEncoding() throws {
        let pattern = try PathPattern("/größe/:id")
        #expect(pattern.arguments(in: "/gr%c3%b6%C3%9Fe/a%2Fb") == ["id": "a/b"])
        #expect(pattern.arguments(in: "/größe/%ff") == ["id": "%FF"])
    }
}
