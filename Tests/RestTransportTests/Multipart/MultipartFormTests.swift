// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestTransport
import TestSupport
import Testing

@Suite struct MultipartFormTests {
    /// A generator that returns given words and then zeros.
    struct Words: RandomNumberGenerator {
        var words: [UInt64]

        mutating func next() -> UInt64 {
            words.isEmpty ? 0 : words.removeFirst()
        }
    }

    @Test(.tags(.specification)) func encodesPartsInOrder() async throws {
        var form = MultipartForm()
        try form.addField("Blake", named: "name")
        try form.addData(Array("<p>".utf8), named: "page", contentType: "text/html; charset=utf-8")
        try form.addData([0, 1, 2], named: "file", fileName: "blake.png", contentType: "image/png")
        try form.addFields(["a": "1", "a": "2"] as KeyValuePairs)
        var generator = Words(words: [0x0123_4567_89AB_CDEF, 0xF])
        let message = try form.message(using: &generator)
        let boundary = "form-0123456789abcdef000000000000000f"
        #expect(message.contentType == "multipart/form-data; boundary=\(boundary)")
        let expected = """
            --\(boundary)
            Content-Disposition: form-data; name="name"

            Blake
            --\(boundary)
            Content-Disposition: form-data; name="page"
            Content-Type: text/html; charset=utf-8

            <p>
            --\(boundary)
            Content-Disposition: form-data; name="file"; filename="blake.png"
            Content-Type: image/png

            \u{0}\u{1}\u{2}
            --\(boundary)
            Content-Disposition: form-data; name="a"

            1
            --\(boundary)
            Content-Disposition: form-data; name="a"

            2
            --\(boundary)--

            """.replacing("\n", with: "\r\n")
        #expect(try await message.body.readAll() == Array(expected.utf8))
        #expect(message.body.byteCount == expected.utf8.count)
        #expect(message.body.isReplayable)
    }

    @Test func encodesEmptyFormAsClosingDelimiter() async throws {
        var generator = Words(words: [])
        let message = try MultipartForm().message(using: &generator)
        let zeros = String(repeating: "0", count: 32)
        #expect(message.body.bytes == Array("--form-\(zeros)--\r\n".utf8))
    }

    @Test(
        .threat("T33", "T34"),
        arguments: [
            ("a\"b", "a%22b"), ("a\r\nb", "a%0D%0Ab"), ("a\rb\nc", "a%0Db%0Ac"),
            ("\r\n\r\nevil", "%0D%0A%0D%0Aevil"), ("%22", "%22"), ("blåbær 草.txt", "blåbær 草.txt"),
            ("a\\b\\", "a\\b\\"), ("", ""), ("; filename=\"x\"", "; filename=%22x%22"),
        ])
    func escapesNamesLikeBrowsers(name: String, written: String) async throws {
        var form = MultipartForm()
        try form.addData([1], named: name, fileName: name)
        let text = String(decoding: try await form.message().body.readAll(), as: UTF8.self)
        let lines = text.split(separator: "\r\n", omittingEmptySubsequences: false)
        try #require(lines.count == 7)
        let expected =
            "Content-Disposition: form-data; name=\"\(written)\"; filename=\"\(written)\""
        #expect(Array(lines[1].utf8) == Array(expected.utf8))
        #expect(lines[2] == "Content-Type: application/octet-stream")
    }

    @Test(.threat("T33"), arguments: ["a\0b", "\u{1B}[2J", "\u{7F}", "a\tb", "\u{8}"])
    func rejectsControlCharactersInNames(name: String) throws {
        for fileName in [nil, name] {
            let error = #expect(throws: TransportError.self) {
                var form = MultipartForm()
                try form.addField("x", named: "fine")
                try form.addData([], named: fileName == nil ? name : "a", fileName: fileName)
            }
            #expect(error?.code == .invalidRequest)
            #expect(error?.reason.hasPrefix("part 2: ") == true)
            #expect(error?.description.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } == true)
        }
    }

    @Test(
        .threat("T33"),
        arguments: [
            "", "text", "text/", "/plain", "text/plain\r\nX: y", "text/plain;", "text plain/x",
            "text/plain; charset", "text/plain; charset=", "text/plain; a=\"b",
            "text/plain; a=\"\\",
            "text/pläin", "a/b/c", "text/plain; a=b c", "text/plain\0", "text/plain, text/html",
        ])
    func rejectsInvalidMediaTypes(type: String) {
        let error = #expect(throws: TransportError.self) {
            var form = MultipartForm()
            try form.addData([], named: "a", contentType: type)
        }
        #expect(error?.code == .invalidRequest)
    }

    @Test(arguments: [
        "text/plain", "image/svg+xml", "text/plain;charset=utf-8", "a/b; c=\"d\\\"; e\" ; f=g",
        "application/vnd.a.b-c+json; v=1",
    ])
    func acceptsMediaTypes(type: String) throws {
        var form = MultipartForm()
        try form.addData([], named: "a", contentType: type)
        #expect(form.partCount == 1)
    }

    @Test(.threat("T34"), arguments: [100, 16 << 10, 100_000])
    func replacesBoundaryThatOccursInPart(byteCount: Int) async throws {
        let taken = "form-0000000000000001" + "0000000000000002"
        var bytes = [UInt8](repeating: UInt8(ascii: "f"), count: byteCount)
        bytes.replaceSubrange(50..<(50 + taken.utf8.count), with: taken.utf8)
        var form = MultipartForm()
        try form.addField("fine", named: "a")
        try form.addData(bytes, named: "b")
        var generator = Words(words: [1, 2, 1, 2, 3, 4])
        let message = try form.message(using: &generator)
        #expect(message.contentType.hasSuffix("boundary=form-00000000000000030000000000000004"))
        let written = form
        let error = #expect(throws: TransportError.self) {
            var stuck = Words(words: Array(repeating: [1, 2], count: 10).flatMap { $0 })
            return try written.message(using: &stuck)
        }
        #expect(error?.code == .invalidRequest)
    }

    @Test(.threat("T34")) func usesNewBoundaryForEachMessage() throws {
        let boundaries = try (0..<100).map { _ in try MultipartForm().message().contentType }
        #expect(Set(boundaries).count == 100)
        #expect(boundaries.allSatisfy { $0.utf8.count == boundaries[0].utf8.count })
    }

    @Test func hasLengthIfAllPartsHave() async throws {
        let folder = try TemporaryFolder()
        for kind in BodyKind.allCases {
            var form = MultipartForm()
            try form.addField("x", named: "a")
            try form.add(
                kind.body(sampleBytes(50_000), in: folder), named: "b", fileName: "c",
                contentType: nil)
            try form.addField("y", named: "d")
            let body = try form.message().body
            #expect((body.byteCount != nil) == kind.hasLength)
            #expect(body.isReplayable == kind.isReplayable)
            let bytes = try await body.readAll()
            #expect(body.byteCount == nil || body.byteCount == bytes.count)
            #expect(bytes.firstRange(of: sampleBytes(50_000)) != nil)
        }
    }

    @Test(.threat("T34"), arguments: [49_999, 50_001])
    func reportsPartWithWrongLength(announced: Int) async throws {
        var form = MultipartForm()
        try form.addField("x", named: "a")
        let body = MessageBody.stream(byteCount: announced) { chunks(of: sampleBytes(50_000)) }
        try form.add(body, named: "b", fileName: nil, contentType: nil)
        try form.addField("y", named: "c")
        let message = try form.message()
        let error = await transportError { _ = try await message.body.readAll() }
        #expect(error?.code == .bodyLengthMismatch)
        #expect(error?.reason.hasPrefix("part 2: ") == true)
    }

    @Test(arguments: [0, 1]) func enforcesLimits(excess: Int) async throws {
        var limits = MultipartForm.Limits()
        limits.partCount = 3
        let small = [MessageBody](repeating: .bytes([1]), count: 3)
        #expect(try form(small, limits).partCount == 3)
        let three = limits
        let tooMany = #expect(throws: TransportError.self) { try form(small + small, three) }
        #expect(tooMany?.code == .invalidRequest)

        let streamed = MessageBody.stream { chunks(of: sampleBytes(50_000)) }
        let known = MessageBody.stream(byteCount: 50_000) { chunks(of: sampleBytes(50_000)) }
        let wholeByteCount = try await self.form([known], limits).message().body.readAll().count
        limits.byteCount = wholeByteCount - excess
        let late = try self.form([streamed], limits).message()
        if excess == 0 {
            #expect(try await late.body.readAll().count == wholeByteCount)
            #expect(try self.form([known], limits).message().body.byteCount == wholeByteCount)
        } else {
            let lateError = await transportError { _ = try await late.body.readAll() }
            #expect(lateError?.code == .bodyTooLarge)
            let tight = limits
            let early = #expect(throws: TransportError.self) {
                try self.form([known], tight).message()
            }
            #expect(early?.code == .bodyTooLarge)
        }
        let vast = MessageBody.stream(byteCount: .max) { chunks(of: []) }
        let overflow = #expect(throws: TransportError.self) {
            try self.form([vast, vast], MultipartForm.Limits()).message()
        }
        #expect(overflow?.code == .bodyTooLarge)
    }

    private func form(
        _ bodies: [MessageBody], _ limits: MultipartForm.Limits
    ) throws -> MultipartForm {
        var form = MultipartForm(limits: limits)
        for body in bodies {
            try form.add(body, named: "a", fileName: nil, contentType: nil)
        }
        return form
    }

    @Test func usesLastPathComponentAsFileName() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(sampleBytes(10), named: "blake.png")
        var form = MultipartForm()
        try form.addFile(at: path, named: "file", contentType: "image/png")
        let text = String(decoding: try await form.message().body.readAll(), as: UTF8.self)
        #expect(text.contains("name=\"file\"; filename=\"blake.png\"\r\nContent-Type: image/png"))
        let error = #expect(throws: TransportError.self) {
            var form = MultipartForm()
            try form.addFile(at: folder.path + "/absent", named: "file")
        }
        #expect(error?.code == .bodyUnavailable)
    }
}
