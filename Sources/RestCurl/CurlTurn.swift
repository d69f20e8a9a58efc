// SPDX-License-Identifier: Apache-2.0

/// The work for one transfer until it gives way to the others and to the time limits.
///
/// libcurl reads from a connection as long as bytes arrive, a hundred times the receive buffer. A
/// server that sends without a pause would take the thread from the exchanges with other servers.
struct CurlTurn {
    /// The number of bytes, received or decompressed, after which the turn is over.
    private static let byteCount = 256 << 10

    private var workByteCount = 0

    /// A Boolean value that indicates whether receiving is paused until the next turn.
    private(set) var isOver = false

    /// Counts work.
    ///
    /// - Returns: A Boolean value that indicates whether the turn ends with it.
    mutating func endsWithWork(of byteCount: Int) -> Bool {
        workByteCount += byteCount
        guard workByteCount >= Self.byteCount, !isOver else { return false }
        isOver = true
        return true
    }
}
