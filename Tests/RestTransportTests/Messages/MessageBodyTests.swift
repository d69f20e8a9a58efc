// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import RestTransport
import TestSupport
import Testing

@Suite struct MessageBodyTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test(arguments: BodyKind.allCases, [0, 1, 65_536, 200_000])
    func readsEachKindFromItsStart(kind: BodyKind, count: Int) async throws {
        let bytes = sampleBytes(count)
        let body = try kind.body(bytes, in: folder)
        #expect(body.byteCount == (kind.hasLength ? count : nil))
        #expect(body.isReplayable == kind.isReplayable)
        #expect(!body.isEmpty)
        #expect(try await body.readAll() == bytes)
        if kind == .bytes || kind == .file {
            #expect(try await body.readAll() == bytes)
        }
    }

    @Test func createsStreamForEachTransmission() async throws {
        let body = MessageBody.stream { chunks(of: Array("again".utf8), size: 2) }
        for _ in 0..<3 {
            #expect(try await body.readAll() == Array("again".utf8))
        }
    }

    @Test func readsSequenceOnlyOnce() async throws {
        let body = MessageBody.once(chunks(of: [1, 2, 3]))
        #expect(try await body.readAll() == [1, 2, 3])
        let error = await transportError { _ = try await body.readAll() }
        #expect(error?.code == .bodyNotReplayable)
    }

    @Test func readsSequenceLazily() async throws {
        let body = MessageBody.once(chunks(of: [1, 2, 3]))
        _ = body.chunks
        _ = body.chunks.makeAsyncIterator()
        #expect(try await body.readAll() == [1, 2, 3])
    }

    @Test(arguments: [9, 11, 0, 1000])
    func throwsWhenLengthDiffersFromDeclared(declared: Int) async throws {
        for body in [
            MessageBody.stream(byteCount: declared) { chunks(of: sampleBytes(10), size: 5) },
            MessageBody.once(chunks(of: sampleBytes(10), size: 10), byteCount: declared),
        ] {
            var count = 0
            let error = await transportError {
                for try await chunk in body.chunks { count += chunk.count }
            }
            #expect(error?.code == .bodyLengthMismatch)
            #expect(error?.stage == .sendingRequest)
            // A body that is too long is never complete.
            #expect(count < max(declared, 1) || declared > 10)
        }
    }

    @Test(arguments: [5, 15])
    func throwsWhenFileLengthHasChanged(newLength: Int) async throws {
        let path = try folder.write(sampleBytes(10))
        let body = try MessageBody.file(at: path)
        try Data(sampleBytes(newLength)).write(to: URL(fileURLWithPath: path))
        let error = await transportError { _ = try await body.readAll() }
        #expect(error?.code == .bodyLengthMismatch)
    }

    @Test(arguments: [-1, 1])
    func throwsWhenFileLengthChangesDuringRead(change: Int) async throws {
        let path = try folder.write(sampleBytes(200_000))
        let body = try MessageBody.file(at: path)
        var iterator = body.chunks.makeAsyncIterator()
        var count = try await iterator.next()?.count ?? 0
        let file = try #require(FileHandle(forWritingAtPath: path))
        try file.truncate(atOffset: UInt64(200_000 + change))
        try file.close()
        let error = await transportError {
            while let chunk = try await iterator.next() { count += chunk.count }
        }
        #expect(error?.code == .bodyLengthMismatch)
        #expect(count < 200_000)
        #expect(try await iterator.next() == nil)
    }

    @Test func rejectsPathsThatAreNotFiles() async throws {
        let pipe = folder.path + "/pipe"
        try #require(unsafe mkfifo(pipe, 0o600) == 0)
        let file = try folder.write([1], named: "file")
        for path in [folder.path, folder.path + "/absent", pipe, "", file + "\0.txt", "/dev/null"] {
            let error = await transportError { _ = try MessageBody.file(at: path) }
            #expect(error?.code == .bodyUnavailable)
            #expect(error?.description.contains(folder.path) == false)
        }
    }

    @Test func wrapsErrorsOfSources() async throws {
        struct Broken: Error {}
        let failing = AsyncThrowingStream<[UInt8], any Error> { $0.finish(throwing: Broken()) }
        let bodies = [
            MessageBody.once(failing),
            MessageBody.stream { () async throws -> AsyncStream<[UInt8]> in throw Broken() },
            MessageBody.stream {
                AsyncThrowingStream<[UInt8], any Error> { throw CancellationError() }
            },
        ]
        for body in bodies {
            let error = await transportError { _ = try await body.readAll() }
            #expect(error?.code == .bodyUnavailable)
            #expect(error?.underlying is Broken || error?.underlying is CancellationError)
        }
    }

    @Test func comparesBytesOrSources() throws {
        let one = MessageBody.stream { chunks(of: [1]) }
        let other = MessageBody.stream { chunks(of: [1]) }
        #expect(one == one)
        #expect(one != other)
        #expect(MessageBody.bytes([1]) == .bytes([1]))
        #expect(MessageBody.bytes([]) != .empty)
        #expect(Set([one, other, one, .bytes([1]), .bytes([1])]).count == 3)
    }
}
