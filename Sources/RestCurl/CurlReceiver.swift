// SPDX-License-Identifier: Apache-2.0

import RestCompression
import RestTransport

/// Collects header and body of one response as libcurl brings them, and counts them.
///
/// Invariant: libcurl's bytes are valid during the callback that brings them; what is kept is
/// copied.
struct CurlReceiver {
    private var meter = ResponseMeter(limits: .default)
    private var header: [UInt8] = []
    private var body: [UInt8] = []
    private var chunks: ChunkedBodyReader?
    private var inflater: Inflater?
    private var encodedByteCount = 0

    /// Whether the final header has come to its end.
    private(set) var isHeaderComplete = false

    /// Whether the header has been handed over.
    private(set) var isHeaderDelivered = false

    /// Bytes handed over that nobody has taken yet.
    var untakenByteCount = 0

    /// The limit or rule that the response broke.
    var violation: ResponseMeter.Violation? { meter.violation }

    /// Bytes that nobody has taken yet.
    var heldByteCount: Int { body.count + untakenByteCount }

    mutating func begin(_ limits: TransportLimits, in room: consuming ReceivingRoom?) {
        meter = ResponseMeter(limits: limits)
        if let room {
            header = room.header
            body = room.body
        }
        isHeaderComplete = false
        isHeaderDelivered = false
        untakenByteCount = 0
        encodedByteCount = 0
    }

    mutating func end() {
        header = []
        body = []
        chunks = nil
        inflater = nil
    }

    /// What a header line was.
    enum HeaderEvent {
        case line
        /// The end of the final header.
        case end
        case violation
    }

    mutating func receive(headerLine line: UnsafeRawBufferPointer) -> HeaderEvent {
        guard meter.countLine(line.count) else { return .violation }
        // Lines after the end of the header are trailer fields: counted, not kept.
        if isHeaderComplete { return .line }
        if line.count > 2
            || (unsafe line.first != UInt8(ascii: "\r") && line.first != UInt8(ascii: "\n"))
        {
            unsafe header.append(contentsOf: line)
            return .line
        }
        guard meter.countFields(in: header) else { return .violation }
        if ResponseHead.isInterim(header) {
            // It is not kept, but its bytes stay counted.
            header.removeAll(keepingCapacity: true)
            meter.beginResponse()
            return .line
        }
        isHeaderComplete = true
        beginBody()
        return .end
    }

    private mutating func beginBody() {
        if meter.isChunked { chunks = ChunkedBodyReader() }
        inflater = meter.coding.map { Inflater($0) }
        if let length = meter.contentLength {
            body.reserveCapacity(min(length, Self.reservedByteCount))
        }
    }

    /// Takes bytes of the body as they came from the connection.
    mutating func receive(body bytes: UnsafeRawBufferPointer) -> Bool {
        guard chunks != nil else { return unsafe receive(content: bytes) }
        return unsafe receive(chunks: bytes)
    }

    private mutating func receive(chunks bytes: UnsafeRawBufferPointer) -> Bool {
        guard var chunks else { return false }
        defer { self.chunks = chunks }
        let trailerByteCount = chunks.trailerByteCount
        var position = 0
        do throws(ChunkedBodyReader.Fault) {
            let span = unsafe bytes.bindMemory(to: UInt8.self).span
            while let range = try chunks.next(in: span, from: &position) {
                guard unsafe receive(content: UnsafeRawBufferPointer(rebasing: bytes[range]))
                else { return false }
            }
        } catch {
            return meter.fail(.brokenChunks)
        }
        return meter.countLine(chunks.trailerByteCount - trailerByteCount)
    }

    private mutating func receive(content bytes: UnsafeRawBufferPointer) -> Bool {
        encodedByteCount += bytes.count
        guard inflater == nil else { return decode(unsafe Array(bytes)[...]) }
        guard meter.count(bodyByteCount: bytes.count, encodedByteCount: { bytes.count }) else {
            return false
        }
        unsafe body.append(contentsOf: bytes)
        return true
    }

    private mutating func decode(_ encoded: consuming ArraySlice<UInt8>) -> Bool {
        guard let inflater else { return false }
        do throws(Inflater.Fault) {
            while true {
                let piece = try inflater.decode(&encoded)
                if piece.isEmpty { return true }
                guard
                    meter.count(
                        bodyByteCount: piece.count,
                        encodedByteCount: { inflater.encodedByteCount })
                else { return false }
                body += piece
            }
        } catch {
            return meter.fail(.undecodableBody)
        }
    }

    /// Whether all of the body has come, as far as the response itself tells.
    var isBodyComplete: Bool {
        if inflater?.isCut == true { return false }
        if let chunks { return chunks.isAtEnd }
        return meter.contentLength.map { $0 <= encodedByteCount } ?? false
    }

    /// Looks at the end of the exchange whether the body was a whole.
    ///
    /// - Returns: Whether it was; otherwise there is a violation.
    mutating func finishBody() -> Bool {
        if chunks?.isCut == true || inflater?.isCut == true { return meter.fail(.cutBody) }
        return violation == nil
    }

    /// Goes on after bytes that had been handed over, with room for all that was announced.
    mutating func gather(after taken: consuming [UInt8]) {
        // Most often that has room enough, from when the header came.
        taken.reserveCapacity(min(meter.contentLength ?? 0, Self.gatheredByteCount))
        taken += body
        body = taken
        untakenByteCount = 0
    }

    mutating func takeHeader() -> [UInt8] {
        var taken: [UInt8] = []
        swap(&taken, &header)
        isHeaderDelivered = true
        return taken
    }

    mutating func takeBody() -> [UInt8] {
        var taken: [UInt8] = []
        swap(&taken, &body)
        return taken
    }

    /// Most bytes reserved on the word of a Content-Length field.
    private static let reservedByteCount = 1 << 20

    /// Most bytes reserved on that word for a body that is wanted whole.
    private static let gatheredByteCount = 16 << 20
}
