// SPDX-License-Identifier: Apache-2.0

/// Compressed bodies, encoded without zlib.
package enum Gzip {
    private static let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]

    /// Returns a text in gzip, in a stored block.
    package static func stored(_ text: String, checksum: UInt32? = nil) -> [UInt8] {
        let bytes = Array(text.utf8)
        return header + block(bytes) + self.bytes(checksum ?? self.checksum(bytes))
            + self.bytes(UInt32(bytes.count))
    }

    /// Returns a text in the `deflate` coding of HTTP, in a stored block in the zlib format.
    package static func storedWithZlib(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        var sums: (UInt32, UInt32) = (1, 0)
        for byte in bytes {
            sums.0 = (sums.0 + UInt32(byte)) % 65_521
            sums.1 = (sums.1 + sums.0) % 65_521
        }
        return [0x78, 0x01] + block(bytes) + self.bytes(sums.1 << 16 | sums.0).reversed()
    }

    /// Returns the final block of a deflate stream, which stores bytes without compression.
    private static func block(_ bytes: [UInt8]) -> [UInt8] {
        let count = UInt16(bytes.count)
        let low = UInt8(truncatingIfNeeded: count)
        let high = UInt8(truncatingIfNeeded: count >> 8)
        return [1, low, high, ~low, ~high] + bytes
    }

    /// Returns zeros in gzip, compressed about a thousandfold.
    ///
    /// The deflate block has three codes: a zero, a copy of 258 bytes at distance 1, and the end. A
    /// copy takes two bits.
    package static func zeros(megabytes: Int) -> [UInt8] {
        let count = megabytes << 20
        var bits = BitWriter()
        bits.write(1, count: 1)
        bits.write(2, count: 2)
        writeCodes(to: &bits)
        bits.writeCode(0b10, count: 2)
        let copyCount = (count - 1) / 258
        for _ in 0..<copyCount {
            bits.write(0, count: 2)
        }
        for _ in 0..<(count - 1 - copyCount * 258) {
            bits.writeCode(0b10, count: 2)
        }
        bits.writeCode(0b11, count: 2)
        // No decoder reaches the end of a larger body, so its checksum need not be right.
        let checksum = megabytes > 1 ? 0 : checksum(repeatElement(0, count: count))
        return header + bits.finished() + bytes(checksum) + bytes(UInt32(count))
    }

    /// Writes the code lengths: two bits for literal 0 and the end, one bit for a copy of 258 bytes and
    /// for distance 1.
    private static func writeCodes(to bits: inout BitWriter) {
        bits.write(29, count: 5)
        bits.write(0, count: 5)
        bits.write(14, count: 4)
        // The code of the lengths: a run of zeros is 0, length 1 is 10, length 2 is 11.
        for length: UInt32 in [0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 2] {
            bits.write(length, count: 3)
        }
        bits.writeCode(0b11, count: 2)
        for run: UInt32 in [138, 117] {
            bits.write(0, count: 1)
            bits.write(run - 11, count: 7)
        }
        bits.writeCode(0b11, count: 2)
        bits.write(0, count: 1)
        bits.write(28 - 11, count: 7)
        bits.writeCode(0b10, count: 2)
        bits.writeCode(0b10, count: 2)
    }

    private static func bytes(_ value: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }

    private static func checksum(_ bytes: some Collection<UInt8>) -> UInt32 {
        var table: [UInt32] = []
        for index in 0..<256 {
            var value = UInt32(index)
            for _ in 0..<8 {
                let shifted = value >> 1
                value = value & 1 == 1 ? shifted ^ 0xEDB8_8320 : shifted
            }
            table.append(value)
        }
        var value = UInt32.max
        for byte in bytes {
            value = (value >> 8) ^ table[Int((value ^ UInt32(byte)) & 0xFF)]
        }
        return ~value
    }

    private struct BitWriter {
        private var bytes: [UInt8] = []
        private var current: UInt32 = 0
        private var count = 0

        mutating func write(_ value: UInt32, count: Int) {
            current |= value << self.count
            self.count += count
            while self.count >= 8 {
                bytes.append(UInt8(truncatingIfNeeded: current))
                current >>= 8
                self.count -= 8
            }
        }

        /// Writes a Huffman code, highest bit first.
        mutating func writeCode(_ code: UInt32, count: Int) {
            for shift in (0..<count).reversed() {
                write(code >> shift & 1, count: 1)
            }
        }

        consuming func finished() -> [UInt8] {
            write(0, count: 7)
            return bytes
        }
    }
}
