// SPDX-License-Identifier: Apache-2.0

/// A set of keys of rows.
///
/// Keys are reserved in ranges, so that the set is a bitmap for each range: the keys of ten million rows that
/// were inserted together take 1.3 MB.
struct KeySet: Sendable, Equatable {
    private static let shift: Int64 = 12
    private static let wordCount = (1 << Int(shift)) / 64

    private var ranges: [Int64: [UInt64]] = [:]
    /// The number of keys.
    private(set) var count = 0

    init() {}

    init(_ keys: some Sequence<Int64>) {
        for key in keys { insert(key) }
    }

    var isEmpty: Bool { count == 0 }

    mutating func insert(_ key: Int64) {
        let (word, bit) = Self.place(of: key)
        let isNew = ranges[
            key >> Self.shift, default: Array(repeating: 0, count: Self.wordCount)
        ].set(bit, in: word)
        if isNew { count += 1 }
    }

    func contains(_ key: Int64) -> Bool {
        let (word, bit) = Self.place(of: key)
        guard let words = ranges[key >> Self.shift] else { return false }
        return words[word] & bit != 0
    }

    mutating func formUnion(_ other: KeySet) {
        for (range, words) in other.ranges {
            guard var own = ranges[range] else {
                ranges[range] = words
                count += words.reduce(0) { $0 + $1.nonzeroBitCount }
                continue
            }
            for index in words.indices {
                count += (words[index] & ~own[index]).nonzeroBitCount
                own[index] |= words[index]
            }
            ranges[range] = own
        }
    }

    /// The keys in ascending order.
    var keys: [Int64] {
        var keys: [Int64] = []
        keys.reserveCapacity(count)
        for range in ranges.keys.sorted() {
            for (index, word) in (ranges[range] ?? []).enumerated() {
                var word = word
                while word != 0 {
                    let bit = word.trailingZeroBitCount
                    keys.append(range << Self.shift | Int64(index * 64 + bit))
                    word &= word - 1
                }
            }
        }
        return keys
    }

    private static func place(of key: Int64) -> (word: Int, bit: UInt64) {
        let offset = Int(key & (1 << shift - 1))
        return (offset / 64, 1 << UInt64(offset % 64))
    }
}

extension Array where Element == UInt64 {
    /// Sets a bit, and returns whether it was not set.
    fileprivate mutating func set(_ bit: UInt64, in word: Int) -> Bool {
        if self[word] & bit != 0 { return false }
        self[word] |= bit
        return true
    }
}

/// The coded form of the keys of a page, which the state stores: ascending differences with seven bits to a
/// byte.
enum KeyList {
    static func encode(_ keys: some Sequence<Int64>) -> [UInt8] {
        var bytes: [UInt8] = []
        var last: Int64 = 0
        for key in keys.sorted() where key != last || bytes.isEmpty {
            var difference = UInt64(bitPattern: key &- last)
            last = key
            while difference >= 0x80 {
                bytes.append(UInt8(truncatingIfNeeded: difference) | 0x80)
                difference >>= 7
            }
            bytes.append(UInt8(difference))
        }
        return bytes
    }

    static func decode(_ bytes: some Sequence<UInt8>) -> [Int64] {
        var keys: [Int64] = []
        var last: Int64 = 0
        var (value, shift): (UInt64, UInt64) = (0, 0)
        for byte in bytes {
            value |= UInt64(byte & 0x7F) << shift
            if byte & 0x80 != 0 {
                shift += 7
                continue
            }
            last &+= Int64(bitPattern: value)
            keys.append(last)
            (value, shift) = (0, 0)
        }
        return keys
    }
}
