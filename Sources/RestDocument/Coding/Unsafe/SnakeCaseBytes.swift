// SPDX-License-Identifier: Apache-2.0

// Both functions work only on ASCII keys, for which the hash is not 0.
//
// Invariant: the caller keeps the keys alive during the call. No byte at or after the given count
// is read.

extension SnakeCase {
    /// Returns a hash of a key's letters, which is equal for keys that are equal in camel case; 0
    /// if the key is not ASCII.
    static func hash(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> UInt32 {
        var hash: UInt32 = 2_166_136_261
        for position in 0..<count {
            var byte = unsafe bytes[position]
            if byte >= 0x80 { return 0 }
            if byte == UInt8(ascii: "_") { continue }
            if byte &- UInt8(ascii: "A") < 26 { byte |= 0x20 }
            hash = (hash ^ UInt32(byte)) &* 16_777_619
        }
        return hash ^ (hash >> 15) | 1
    }

    /// Returns a Boolean value that indicates whether a document key converts to a coding key,
    /// without creating a string.
    static func isMatch(
        _ written: UnsafeBufferPointer<UInt8>, _ key: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        let underscore = UInt8(ascii: "_")
        guard key.count <= written.count else { return false }
        var start = 0
        while unsafe start < written.count && written[start] == underscore { start += 1 }
        var end = written.count
        while unsafe end > start && written[end - 1] == underscore { end -= 1 }
        var isOneWord = true
        for position in start..<end where unsafe written[position] == underscore {
            isOneWord = false
        }
        var position = 0
        var isFirstWord = true
        var isPreviousCased = false
        for index in 0..<written.count {
            var byte = unsafe written[index]
            if index >= start, index < end, !isOneWord {
                if byte == underscore {
                    isFirstWord = false
                    isPreviousCased = false
                    continue
                }
                let isLetter = (byte | 0x20) &- UInt8(ascii: "a") < 26
                if isLetter { byte = isFirstWord || isPreviousCased ? byte | 0x20 : byte & 0xDF }
                isPreviousCased = isLetter
            }
            guard unsafe position < key.count && key[position] == byte else { return false }
            position += 1
        }
        return position == key.count
    }
}
