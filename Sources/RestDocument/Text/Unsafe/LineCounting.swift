// SPDX-License-Identifier: Apache-2.0

/// Returns the line and column of an offset, both counted from 1, the column in bytes.
func lineAndColumn(
    of offset: Int, in bytes: UnsafePointer<UInt8>
) -> (line: Int, column: Int) {
    var line = 1
    var lineStart = 0
    for position in 0..<offset where unsafe bytes[position] == 0x0A {
        line += 1
        lineStart = position + 1
    }
    return (line, offset - lineStart + 1)
}

/// Counts line breaks, 16 bytes at a time.
///
/// - Parameters:
///   - start: The bytes.
///   - count: The number of bytes.
/// - Returns: The number of `\n` among the bytes.
func lineBreakCount(_ start: UnsafePointer<UInt8>, count: Int) -> Int {
    var total = 0
    var position = 0
    while position &+ 16 <= count {
        // A lane counts up to 255.
        let blocks = min((count &- position) / 16, 255)
        var lanes = SIMD16<UInt8>(repeating: 0)
        for _ in 0..<blocks {
            let x = unsafe UnsafeRawPointer(start + position).loadUnaligned(
                as: SIMD16<UInt8>.self)
            let other = x ^ 0x0A
            // 0x80 where `other` is 0.
            lanes &+= (((other &- 1) & ~other) & 0x80) &>> 7
            position &+= 16
        }
        for lane in lanes.indices { total &+= Int(lanes[lane]) }
    }
    while position < count {
        if unsafe start[position] == 0x0A { total &+= 1 }
        position &+= 1
    }
    return total
}
