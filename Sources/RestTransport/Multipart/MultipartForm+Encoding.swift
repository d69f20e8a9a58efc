// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// A form as it goes on the wire.
public struct MultipartMessage: Sendable, Hashable {
    /// The value of Content-Type, with the boundary.
    public let contentType: String

    /// The parts and what stands between them.
    public let body: MessageBody
}

extension MultipartForm {
    /// Writes the form, with a boundary that nobody can foresee.
    ///
    /// - Returns: The message; parts from files and streams are read when it is sent. A part whose
    ///   length turns out another then ends the exchange with an error that names it by its number.
    /// - Throws: ``TransportError`` with code `bodyTooLarge` when the form is over its limit.
    public func message() throws(TransportError) -> MultipartMessage {
        var generator = SystemRandomNumberGenerator()
        return try message(using: &generator)
    }

    /// Writes the form.
    ///
    /// - Parameter generator: Where the 128 random bits of the boundary come from. A boundary that
    ///   occurs in a part held in memory is drawn again.
    /// - Returns: The message.
    /// - Throws: ``TransportError`` with code `bodyTooLarge` when the form is over its limit, and
    ///   with code `invalidRequest` when ten boundaries in a row occur in it.
    public func message(
        using generator: inout some RandomNumberGenerator
    ) throws(TransportError) -> MultipartMessage {
        let boundary = try boundary(from: &generator)
        return MultipartMessage(
            contentType: "multipart/form-data; boundary=\(boundary)",
            body: try body(boundary: boundary))
    }

    private func boundary(
        from generator: inout some RandomNumberGenerator
    ) throws(TransportError) -> String {
        for _ in 0..<10 {
            let bits = [generator.next() as UInt64, generator.next() as UInt64]
            let digits = bits.map { word in
                let text = String(word, radix: 16)
                return String(repeating: "0", count: 16 - text.utf8.count) + text
            }
            let boundary = "form-\(digits.joined())"
            let search = ByteSearch(Array(boundary.utf8))
            let isTaken = parts.contains { part in
                part.body.bytes.map { search.occurs(in: $0) } ?? false
            }
            if !isTaken { return boundary }
        }
        throw TransportError(
            .invalidRequest, stage: .preparing, reason: "ten boundaries in a row occur in the form")
    }

    private func body(boundary: String) throws(TransportError) -> MessageBody {
        var pieces: [JoinedReader.Piece] = []
        var text = Array("--\(boundary)".utf8)
        for (index, part) in parts.enumerated() {
            text += "\r\n".utf8
            text += part.header
            if let bytes = part.body.bytes, bytes.count <= Self.copiedByteCount {
                text += bytes
            } else {
                pieces.append(JoinedReader.Piece(body: .bytes(text), name: nil))
                pieces.append(JoinedReader.Piece(body: part.body, name: "part \(index + 1)"))
                text = []
            }
            text += "\r\n--\(boundary)".utf8
        }
        text += "--\r\n".utf8
        pieces.append(JoinedReader.Piece(body: .bytes(text), name: nil))
        return try body(of: pieces)
    }

    private func body(of pieces: [JoinedReader.Piece]) throws(TransportError) -> MessageBody {
        var known = 0
        for piece in pieces {
            let (sum, isTooMuch) = known.addingReportingOverflow(piece.body.byteCount ?? 0)
            guard !isTooMuch, sum <= limits.byteCount else {
                throw TransportError(
                    .bodyTooLarge, stage: .preparing,
                    reason: "the form has more than \(limits.byteCount) bytes")
            }
            known = sum
        }
        if pieces.count == 1 { return pieces[0].body }
        let isKnown = pieces.allSatisfy { $0.body.byteCount != nil }
        let isReplayable = pieces.allSatisfy { $0.body.isReplayable }
        let limit = limits.byteCount
        let source = MessageSource(
            byteCount: isKnown ? known : nil, isReplayable: isReplayable
        ) {
            JoinedReader(pieces, limit: limit)
        }
        return MessageBody(storage: .source(source))
    }

    /// Most bytes of a part in memory that are copied to stand beside their neighbours.
    private static let copiedByteCount = 16 << 10
}

extension TransportRequest {
    /// Sets a form as the body, and the Content-Type that goes with it.
    ///
    /// - Parameter form: The form.
    /// - Throws: As ``MultipartForm/message()``.
    public mutating func setForm(_ form: MultipartForm) throws(TransportError) {
        let message = try form.message()
        headerFields[.contentType] = message.contentType
        body = message.body
    }
}
