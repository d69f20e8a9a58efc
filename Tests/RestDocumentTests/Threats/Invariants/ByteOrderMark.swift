// SPDX-License-Identifier: Apache-2.0

/// The byte order mark that may precede UTF-8 text (RFC 8259, section 8.1).
enum ByteOrderMark {
    static let bytes: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Returns a text without the byte order mark before it.
    static func skipped(in text: [UInt8]) -> [UInt8] {
        text.starts(with: bytes) ? Array(text.dropFirst(bytes.count)) : text
    }
}
