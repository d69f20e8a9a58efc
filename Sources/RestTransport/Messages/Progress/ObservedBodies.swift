// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Synchronization

extension MessageBody {
    /// Returns the body with an observer that is notified when bytes of it are sent.
    func observed(by observer: ProgressObserver) -> MessageBody {
        guard !isEmpty else { return self }
        let source = MessageSource(byteCount: byteCount, isReplayable: isReplayable) {
            ObservedReader(observer, of: self)
        }
        return MessageBody(storage: .source(source))
    }
}

/// A reader that splits the chunks of a body into pieces small enough to report progress.
private struct ObservedReader: ChunkReader {
    private var chunks: MessageBody.Chunks.Iterator
    private let observer: ProgressObserver
    private var rest: ArraySlice<UInt8> = []

    init(_ observer: ProgressObserver, of body: MessageBody) {
        self.observer = observer
        chunks = body.chunks.makeAsyncIterator()
        observer.beginSending(body)
    }

    mutating func next() async throws -> [UInt8]? {
        if rest.isEmpty {
            guard let chunk = try await chunks.next() else {
                observer.noteSendingComplete()
                return nil
            }
            rest = chunk[...]
        }
        let piece = Array(rest.prefix(Self.pieceByteCount))
        rest = rest.dropFirst(piece.count)
        observer.noteSent(piece.count)
        return piece
    }

    private static let pieceByteCount = 64 << 10
}

extension TransportResponse {
    /// Returns the response with an observer that is notified when bytes of its body are read.
    func observed(by observer: ProgressObserver) -> TransportResponse {
        var response = self
        let hasUnknownLength = headerFields.contains(.contentEncoding) || request.method == .head
        let expected = hasUnknownLength ? nil : headerFields[.contentLength].flatMap { Int($0) }
        observer.beginReceiving(expecting: body.completeBytes?.count ?? expected)
        if let bytes = body.completeBytes {
            observer.noteReceived(bytes.count)
            observer.end(isComplete: true)
        } else {
            response.body = ResponseBody(source: ObservedSource(body, observer: observer))
        }
        return response
    }
}

/// A response body that counts the bytes read of another one.
private final class ObservedSource: ResponseBodySource {
    private let chunks: Mutex<ResponseBody.Iterator?>
    private let observer: ProgressObserver

    init(_ body: ResponseBody, observer: ProgressObserver) {
        chunks = Mutex(body.makeAsyncIterator())
        self.observer = observer
    }

    func next() async throws -> [UInt8]? {
        guard var iterator = chunks.withLock({ $0.take() }) else { return nil }
        do {
            guard let chunk = try await iterator.next() else {
                observer.end(isComplete: true)
                return nil
            }
            chunks.withLock { [iterator] in $0 = iterator }
            observer.noteReceived(chunk.count)
            return chunk
        } catch {
            observer.end(isComplete: false)
            throw error
        }
    }

    func cancel() {
        chunks.withLock { $0 = nil }
        observer.end(isComplete: false)
    }
}
