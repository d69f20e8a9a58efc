// SPDX-License-Identifier: Apache-2.0

/// A reader of several bodies in sequence.
struct ConcatenatedReader: ChunkReader {
    /// A body and its name.
    struct Piece: Sendable {
        let body: MessageBody

        /// The name in errors, or `nil` for a body that has none.
        let name: String?
    }

    private var pieces: ArraySlice<Piece>
    private var current: (chunks: MessageBody.Chunks.Iterator, name: String?)?
    private var remainingByteCount: Int

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - pieces: The bodies.
    ///   - limit: The maximum size of all bodies in bytes.
    init(_ pieces: [Piece], limit: Int) {
        self.pieces = pieces[...]
        remainingByteCount = limit
    }

    mutating func next() async throws -> [UInt8]? {
        while let name = nextName() {
            guard let chunk = try await chunk(of: name) else {
                current = nil
                continue
            }
            guard chunk.count <= remainingByteCount else {
                throw TransportError(
                    .bodyTooLarge, stage: .sendingRequest,
                    reason: "the request's body has more bytes than its limit")
            }
            remainingByteCount -= chunk.count
            return chunk
        }
        return nil
    }

    /// Returns the name of the current piece, or `nil` at the end of the last one.
    private mutating func nextName() -> String?? {
        if current == nil {
            guard let piece = pieces.popFirst() else { return nil }
            current = (piece.body.chunks.makeAsyncIterator(), piece.name)
        }
        return current?.name
    }

    private mutating func chunk(of name: String?) async throws -> [UInt8]? {
        do {
            return try await current?.chunks.next()
        } catch var error as TransportError {
            if let name { error.reason = "\(name): \(error.reason)" }
            throw error
        }
    }
}
