// SPDX-License-Identifier: Apache-2.0

import RestTransport

/// Collects header and body of one response as libcurl brings them, and counts them.
///
/// Invariant: libcurl's bytes are valid during the callback that brings them; what is kept is
/// copied.
struct CurlReceiver {
    private var meter = ResponseMeter(limits: .default)
    private var header: [UInt8] = []
    private var body: [UInt8] = []

    /// Whether the final header has come to its end.
    private(set) var isHeaderComplete = false

    /// Whether the header has been handed over.
    private(set) var isHeaderDelivered = false

    /// Bytes handed over that nobody has taken yet.
    var untakenByteCount = 0

    /// The limit or rule that the response broke.
    var violation: ResponseMeter.Violation? { meter.violation }

    /// The announced length of the body, when there is one.
    var contentLength: Int? { meter.contentLength }

    /// Whether the body is to be passed on without decoding.
    var hasForeignCoding: Bool { meter.hasForeignCoding }

    /// Bytes that nobody has taken yet.
    var heldByteCount: Int { body.count + untakenByteCount }

    mutating func begin(_ limits: TransportLimits) {
        meter = ResponseMeter(limits: limits)
        isHeaderComplete = false
        isHeaderDelivered = false
        untakenByteCount = 0
        header.reserveCapacity(512)
    }

    mutating func end() {
        header = []
        body = []
    }

    mutating func receive(headerLine line: UnsafeRawBufferPointer) -> Bool {
        // Lines after the end of the header are trailer fields: counted, not kept.
        if isHeaderComplete { return meter.countLine(line.count) }
        if line.count <= 2,
            unsafe line.first == UInt8(ascii: "\r") || line.first == UInt8(ascii: "\n")
        {
            isHeaderComplete = !ResponseHead.isInterim(header)
            if isHeaderComplete, let length = meter.contentLength {
                body.reserveCapacity(min(length, Self.reservedByteCount))
            }
            return meter.countLine(line.count)
        }
        if unsafe line.starts(with: "HTTP/".utf8), !header.isEmpty {
            // An interim response is over; it is not kept, but its bytes stay counted.
            header.removeAll(keepingCapacity: true)
            meter.beginResponse()
        }
        let start = header.count
        unsafe header.append(contentsOf: line)
        return start == 0 ? meter.countLine(line.count) : meter.count(field: header[start...])
    }

    mutating func receive(body bytes: UnsafeRawBufferPointer, encodedByteCount: () -> Int) -> Bool {
        guard meter.count(bodyByteCount: bytes.count, encodedByteCount: encodedByteCount) else {
            return false
        }
        unsafe body.append(contentsOf: bytes)
        return true
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
