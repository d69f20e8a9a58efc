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
    func reportsARepeatedKeyAndTakesItsLastValue(_ text: String, _ offset: Int, _ key: String)
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

    @Test func reportsEveryRepetitionInDocumentOrder() throws {
        let document = try Document(
            parsing: #"{"a":1,"b":{"c":1,"c":2},"a":3,"a":[{"d":1,"d":2}]}"#)
        #expect(
            document.issues.map(\.path.description) == ["b.c", "a", "a", "a[0].d"])
        #expect(document.issues.map(\.offset) == [18, 25, 31, 43])
    }

    @Test func findsNothingInDistinctKeys() throws {
        let members = (0..<300).map { "\"k\($0)\":{\"k\":[{\"k\":1}]}" }.joined(separator: ",")
        #expect(try Document(parsing: "{\(members)}").issues.isEmpty)
        var limits = ParseLimits.default
        limits.rejectsDuplicateKeys = true
        _ = try Document(parsing: "{\(members)}", limits: limits)
    }

    @Test(.threat("T05")) func isNotSlowedByCraftedKeys() throws {
        // Blocks that collide in the usual multiplicative hash (h × 31 + c), and random keys of
        // the same length.
        let crafted = (0..<100_000).map { number in
            (0..<17).map { number >> $0 & 1 == 0 ? "Aa" : "BB" }.joined()
        }
        var state: UInt64 = 7
        let random = crafted.map { key in
            String(
                decoding: key.utf8.map { _ -> UInt8 in
                    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                    return UInt8(97 + state >> 60)
                }, as: UTF8.self)
        }
        let text = [random, crafted].map { keys in
            "{" + keys.map { "\"\($0)\":1" }.joined(separator: ",") + "}"
        }
        let times = try text.map { text in
            try (0..<2).map { _ in
                try threadTime {
                    let document = try Document(parsing: text)
                    #expect(document.issues.isEmpty)
                    #expect(document.root["absent"] == nil)
                }
            }.min() ?? .zero
        }
        #expect(times[1] < times[0] * 3)
    }
}
