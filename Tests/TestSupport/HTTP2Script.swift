// SPDX-License-Identifier: Apache-2.0

package import RestTesting

/// The frames of HTTP/2 that scripts of loopback servers exchange.
///
/// - Source: RFC 9113 §6; RFC 7541 appendix A for the encoded header fields.
package enum HTTP2Frame {
    /// The header of a response with a status and, optionally, an announced length.
    case header(status: Int, length: Int? = nil, endsStream: Bool = false)

    /// A part of a body.
    case data(String, endsStream: Bool = false)

    /// The abrupt end of a stream.
    case reset(code: UInt8)

    /// The announced end of a connection that has processed no stream after the last one.
    case goAway(lastStream: Int)

    /// A part of a body of no stream, which is an error of the connection.
    case misplacedData

    fileprivate func bytes(on stream: Int) -> [UInt8] {
        switch self {
        case .header(let status, let length, let endsStream):
            var fields: [UInt8] = [0x08, 3] + Array("\(status)".utf8)
            if let length {
                let text = Array("\(length)".utf8)
                fields += [0x0F, 0x0D, UInt8(text.count)] + text
            }
            return Self.frame(1, flags: endsStream ? 5 : 4, stream, fields)
        case .data(let text, let endsStream):
            return Self.frame(0, flags: endsStream ? 1 : 0, stream, Array(text.utf8))
        case .reset(let code):
            return Self.frame(3, flags: 0, stream, [0, 0, 0, code])
        case .goAway(let lastStream):
            return Self.frame(7, flags: 0, 0, Self.number(lastStream) + [0, 0, 0, 0])
        case .misplacedData:
            return Self.frame(0, flags: 0, 0, [0])
        }
    }

    fileprivate static func frame(
        _ type: UInt8, flags: UInt8, _ stream: Int, _ payload: [UInt8]
    ) -> [UInt8] {
        number(payload.count)[1...] + [type, flags] + number(stream) + payload
    }

    private static func number(_ number: Int) -> [UInt8] {
        stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}

extension LoopbackConnection {
    /// Sends frames on a stream, and flow control of the connection where a frame is about it.
    package func send(_ frames: [HTTP2Frame], on stream: Int) {
        send(frames.flatMap { $0.bytes(on: stream) })
    }

    /// Reads the preface of a client and sends that of the server.
    ///
    /// - Returns: A Boolean value that indicates whether the client speaks HTTP/2.
    package func acceptHTTP2() -> Bool {
        guard let preface = readBytes(24), preface.starts(with: "PRI * HTTP/2.0".utf8) else {
            return false
        }
        return send(HTTP2Frame.frame(4, flags: 0, 0, []))
    }

    /// Reads frames until the header of a request is complete, and acknowledges settings and pings.
    ///
    /// - Returns: The stream of the request, or `nil` if the connection ended before.
    package func readHTTP2Request() -> Int? {
        while let header = readBytes(9) {
            let byteCount = header[..<3].reduce(0) { $0 << 8 | Int($1) }
            guard let payload = readBytes(byteCount) else { return nil }
            let stream = header[5...].reduce(0) { $0 << 8 | Int($1) }
            let (type, flags) = (header[3], header[4])
            switch type {
            case 1 where flags & 4 != 0, 9 where flags & 4 != 0: return stream
            case 4 where flags & 1 == 0: send(HTTP2Frame.frame(4, flags: 1, 0, []))
            case 6 where flags & 1 == 0: send(HTTP2Frame.frame(6, flags: 1, 0, payload))
            default: break
            }
        }
        return nil
    }
}
