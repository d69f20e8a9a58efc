// SPDX-License-Identifier: Apache-2.0

import RestDocument
import Testing

/// Errors and limits for every chunk size.
@Suite struct StreamErrorTests {
    /// Texts with one error in, around or after the elements.
    static let malformedTexts = [
        "", " ", "[", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "[1}", "[1]]", "[1] 2", "[1],", "]",
        "[1,\n  {\"a\": [true, fals]}]", "[01]", "[1.]", "[-]", "[1e+]", "[2.e3]", "[.5]", "[+1]",
        "[tru]", "[nul", "[truex]", "[NaN]", "['a']", "[\"\u{1}\"]", "[\"a\nb\"]", "[\"\\x\"]",
        "[\"\\u12G4\"]", "[\"\\u12", "[\"\\ud800\"]", "[\"\\udc00\"]", "[\"\\ud83d\\u0041\"]",
        "[\"abc", "[\"abc\\", "[{\"a\":1,}]", "[{\"a\" 1}]", "[{\"a\":}]", "[{1:2}]", "[{\"a\"",
        "[{\"a\":1", "[{", "[[1,2],[3,[4,}]]", "[{\"a\":{\"b\":[0,1,{\"c\":tru}]}}]",
        "[1]\u{0}", "[1\u{0}]", "[1] // x", "[1]\n\n {", "[1,\n2,\n3,\n4,\n  x]",
        "[{\"\\u00e9\\n\": [é, 1]}]", "[\"é\", {\"ключ\": {]}",
    ]

    @Test(arguments: malformedTexts)
    func matchErrorsOfDocument(_ text: String) throws {
        let expected = try #require(throws: DocumentError.self) { try Document(parsing: text) }
        for cut in 1...max(text.utf8.count, 1) {
            let error = try #require(StreamedText(text, cut: cut).error)
            #expect(error == expected, "cut at \(cut)")
        }
    }

    /// The malformed text is skipped, in an object beside the elements.
    @Test(arguments: malformedTexts)
    func areThrownForSkippedText(_ text: String) throws {
        let wrapped = "{\"items\":[1],\n\"other\" : \(text)"
        let expected = try #require(throws: DocumentError.self) { try Document(parsing: wrapped) }
        for cut in 1...wrapped.utf8.count {
            let streamed = StreamedText(wrapped, cut: cut, .elements(at: "items"))
            #expect(streamed.texts == ["1"])
            #expect(streamed.error == expected, "cut at \(cut)")
        }
    }

    @Test func reportOffsetInStream() throws {
        let lines = (0..<500).map { "{\"id\":\($0),\n \"author\": {\"name\": \"é\"}}" }
        let text =
            "{\"articles\":[\n" + lines.joined(separator: ",\n")
            + ",\n {\"id\": 1,\n  \"author\": ~}"
        for cut in [1, 3, 64, 1000, 1 << 20] {
            let streamed = StreamedText(text, cut: cut, .elements(at: "articles"))
            #expect(streamed.documents.count == 500)
            let error = try #require(streamed.error)
            #expect(error.code == .unexpectedByte)
            #expect(error.line == 1003)
            #expect(error.column == 13)
            #expect(error.offset == text.utf8.count - 2)
            #expect(error.path == "articles[500].author")
            #expect(error.expected == "expected a value")
        }
    }

    @Test func reportLine() throws {
        let text = "{\"a\":1}\r\n\n[1,\n2]"
        for cut in 1...text.utf8.count {
            let streamed = StreamedText(text, cut: cut, .lines)
            #expect(streamed.texts == [#"{"a":1}"#])
            let error = try #require(streamed.error)
            #expect(error.code == .unexpectedEnd)
            #expect((error.line, error.column, error.offset) == (3, 4, 13))
            #expect(error.path == "[1]")
        }
    }

    @Test(arguments: [
        ("{}", "items", 1, ""), ("[]", "items", 0, ""), ("[1]", "items", 0, ""),
        ("1", "", 0, ""), (#"{"a":1}"#, "", 0, ""), ("\"[]\"", "", 0, ""),
        (#"{"items":{}}"#, "items", 9, "items"), (#"{"items":null}"#, "items", 9, "items"),
        (#"{"items":"[1]"}"#, "items", 9, "items"), (#"{"a":[1]}"#, "items", 8, ""),
        (#"{"a":{"b":[1]}}"#, "a.c", 13, "a"), (#"{"a":[[1]]}"#, "a.c", 5, "a"),
        (#"{"a":{"c":2}}"#, "a.c", 10, "a.c"), ("[[1],[2]]", "[2]", 8, "[1]"),
        ("[1,[2]]", "[0]", 1, "[0]"), (#"[{"0":[1]}]"#, "[0][0]", 1, "[0]"),
        ("[]", "[0]", 1, "[0]"),
    ])
    func reportMissingArray(
        _ text: String, _ path: String, _ offset: Int, _ errorPath: String
    ) throws {
        let framing = DocumentFraming.elements(at: try DocumentPath(parsing: path))
        for cut in 1...text.utf8.count {
            let streamed = StreamedText(text, cut: cut, framing)
            #expect(streamed.documents.isEmpty)
            #expect(streamed.error?.code == .missingArray)
            #expect(streamed.error?.offset == offset)
            #expect(streamed.error?.path == (try DocumentPath(parsing: errorPath)))
        }
    }

    @Test(arguments: [
        (#"{"items":[1],"items":[2]}"#, "items", ["1"], "items"),
        (#"{"items":[1],"\u0069tems":2}"#, "items", ["1"], "items"),
        (#"{"a":{"items":[1]},"b":2,"a":3}"#, "a.items", ["1"], "a"),
        (#"{"a":{"items":[],"items":[]}}"#, "a.items", [], "a.items"),
    ])
    func rejectSecondOccurrenceOfElements(
        _ text: String, _ path: String, _ elements: [String], _ errorPath: String
    ) throws {
        let framing = DocumentFraming.elements(at: try DocumentPath(parsing: path))
        for cut in 1...text.utf8.count {
            let streamed = StreamedText(text, cut: cut, framing)
            #expect(streamed.texts == elements)
            #expect(streamed.error?.code == .duplicateKey)
            #expect(streamed.error?.path == (try DocumentPath(parsing: errorPath)))
        }
    }

    @Test(arguments: ["[1", "[1,", "[1,{\"a\":2}", "[1,{\"a\":2", "[1,\"", "[1,2"])
    func followElementsOfTruncatedBody(_ text: String) {
        for cut in StreamedText.cuts {
            let streamed = StreamedText(text, cut: cut)
            #expect(streamed.error?.code == .unexpectedEnd)
            #expect(streamed.error?.offset == text.utf8.count)
            #expect(streamed.documents.first.map { $0.root.int64 == 1 } ?? (text == "[1"))
        }
    }

    /// A limit, a stream at the limit, and a stream that exceeds it by one at a path.
    static let bounds: [ParseLimitsTests.Bound] = [
        .init("bytes", passing: "[1,[12],3]", failing: "[1,[123],3]", at: "[1]") {
            $0.byteCount = 4
        },
        .init("bytes of a number", passing: "[1,1234]", failing: "[1,12345]", at: "[1]") {
            $0.byteCount = 4
        },
        .init("depth", passing: "[1,[[]]]", failing: "[1,[[[]]]]", at: "[1][0][0]") {
            $0.depth = 3
        },
        .init("string", passing: #"["123"]"#, failing: #"["1234"]"#, at: "[0]") {
            $0.stringByteCount = 3
        },
        .init(
            "members", passing: #"[{"a":1,"b":2}]"#, failing: #"[{"a":1,"b":2,"c":3}]"#, at: "[0]"
        ) { $0.memberCount = 2 },
        .init("nodes", passing: "[[1,2,3],[1,2,3]]", failing: "[[1],[1,2,3,4]]", at: "[1]") {
            $0.nodeCount = 4
        },
        .init("one node", passing: "[[],1,\"\"]", failing: "[[],[1]]", at: "[1]") {
            $0.nodeCount = 1
        },
    ]

    @Test(arguments: bounds)
    func enforceLimitsOfElement(_ bound: ParseLimitsTests.Bound) throws {
        var errors: Set<DocumentError> = []
        for cut in 1...bound.failing.utf8.count {
            #expect(StreamedText(bound.passing, cut: cut, limits: bound.limits).error == nil)
            let error = try #require(
                StreamedText(bound.failing, cut: cut, limits: bound.limits).error)
            #expect(error.code == .limitExceeded)
            if !bound.name.contains("node") { #expect(error.path == bound.path) }
            #expect(error.path.components.starts(with: bound.path.components.prefix(1)))
            errors.insert(error)
        }
        #expect(errors.count == 1, "\(errors)")
    }

    /// The limits apply beside the elements, where they may differ from those of the elements.
    static let skippedBounds: [ParseLimitsTests.Bound] = [
        .init("depth", passing: "[[[]]]", failing: "[[[[]]]]", at: "a[0][0][0]") { $0.depth = 4 },
        .init("string", passing: #"["12345"]"#, failing: #"["123456"]"#, at: "a[0]") {
            $0.stringByteCount = 5
        },
        .init("key", passing: #"{"12345":1}"#, failing: #"{"123456":1}"#, at: "a") {
            $0.stringByteCount = 5
        },
        .init("members", passing: #"{"1":1,"2":2}"#, failing: #"{"1":1,"2":2,"3":3}"#, at: "a") {
            $0.memberCount = 2
        },
        .init("bytes of a number", passing: "[1,12345678]", failing: "[1,123456789]", at: "a[1]") {
            $0.byteCount = 8
        },
    ]

    @Test(arguments: skippedBounds)
    func enforceLimitsOfSkippedText(_ bound: ParseLimitsTests.Bound) throws {
        let (passing, failing) = (
            "{\"a\":\(bound.passing),\"items\":[]}", "{\"a\":\(bound.failing),\"items\":[]}"
        )
        var errors: Set<DocumentError> = []
        for cut in 1...failing.utf8.count {
            let items = DocumentFraming.elements(at: "items")
            #expect(StreamedText(passing, cut: cut, items, limits: bound.limits).error == nil)
            let error = try #require(
                StreamedText(failing, cut: cut, items, limits: bound.limits).error)
            #expect(error.code == .limitExceeded)
            #expect(error.path == bound.path)
            errors.insert(error)
        }
        #expect(errors.count == 1, "\(errors)")
    }

    @Test func ignoreByteAndNodeCountsOfSkippedText() {
        var limits = ParseLimits.default
        limits.byteCount = 10
        limits.nodeCount = 3
        let text = #"{"a":[1,2,[3,4,{"b":5}],6],"items":[[1,2]],"z":[1,2,3,4,5,6]}"#
        for cut in 1...text.utf8.count {
            let streamed = StreamedText(text, cut: cut, .elements(at: "items"), limits: limits)
            #expect(streamed.error == nil)
            #expect(streamed.texts == ["[1,2]"])
        }
    }

    @Test(arguments: [DocumentFraming.elements, .lines])
    func enforceLimitOfStream(_ framing: DocumentFraming) throws {
        let text = framing == .lines ? "[1]\n[22]\n" : "[[1],[22]]"
        for cut in 1...text.utf8.count {
            let whole = StreamedText(text, cut: cut, framing, totalByteCount: text.utf8.count)
            #expect(whole.error == nil)
            let streamed = StreamedText(text, cut: cut, framing, totalByteCount: 6)
            #expect(streamed.texts == ["[1]"])
            #expect(streamed.error?.code == .limitExceeded)
            #expect(streamed.error?.offset == 6)
        }
    }

    @Test func enforceLimitOfLine() throws {
        var limits = ParseLimits.default
        limits.byteCount = 4
        for cut in 1...9 {
            #expect(StreamedText("[12]\n[3]", cut: cut, .lines, limits: limits).error == nil)
            let error = StreamedText("[12]\n[345]", cut: cut, .lines, limits: limits).error
            #expect(error?.code == .limitExceeded)
            #expect((error?.offset, error?.line) == (9, 2))
        }
    }

    @Test func rejectRepeatedKeys() throws {
        var limits = ParseLimits.default
        limits.rejectsDuplicateKeys = true
        let text = "[{\"a\":1},\n{\"b\":{\"a\":1,\"a\":2}}]"
        for cut in StreamedText.cuts {
            let streamed = StreamedText(text, cut: cut, limits: limits)
            #expect(streamed.documents.count == 1)
            #expect(streamed.error?.code == .duplicateKey)
            #expect(streamed.error?.path == "[1].b.a")
            #expect((streamed.error?.line, streamed.error?.column) == (2, 13))
        }
    }

    @Test(
        arguments: [
            [0xFE, 0xFF, 0x00, 0x5B], [0xFF, 0xFE, 0x5B, 0x00],
            [0x5B, 0x00, 0x5D, 0x00], [0x00, 0x5B, 0x00, 0x5D],
        ] as [[UInt8]])
    func rejectOtherEncodings(_ bytes: [UInt8]) {
        for framing in [DocumentFraming.elements, .lines] {
            for cut in 1...bytes.count {
                let error = StreamedText(bytes, cut: cut, framing).error
                #expect(error?.code == .unsupportedEncoding)
                #expect(error?.offset == 0)
            }
        }
    }

    @Test func abbreviateLongKeys() throws {
        let key = String(repeating: "é", count: 10_000)
        let text = "{\"\(key)\":[0, x]}"
        let error = try #require(StreamedText(text, cut: 7, .elements(at: "items")).error)
        #expect(error.path.components == [.key(String(key.prefix(512))), .index(1)])
    }
}
