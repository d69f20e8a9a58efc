// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestCompression
import RestTransport

/// The receive buffer of one response, which counts header and body as libcurl delivers them.
///
/// Invariant: the bytes of libcurl are valid during the callback that delivers them; bytes that are
/// kept are copied.
struct CurlReceiver {
    private var meter = ResponseMeter(limits: .default)
    private var header: [UInt8] = []
    private var body: [UInt8] = []
    private var chunks: ChunkedBodyReader?
    private var inflater: Inflater?
    private var encodedByteCount = 0

    /// A Boolean value that indicates whether the framing of the response makes unclear where the next
    /// one begins: bytes follow the last chunk, or a transfer coding occurs together with a length or
    /// in HTTP/1.0.
    ///
    /// - Source: RFC 9112 §6.1, §6.3.
    private(set) var hasFaultyFraming = false

    /// A Boolean value that indicates whether the final header has been received.
    private(set) var isHeaderComplete = false

    /// A Boolean value that indicates whether the header has been delivered.
    private(set) var isHeaderDelivered = false

    /// The number of delivered bytes that have not been read yet.
    var unreadByteCount = 0

    /// The limit or rule that the response violates.
    var violation: ResponseMeter.Violation? { meter.violation }

    /// The number of received bytes that have not been read yet.
    var pendingByteCount: Int { body.count + unreadByteCount }

    mutating func begin(_ limits: TransportLimits, into buffers: consuming ReceiveBuffers?) {
        meter = ResponseMeter(limits: limits)
        if let buffers {
            header = buffers.header
            body = buffers.body
        }
        isHeaderComplete = false
        isHeaderDelivered = false
        hasFaultyFraming = false
        unreadByteCount = 0
        encodedByteCount = 0
    }

    mutating func end() {
        header = []
        body = []
        chunks = nil
        inflater = nil
    }

    /// The result of receiving a header line.
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
        // libcurl 8.23 delivers the rest of a line whose connection has ended.
        guard unsafe line.last == UInt8(ascii: "\n") else { return .line }
        if line.count > 2
            || (unsafe line.first != UInt8(ascii: "\r") && line.first != UInt8(ascii: "\n"))
        {
            unsafe header.append(contentsOf: line)
            return .line
        }
        guard meter.countFields(in: header) else { return .violation }
        if let defect = ResponseHead.defect(in: header) {
            _ = meter.fail(.malformedHead(defect))
            return .violation
        }
        if ResponseHead.isInterim(header) {
            // Its fields are discarded, but its bytes stay counted.
            header.removeAll(keepingCapacity: true)
            meter.beginResponse()
            return .line
        }
        isHeaderComplete = true
        beginBody()
        return .end
    }

    private mutating func beginBody() {
        if meter.isChunked {
            chunks = ChunkedBodyReader()
            hasFaultyFraming =
                meter.contentLength != nil || ResponseHead.isOfHTTP10(header)
        }
        inflater = meter.coding.map { Inflater($0) }
        if let length = meter.contentLength {
            body.reserveCapacity(min(length, Self.reservationLimit))
        }
    }

    /// Receives bytes of the body as they arrived from the connection.
    ///
    /// - Returns: A Boolean value that indicates whether the bytes are valid and within the limits.
    mutating func receive(body bytes: UnsafeRawBufferPointer) -> Bool {
        guard chunks != nil else { return unsafe receive(content: bytes) }
        return unsafe receive(chunks: bytes)
    }

    private mutating func receive(chunks bytes: UnsafeRawBufferPointer) -> Bool {
        guard var chunks else { return false }
        defer { self.chunks = chunks }
        let trailerByteCount = chunks.trailerByteCount
        var position = 0
        do throws(ChunkedBodyReader.FramingError) {
            let span = unsafe bytes.bindMemory(to: UInt8.self).span
            while let range = try chunks.next(in: span, from: &position) {
                guard unsafe receive(content: UnsafeRawBufferPointer(rebasing: bytes[range]))
                else { return false }
            }
        } catch {
            return meter.fail(.malformedChunks)
        }
        if position < bytes.count { hasFaultyFraming = true }
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
        do throws(Inflater.DataError) {
            while true {
                let decoded = try inflater.decode(&encoded)
                if decoded.isEmpty {
                    return meter.count(encodedByteCount: inflater.encodedByteCount)
                }
                guard
                    meter.count(
                        bodyByteCount: decoded.count,
                        encodedByteCount: { inflater.encodedByteCount })
                else { return false }
                body += decoded
            }
        } catch {
            return meter.fail(.undecodableBody)
        }
    }

    /// A Boolean value that indicates whether the framing of the response shows its body to be complete.
    var isBodyComplete: Bool {
        if inflater?.isTruncated == true { return false }
        if let chunks { return chunks.isAtEnd }
        return meter.contentLength.map { $0 <= encodedByteCount } ?? false
    }

    /// Returns a Boolean value that indicates whether the response ends with its header.
    ///
    /// - Source: RFC 9112 §6.3.
    func isWithoutBody(status: Int, method: HTTPRequest.Method) -> Bool {
        method == .head || status == 204 || status == 304
            || meter.contentLength == 0 && !meter.isChunked
    }

    /// Returns a Boolean value that indicates whether the body ends only with the connection.
    ///
    /// - Source: RFC 9112 §6.3.
    func isDelimitedByConnection(status: Int, method: HTTPRequest.Method) -> Bool {
        !meter.isChunked && meter.contentLength == nil && method != .head && status != 204
            && status != 304
    }

    /// Checks at the end of the exchange that the body is complete.
    ///
    /// - Parameter isCut: Whether the connection ended in a way that does not complete the body.
    /// - Returns: A Boolean value that indicates whether it is; if not, ``violation`` is set.
    mutating func finishBody(isCut: Bool) -> Bool {
        if isCut || chunks?.isTruncated == true || inflater?.isTruncated == true {
            return meter.fail(.truncatedBody)
        }
        return violation == nil
    }

    /// Takes back delivered bytes and reserves capacity for the announced length of the body.
    mutating func collect(after delivered: consuming [UInt8]) {
        // Usually the capacity reserved after the header is enough.
        delivered.reserveCapacity(min(meter.contentLength ?? 0, Self.collectReservationLimit))
        delivered += body
        body = delivered
        unreadByteCount = 0
    }

    mutating func takeHeader() -> [UInt8] {
        var result: [UInt8] = []
        swap(&result, &header)
        isHeaderDelivered = true
        return result
    }

    mutating func takeBody() -> [UInt8] {
        var result: [UInt8] = []
        swap(&result, &body)
        return result
    }

    /// The maximum number of bytes reserved because of a Content-Length field.
    private static let reservationLimit = 1 << 20

    /// The maximum number of bytes reserved because of that field for a body that is collected.
    private static let collectReservationLimit = 16 << 20
}
