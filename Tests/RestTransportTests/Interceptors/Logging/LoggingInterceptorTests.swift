// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Logging
import RestTesting
import RestTransport
import Synchronization
import TestSupport
import Testing

@Suite struct LoggingInterceptorTests {
    private let lines = LogLines()

    private func client(
        _ level: Logger.Level, _ clock: ManualClock = ManualClock(),
        redaction: LogRedaction = .default, bodyByteCount: Int = 0,
        _ answer: @escaping StubTransport.Handler = { .stub(to: $0) }
    ) throws -> HTTPClient {
        var interceptor = LoggingInterceptor(logger: lines.logger(level))
        interceptor.redaction = redaction
        interceptor.bodyByteCount = bodyByteCount
        return try HTTPClient(
            StubTransport(answer), interceptors: [interceptor], clock: clock)
    }

    @Test func logsEachRequestOnce() async throws {
        let clock = ManualClock()
        let client = try client(.info, clock) { request in
            clock.advance(by: .milliseconds(250))
            if request.url.path == "/v1/a" {
                return .stub(.found, headerFields: [.location: "b"], to: request)
            }
            return .stub(.notFound, to: request)
        }
        let request = try client.request(
            at: "a?page=2", headerFields: [.requestID: "r1", .accept: "*/*"])
        _ = try await client.send(request)
        #expect(
            lines.all == [
                "info: response duration=0.5 s method=GET redirects=1 request-id=r1 "
                    + "status=404 url=https://api.test/v1/a?page=2"
            ])
    }

    @Test func logsFailuresWithDescription() async throws {
        struct Failure: Error, CustomStringConvertible {
            var description: String { "canary" }
        }
        let client = try client(.info) { request in
            switch request.url.path {
            case "/v1/a":
                throw TransportError(
                    .connectionLost, stage: .receivingHeader, request: request, reason: "test")
            case "/v1/b": throw Failure()
            default: throw CancellationError()
            }
        }
        for path in ["a?x=1", "b", "c"] { _ = try? await client.status(path) }
        #expect(
            lines.all == [
                "warning: request failed duration=0 s error=connectionLost while "
                    + "receivingHeader: GET https://api.test/v1/a?…: test method=GET "
                    + "url=https://api.test/v1/a?x=1",
                "warning: request failed duration=0 s error=Failure method=GET "
                    + "url=https://api.test/v1/b",
                "info: request cancelled duration=0 s method=GET "
                    + "url=https://api.test/v1/c",
            ])
    }

    @Test(
        arguments: [
            (.critical, 0), (.warning, 0), (.notice, 0), (.info, 1), (.debug, 3), (.trace, 3),
        ] as [(Logger.Level, Int)])
    func respectsLogLevel(level: Logger.Level, count: Int) async throws {
        let client = try client(level) { .stub(body: Array("body".utf8), to: $0) }
        let request = try client.request(.post, at: "a", body: .bytes(Array("body".utf8)))
        _ = try await client.send(request)
        #expect(lines.all.count == count)
        #expect(lines.all.allSatisfy { !$0.contains("body") })
    }

    @Test func logsHarmlessFields() async throws {
        let name = try #require(HTTPField.Name("X-Tenant"))
        var redaction = LogRedaction()
        redaction.shownFields.formUnion([name, .authorization])
        redaction.hiddenFields.insert(.eTag)
        let client = try client(.debug, redaction: redaction) { request in
            .stub(headerFields: [.contentType: "text/plain", .eTag: "\"x\""], to: request)
        }
        let request = try client.request(
            at: "a",
            headerFields: [
                .accept: "*/*", .authorization: "secret", name: "t", .referer: "https://x/",
            ])
        _ = try await client.send(request)
        #expect(lines.all.count == 3)
        #expect(
            lines.all[0]
                == "debug: request fields=[\"accept: */*\", \"authorization: [hidden]\", "
                + "\"x-tenant: t\", \"referer: [hidden]\"] method=GET "
                + "url=https://api.test/v1/a")
        #expect(
            lines.all[1]
                == "debug: response header fields=[\"content-type: text/plain\", "
                + "\"etag: [hidden]\"] method=GET url=https://api.test/v1/a")
    }

    @Test func logsBodiesIfEnabled() async throws {
        let client = try client(.trace, bodyByteCount: 24) { request in
            .stub(body: Array("a\u{1B}[1m".utf8) + Array(repeating: 65, count: 100), to: request)
        }
        let request = try client.request(
            .post, at: "a", headerFields: [.contentType: "application/x-www-form-urlencoded"],
            body: .bytes(Array("user=anna&password=secret".utf8)))
        _ = try await client.send(request).collect()
        #expect(
            lines.all.filter { $0.hasPrefix("trace") } == [
                "trace: request body body=user=anna&password=[hidden] byte-count=25 method=POST "
                    + "url=https://api.test/v1/a",
                "trace: response body body=a\\u{1B}[1m\(String(repeating: "A", count: 19)) "
                    + "byte-count=105 method=POST url=https://api.test/v1/a",
            ])
    }

    /// The ways in which the same body arrives.
    enum Arrival: String, CaseIterable, Sendable {
        case withHeader
        case inOnePiece
        case inPieces
        case byteByByte

        func pieces(of text: String) -> [[UInt8]] {
            let bytes = Array(text.utf8)
            return switch self {
            case .withHeader, .inOnePiece: [bytes]
            case .inPieces: [Array(bytes.prefix(7)), Array(bytes.dropFirst(7))]
            case .byteByByte: bytes.map { [$0] }
            }
        }
    }

    @Test(arguments: Arrival.allCases, Arrival.allCases)
    func logsSameLinesHoweverBodiesArrive(upload: Arrival, download: Arrival) async throws {
        let answer = "the answer of the server"
        let client = try client(.trace, bodyByteCount: 10) { request in
            let sent = try await request.body.readAll()
            #expect(sent == Array("the request of the user".utf8))
            if download == .withHeader { return .stub(body: Array(answer.utf8), to: request) }
            return TransportResponse(
                to: request, head: HTTPResponse(status: .ok),
                body: ResponseBody(source: DelayedBody(download.pieces(of: answer))))
        }
        let pieces = upload.pieces(of: "the request of the user")
        let body =
            upload == .withHeader
            ? MessageBody.bytes(pieces[0])
            : .stream {
                AsyncStream { continuation in
                    for piece in pieces { continuation.yield(piece) }
                    continuation.finish()
                }
            }
        let response = try await client.send(client.request(.post, at: "a", body: body))
        #expect(try await response.collect() == Array(answer.utf8))
        let subject = "method=POST url=https://api.test/v1/a"
        #expect(
            lines.all.map { $0.replacing("duration=0 s ", with: "") } == [
                "debug: request fields=[] \(subject)",
                "trace: request body body=the reques byte-count=23 \(subject)",
                "debug: response header fields=[] \(subject)",
                "info: response method=POST status=200 url=https://api.test/v1/a",
                "trace: response body body=the answer byte-count=24 \(subject)",
            ])
    }

    @Test(arguments: [true, false])
    func logsTheReadPartOfAnUnfinishedBody(fails: Bool) async throws {
        let lost = TransportError(.connectionLost, stage: .receivingBody, reason: "cut")
        let client = try client(.trace, bodyByteCount: 100) { request in
            TransportResponse(
                to: request, head: HTTPResponse(status: .ok),
                body: ResponseBody(
                    source: PiecewiseBody(["ab", "cd"], failure: fails ? lost : nil)))
        }
        do {
            let response = try await client.send(client.request(at: "a"))
            var iterator = response.body.makeAsyncIterator()
            #expect(try await iterator.next() == Array("ab".utf8))
            if fails {
                _ = try await iterator.next()
                await #expect(throws: TransportError.self) { try await iterator.next() }
            }
        }
        let line = lines.all.last { $0.hasPrefix("trace") }
        let (text, count) = fails ? ("abcd", 4) : ("ab", 2)
        #expect(
            line == "trace: response body body=\(text) byte-count=\(count) incomplete=true "
                + "method=GET url=https://api.test/v1/a")
    }

    @Test(arguments: [true, false])
    func leavesNoLineForUnreadBody(isStreamed: Bool) async throws {
        let client = try client(.trace, bodyByteCount: 100) { request in
            guard isStreamed else { return .stub(body: [65], to: request) }
            return TransportResponse(
                to: request, head: HTTPResponse(status: .ok),
                body: ResponseBody(source: TwoChunkBody([65], [66])))
        }
        #expect(try await client.status("a") == 200)
        #expect(lines.all.count == 3)
        #expect(lines.all.allSatisfy { !$0.contains("body") })
    }

    @Test func logsReplayedUploadOnce() async throws {
        let client = try client(.trace, bodyByteCount: 100) { request in
            _ = try await request.body.readAll()
            guard request.url.path == "/v1/a" else { return .stub(to: request) }
            return .stub(.temporaryRedirect, headerFields: [.location: "b"], to: request)
        }
        let body = MessageBody.stream { chunks(of: Array("abc".utf8), size: 1) }
        _ = try await client.send(client.request(.put, at: "a", body: body))
        #expect(lines.all.filter { $0.contains("request body") }.count == 1)
        #expect(lines.all.contains { $0.contains("body=abc byte-count=3") })
    }

    @Test(.threat("T30"), arguments: [Logger.Level.info, .debug, .trace])
    func escapesServerText(level: Logger.Level) async throws {
        var hostile = ""
        for value in [UInt32](0...0x1F) + [0x7F] + [UInt32](0x80...0x9F) {
            hostile.unicodeScalars.append(try #require(Unicode.Scalar(value)))
        }
        hostile += "\u{2028}\u{2029}\u{202E}\u{2066}\u{FEFF}\u{200B}\\u{1b}"
        let bytes = Array(hostile.utf8)
        let client = try client(level, bodyByteCount: 1000) { request in
            if request.url.path == "/v1/error" {
                throw TransportError(
                    .malformedResponse, stage: .receivingHeader, request: request,
                    reason: String(decoding: bytes, as: UTF8.self))
            }
            var fields = HTTPFields()
            for name in [HTTPField.Name.server, .contentType, .eTag, .requestID] {
                fields.append(HTTPField(name: name, lenientValue: bytes))
            }
            return .stub(headerFields: fields, body: bytes, to: request)
        }
        var fields = HTTPFields()
        fields.append(HTTPField(name: .requestID, lenientValue: bytes.filter { $0 >= 0x80 }))
        for path in ["a", "error"] {
            _ = try? await client.send(try client.request(at: path, headerFields: fields))
        }
        #expect(!lines.all.isEmpty)
        for line in lines.all {
            #expect(
                line.unicodeScalars.allSatisfy { scalar in
                    scalar.value >= 0x20 && !(0x7F..<0xA0).contains(scalar.value)
                        && !(0x2028...0x202E).contains(scalar.value) && scalar != "\u{2066}"
                        && scalar != "\u{FEFF}" && scalar != "\u{200B}"
                }, "\(line)")
        }
        #expect(lines.all.contains { $0.contains("\\u{1B}\\u{1C}") })
    }
}

/// A body whose chunks arrive one after the other, each after other tasks have run.
private final class DelayedBody: ResponseBodySource {
    private let pieces: Mutex<[[UInt8]]>

    init(_ pieces: [[UInt8]]) {
        self.pieces = Mutex(pieces)
    }

    func next() async throws -> [UInt8]? {
        await Task.yield()
        return pieces.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }

    func cancel() {}
}
