// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import Testing

@Suite struct DocumentStreamTests {
    /// Immediately available chunks, optionally followed by an error.
    struct Chunks<Chunk: Sequence<UInt8> & Sendable>: AsyncSequence, Sendable {
        var chunks: [Chunk]
        var error: (any Error)?

        func makeAsyncIterator() -> Iterator { Iterator(rest: chunks[...], error: error) }

        struct Iterator: AsyncIteratorProtocol {
            var rest: ArraySlice<Chunk>
            let error: (any Error)?

            mutating func next() async throws -> Chunk? {
                if let chunk = rest.popFirst() { return chunk }
                if let error { throw error }
                return nil
            }
        }
    }

    struct Disconnected: Error {}

    static let text = #"{"meta":{"total":3},"articles":[{"id":1},{"id":2},{"id":3}],"links":[]}"#

    private func ids(
        _ chunks: Chunks<some Sequence<UInt8>>, _ framing: DocumentFraming
    ) async throws -> [Int64?] {
        var ids: [Int64?] = []
        for try await document in DocumentStream(chunks, framing) {
            ids.append(document.root["id"]?.int64)
        }
        return ids
    }

    @Test(arguments: [1, 5, 64, 1000])
    func readsChunksOfAnyKind(_ size: Int) async throws {
        let bytes = Array(Self.text.utf8)
        let slices = stride(from: 0, to: bytes.count, by: size).map {
            bytes[$0..<min($0 + size, bytes.count)]
        }
        let articles = DocumentFraming.elements(at: "articles")
        #expect(try await ids(Chunks(chunks: slices), articles) == [1, 2, 3])
        #expect(try await ids(Chunks(chunks: slices.map(Array.init)), articles) == [1, 2, 3])
        #expect(try await ids(Chunks(chunks: slices.map { Data($0) }), articles) == [1, 2, 3])
        let lines = Chunks(chunks: ["{\"id\":4}\n{\"i".utf8, "d\":5}".utf8].map { Data($0) })
        #expect(try await ids(lines, .lines) == [4, 5])
        let array = Chunks(chunks: [Data("[{\"id\":6}]".utf8)])
        #expect(try await ids(array, .elements) == [6])
    }

    @Test func readsAsyncStream() async throws {
        let (chunks, continuation) = AsyncThrowingStream<[UInt8], any Error>.makeStream()
        continuation.yield(Array("[1,".utf8))
        continuation.yield(Array("2]".utf8))
        continuation.finish()
        var count = 0
        for try await document in DocumentStream(chunks) {
            count += document.root.int64 == nil ? 0 : 1
        }
        #expect(count == 2)
    }

    @Test func yieldsDocumentsBeforeError() async {
        var chunks = Chunks(chunks: [Array(Self.text.utf8.prefix(55))])
        var received = 0
        let articles = DocumentFraming.elements(at: "articles")
        await #expect(throws: DocumentError.self) {
            for try await _ in DocumentStream(chunks, articles) { received += 1 }
        }
        #expect(received == 2)
        chunks.error = Disconnected()
        await #expect(throws: Disconnected.self) {
            for try await _ in DocumentStream(chunks, articles) { received += 1 }
        }
        #expect(received == 4)
    }

    @Test func appliesLimits() async {
        var limits = ParseLimits.default
        limits.depth = 2
        let chunks = Chunks(chunks: [Array("[[1],[[2]]]".utf8)])
        await #expect(throws: DocumentError.self) {
            for try await _ in DocumentStream(chunks, limits: limits) {}
        }
        await #expect(throws: DocumentError.self) {
            for try await _ in DocumentStream(chunks, totalByteCount: 10) {}
        }
        await #expect(throws: Never.self) {
            for try await _ in DocumentStream(chunks, totalByteCount: 11) {}
        }
    }

    @Test func endsBetweenDocumentsWhenCancelled() async throws {
        let task = Task { () -> Int in
            var received = 0
            let chunks = Chunks(chunks: [Array(Self.text.utf8)])
            do {
                for try await _ in DocumentStream(chunks, .elements(at: "articles")) {
                    received += 1
                    unsafe withUnsafeCurrentTask { task in unsafe task?.cancel() }
                }
            } catch is CancellationError {
                return received
            }
            return -1
        }
        #expect(try await task.value == 1)
    }

    @Test func iteratesAgainAndStaysAtEnd() async throws {
        let stream = DocumentStream(Chunks(chunks: [Array("[1]".utf8)]))
        for _ in 0..<2 {
            var iterator = stream.makeAsyncIterator()
            #expect(try await iterator.next()?.root.int64 == 1)
            #expect(try await iterator.next() == nil)
            #expect(try await iterator.next() == nil)
        }
    }

    @MainActor @Test func runsInCallersIsolation() async throws {
        var ids: [Int64?] = []
        let chunks = Chunks(chunks: [Array(Self.text.utf8)])
        for try await document in DocumentStream(chunks, .elements(at: "articles")) {
            MainActor.assertIsolated()
            ids.append(document.root["id"]?.int64)
        }
        #expect(ids == [1, 2, 3])
    }
}
