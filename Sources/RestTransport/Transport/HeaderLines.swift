// SPDX-License-Identifier: Apache-2.0

/// The lines of a received header, status line first, each with its line end.
struct HeaderLines: Sequence, IteratorProtocol {
    private let header: [UInt8]
    private var position = 0

    init(_ header: [UInt8]) {
        self.header = header
    }

    mutating func next() -> ArraySlice<UInt8>? {
        guard position < header.count else { return nil }
        let start = position
        let lineBreak = header[start...].firstIndex(of: UInt8(ascii: "\n"))
        position = lineBreak.map { $0 + 1 } ?? header.count
        return header[start..<position]
    }
}
