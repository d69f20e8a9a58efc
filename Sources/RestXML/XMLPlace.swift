// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// A place in the bytes of a text.
struct XMLPlace {
    let offset: Int
    let line: Int
    let column: Int

    /// The place of a byte; one beyond the end is the end.
    init(offset: Int, in bytes: [UInt8]) {
        let offset = min(max(0, offset), bytes.count)
        var (line, lineStart) = (1, 0)
        for position in 0..<offset where bytes[position] == UInt8(ascii: "\n") {
            line += 1
            lineStart = position + 1
        }
        self.offset = offset
        self.line = line
        column = offset - lineStart + 1
    }

    /// The place of a line and a column, both counted from 1.
    init(line: Int, column: Int, in bytes: [UInt8]) {
        var (found, offset) = (1, 0)
        while found < line, let end = bytes[offset...].firstIndex(of: UInt8(ascii: "\n")) {
            found += 1
            offset = end + 1
        }
        self.init(offset: offset + max(0, column - 1), in: bytes)
    }

    func error(
        _ code: DocumentError.Code, _ expected: String, path: DocumentPath = .root
    ) -> DocumentError {
        DocumentError(
            code, offset: offset, line: line, column: column, path: path, expected: expected)
    }
}
