// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestSyntax

/// An encoded form.
public struct MultipartMessage: Sendable, Hashable {
    /// The value of the Content-Type field, with the boundary.
    public let contentType: String

    /// The body: the parts with their delimiters.
    public let body: MessageBody
}

extension MultipartForm {
    /// Returns the encoded form, with an unpredictable boundary.
    ///
    /// - Returns: The message. Parts from files and streams are read when the message is sent; if a
    ///   part then has another length, sending fails with an error that contains its number.
    /// - Throws: ``TransportError`` with code `bodyTooLarge` if the form exceeds its limit.
    public func message() throws(TransportError) -> MultipartMessage {
        var generator = SystemRandomNumberGenerator()
        return try message(using: &generator)
    }

    /// Returns the encoded form.
    ///
    /// - Parameter generator: The source of the 128 random bits of the boundary. A boundary that
    ///   occurs in a part in memory is replaced by another one.
    /// - Returns: The message.
    /// - Throws: ``TransportError`` with code `bodyTooLarge` if the form exceeds its limit, and
    ///   with code `invalidRequest` if ten boundaries in a row occur in the form.
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
            let boundary = "form-\(bits.map { Hexadecimal.text(of: $0) }.joined())"
            let search = ByteSearch(Array(boundary.utf8))
            let occurs = parts.contains { part in
                part.body.bytes.map { search.occurs(in: $0) } ?? false
            }
            if !occurs { return boundary }
        }
        throw TransportError(
            .invalidRequest, stage: .preparing, reason: "ten boundaries in a row occur in the form")
    }

    private func body(boundary: String) throws(TransportError) -> MessageBody {
        var pieces: [ConcatenatedReader.Piece] = []
        var text = Array("--\(boundary)".utf8)
        for (index, part) in parts.enumerated() {
            text += "\r\n".utf8
            text += part.header
            if let bytes = part.body.bytes, bytes.count <= Self.maximumCopiedByteCount {
                text += bytes
            } else {
                pieces.append(ConcatenatedReader.Piece(body: .bytes(text), name: nil))
                pieces.append(ConcatenatedReader.Piece(body: part.body, name: "part \(index + 1)"))
                text = []
            }
            text += "\r\n--\(boundary)".utf8
        }
        text += "--\r\n".utf8
        pieces.append(ConcatenatedReader.Piece(body: .bytes(text), name: nil))
        return try body(of: pieces)
    }

    private func body(of pieces: [ConcatenatedReader.Piece]) throws(TransportError) -> MessageBody {
        var knownByteCount = 0
        for piece in pieces {
            let (sum, overflows) = knownByteCount.addingReportingOverflow(piece.body.byteCount ?? 0)
            guard !overflows, sum <= limits.byteCount else {
                throw TransportError(
                    .bodyTooLarge, stage: .preparing,
                    reason: "the form has more than \(limits.byteCount) bytes")
            }
            knownByteCount = sum
        }
        if pieces.count == 1 { return pieces[0].body }
        let isKnown = pieces.allSatisfy { $0.body.byteCount != nil }
        let isReplayable = pieces.allSatisfy { $0.body.isReplayable }
        let limit = limits.byteCount
        let source = MessageSource(
            byteCount: isKnown ? knownByteCount : nil, isReplayable: isReplayable
        ) {
            ConcatenatedReader(pieces, limit: limit)
        }
        return MessageBody(storage: .source(source))
    }

    /// The maximum size in bytes of a part in memory that is copied into one chunk with its
    /// delimiters.
    private static let maximumCopiedByteCount = 16 << 10
}

extension TransportRequest {
    /// Sets the body and the Content-Type field to those of a form.
    ///
    /// - Parameter form: The form.
    /// - Throws: The errors of ``MultipartForm/message()``.
    public mutating func setForm(_ form: MultipartForm) throws(TransportError) {
        let message = try form.message()
        headerFields[.contentType] = message.contentType
        body = message.body
    }
}
