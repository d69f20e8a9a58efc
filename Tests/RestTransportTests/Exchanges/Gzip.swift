// SPDX-License-Identifier: Apache-2.0

/// Compressed bodies, made by hand.
enum Gzip {
    /// Zero bytes, compressed about a thousand times.
    ///
    /// One deflate block with fixed codes: a literal zero, then copies of 258 bytes from one byte
    /// before, until the whole number of megabytes is reached.
    static func zeros(megabytes: Int) -> [UInt8] {
        let count = megabytes << 20
        var bits = BitWriter()
        bits.write(0b1, count: 1)
        bits.write(0b01, count: 2)
        bits.writeCode(0x30, count: 8)
        var rest = count - 1
        while rest >= 258 {
            // Length code 285 is 258 bytes; distance code 0 is one byte back.
            bits.writeCode(0b1100_0101, count: 8)
            bits.writeCode(0, count: 5)
            rest -= 258
        }
        for _ in 0..<rest {
            bits.writeCode(0x30, count: 8)
        }
        bits.writeCode(0, count: 7)
        let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]
        return header + bits.finished() + bytes(checksumOfZeros(count)) + bytes(UInt32(count))
    }

    private static func bytes(_ value: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }

    private static func checksumOfZeros(_ count: Int) -> UInt32 {
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
        for _ in 0..<count {
            value = (value >> 8) ^ table[Int(value & 0xFF)]
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

        /// Huffman codes go out with their highest bit first.
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
