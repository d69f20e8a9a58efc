// SPDX-License-Identifier: Apache-2.0

import RestSyntax
import TestSupport
import Testing

@Suite(.tags(.specification)) struct DotSegmentsTests {
    @Test(arguments: [
        ("/a/b/c/./../../g", "/a/g"), ("/a/%2E%2e/b", "/b"), ("/a/.", "/a/"), ("/a/..", "/"),
        ("/..", "/"), ("/a/.../b", "/a/.../b"), ("/a/.b", "/a/.b"), ("/a/%2Fb", "/a/%2Fb"),
        ("mid/content=5/../6", "mid/6"), ("", ""),
    ])
    func removesDotSegments(path: String, expected: String) {
        let bytes = DotSegments.removed(from: Array(path.utf8)[...])
        #expect(String(decoding: bytes, as: UTF8.self) == expected)
    }

    @Test(arguments: [
        ("/a/./b", true), ("/a/..", true), ("%2e", true), (".%2E/a", true), ("/a/...", false),
        ("/a/.b/c.", false), ("/%2", false), ("/%2F", false), ("", false), ("//", false),
    ])
    func findsDotSegments(path: String, occur: Bool) {
        #expect(DotSegments.occur(in: Array(path.utf8)) == occur)
    }
}
