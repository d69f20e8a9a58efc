// SPDX-License-Identifier: Apache-2.0

/// Reads several bodies one after the other, as one.
struct JoinedReader: ChunkReader {
    /// One of the bodies.
    struct Piece: Sendable {
        let body: MessageBody

        /// What errors call it, when they should.
        let name: String?
    }

    private var pieces: ArraySlice<Piece>
    private var current: (chunks: MessageBody.Chunks.Iterator, name: String?)?
    private var allowance: Int

    /// Makes a reader.
    ///
    /// - Parameters:
    ///   - pieces: The bodies.
    ///   - limit: Most bytes of all of them.
    init(_ pieces: [Piece], limit: Int) {
        self.pieces = pieces[...]
        allowance = limit
    }

    mutating func next() async throws -> [UInt8]? {
        while let name = nextName() {
            guard let chunk = try await chunk(of: name) else {
                current = nil
                continue
            }
            guard chunk.count <= allowance else {
                throw TransportError(
                    .bodyTooLarge, stage: .sendingRequest,
                    reason: "the request's body has more bytes than its limit")
            }
            allowance -= chunk.count
            return chunk
        }
        return nil
    }

    /// The name of the piece that is being read, or `nil` when all have been.
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
