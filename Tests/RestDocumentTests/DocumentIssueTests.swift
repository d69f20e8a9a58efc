// SPDX-License-Identifier: Apache-2.0

import RestDocument
import TestSupport
import Testing

@Suite struct DocumentIssueTests {
    @Test(
        .threat("T03"),
        arguments: [
            (#"{"a":1,"a":2}"#, 7, "a"),
            (#"{"a":1,"b":0,"c":0,"a":2}"#, 19, "a"),
            (#"{"b":0,"a":1,"c":0,"a":2,"d":0}"#, 19, "a"),
            (#"{"a":1,"\u0061":2}"#, 7, "a"),
            (#"{"\u0061":1,"a":2}"#, 12, "a"),
            (#"{"":1,"":2}"#, 6, ""),
            (#"[0,{"x":{"a":1,"a":2}}]"#, 15, "a"),
            (#"{"x":{},"y":[{"a":[{}],"a":2}]}"#, 23, "a"),
            (
                #"{"k0":0,"k1":0,"k2":0,"k3":0,"k4":0,"k5":0,"k6":0,"k7":0,"k8":0,"k9":0,"#
                    + #""a":1,"kA":0,"kB":0,"kC":0,"kD":0,"a":2}"#, 105, "a"
            ),
        ])
    func reportsRepeatedKeyAndUsesLastValue(_ text: String, _ offset: Int, _ key: String)
        throws
    {
        let document = try Document(parsing: text)
        let issue = try #require(document.issues.first)
        #expect(document.issues.count == 1)
        #expect(issue.code == .duplicateKey)
        #expect(issue.offset == offset)
        #expect(issue.path.components.last == .key(key))
        #expect(document.root[issue.path]?.int64 == 2)

        var limits = ParseLimits.default
        limits.rejectsDuplicateKeys = true
        let error = #expect(throws: DocumentError.self) {
            try Document(parsing: text, limits: limits)
        }
        #expect(error?.code == .duplicateKey)
        #expect(error?.offset == offset)
        #expect(error?.path == issue.path)
    }

    @Test func reportsRepetitionsInDocumentOrder() throws {
        let document = try Document(
            parsing: #"{"a":1,"b":{"c":1,"c":2},"a":3,"a":[{"d":1,"d":2}]}"#)
        #expect(
            document.issues.map(\.path.description) == ["b.c", "a", "a", "a[0].d"])
        #expect(document.issues.map(\.offset) == [18, 25, 31, 43])
    }

    @Test func reportsNothingForDistinctKeys() throws {
        let members = (0..<300).map { "\"k\($0)\":{\"k\":[{\"k\":1}]}" }.joined(separator: ",")
        #expect(try Document(parsing: "{\(members)}").issues.isEmpty)
        var limits = ParseLimits.default
        limits.rejectsDuplicateKeys = true
        _ = try Document(parsing: "{\(members)}", limits: limits)
    }

    @Test(.threat("T03"), arguments: 0..<7, 0..<7)
    func reportsRepetitionAtEveryPosition(_ first: Int, _ second: Int) throws {
        guard first < second else { return }
        for spelling in ["\"a\u{E9}\"", #""\u0061\u00e9""#, #""a\u00E9""#] {
            for fillers in [0, 20] {
                var members = (0..<7 + fillers).map { "\"k\($0)\":0" }
                members[first] = "\"a\u{E9}\":1"
                members[second] = "\(spelling):2"
                let before = "{" + members[..<second].map { "\($0)," }.joined()
                let document = try Document(parsing: "{\(members.joined(separator: ","))}")
                #expect(document.issues.map(\.offset) == [before.utf8.count])
                #expect(document.root["a\u{E9}"]?.int64 == 2)
                // The canonically equivalent spelling is a different key.
                #expect(document.root["ae\u{301}"] == nil)
            }
        }
    }
}
