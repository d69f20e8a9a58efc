// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The beginning and the length of a body, recorded while another stage reads it.
///
/// The result depends on the bytes alone, not on the chunks or times in which they are read. It is
/// reported once: at the first end of the body, or when the record is released before it.
final class BodyRecord: Sendable {
    /// The recorded part of a body.
    struct Content: Sendable {
        /// The first bytes.
        var beginning: [UInt8] = []

        /// The number of bytes that were read.
        var byteCount = 0

        /// A Boolean value that indicates whether the body was read to its end.
        var isComplete = false
    }

    private struct State {
        var content = Content()
        var isReported = false
    }

    private let limit: Int
    private let report: @Sendable (Content) -> Void
    private let state = Mutex(State())

    /// Creates a record.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of bytes to keep.
    ///   - report: A closure that receives the content, at most once.
    init(limit: Int, report: @escaping @Sendable (Content) -> Void) {
        self.limit = limit
        self.report = report
    }

    /// Records bytes that were read.
    func append(_ chunk: [UInt8]) {
        state.withLock { state in
            let rest = limit - state.content.beginning.count
            state.content.beginning += chunk.prefix(max(rest, 0))
            state.content.byteCount += chunk.count
        }
    }

    /// Discards what was recorded, because the body is read again from its start.
    func restart() {
        state.withLock { $0.content = Content() }
    }

    /// Reports the content, unless it has been reported.
    func end(isComplete: Bool) {
        let content: Content? = state.withLock { state in
            guard !state.isReported else { return nil }
            state.isReported = true
            state.content.isComplete = isComplete
            return state.content
        }
        if let content { report(content) }
    }

    deinit {
        // A body that nobody has begun to read leaves no line.
        if state.withLock({ $0.content.byteCount > 0 }) { end(isComplete: false) }
    }
}

extension MessageBody {
    /// Returns the body with a record of the bytes that are read of it.
    func recorded(in record: BodyRecord) -> MessageBody {
        let source = MessageSource(byteCount: byteCount, isReplayable: isReplayable) {
            RecordedReader(chunks: chunks.makeAsyncIterator(), record: record)
        }
        return MessageBody(storage: .source(source))
    }
}

/// A reader that records the chunks of a body.
private struct RecordedReader: ChunkReader {
    private var chunks: MessageBody.Chunks.Iterator
    private let record: BodyRecord

    init(chunks: MessageBody.Chunks.Iterator, record: BodyRecord) {
        self.chunks = chunks
        self.record = record
        record.restart()
    }

    mutating func next() async throws -> [UInt8]? {
        do {
            guard let chunk = try await chunks.next() else {
                record.end(isComplete: true)
                return nil
            }
            record.append(chunk)
            return chunk
        } catch {
            record.end(isComplete: false)
            throw error
        }
    }
}

/// A response body that records the bytes read of another one.
final class RecordedSource: ResponseBodySource {
    private let chunks: Mutex<ResponseBody.Iterator?>
    private let record: BodyRecord

    init(_ body: ResponseBody, record: BodyRecord) {
        chunks = Mutex(body.makeAsyncIterator())
        self.record = record
    }

    func next() async throws -> [UInt8]? {
        guard var iterator = chunks.withLock({ $0.take() }) else { return nil }
        do {
            guard let chunk = try await iterator.next() else {
                record.end(isComplete: true)
                return nil
            }
            chunks.withLock { [iterator] in $0 = iterator }
            record.append(chunk)
            return chunk
        } catch {
            record.end(isComplete: false)
            throw error
        }
    }

    func cancel() {
        chunks.withLock { $0 = nil }
    }
}
