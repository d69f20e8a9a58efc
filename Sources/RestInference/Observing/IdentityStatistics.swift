// SPDX-License-Identifier: Apache-2.0

/// The values of a member that may identify objects, with the content that they were seen with.
///
/// It keeps 64-bit hashes, and no more values than a limit.
struct IdentityStatistics: Sendable {
    /// An object that was seen with a value.
    struct Content: Sendable, Hashable {
        /// The hash of the object's keys.
        var keys: UInt64
        /// The hash of the object's scalars.
        var scalars: UInt64
    }

    /// The number of objects with a value.
    private(set) var count = 0
    /// The number of objects whose value was seen before.
    private(set) var repeatCount = 0
    /// The number of repeated values with the same keys and another content.
    private(set) var conflictCount = 0
    /// The contents by the hash of the value.
    private(set) var contents: [UInt64: Content] = [:]
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    /// The number of distinct values, up to the limit.
    var distinctCount: Int { contents.count }

    /// A Boolean value that indicates whether the limit is reached, so that further values are not compared.
    var isFull: Bool { contents.count >= limit }

    mutating func observe(_ value: UInt64, _ content: Content) {
        count += 1
        if let known = contents[value] {
            repeatCount += 1
            if known.keys == content.keys, known.scalars != content.scalars { conflictCount += 1 }
        } else if contents.count < limit {
            contents[value] = content
        }
    }

    /// Adds the values that were seen at another place.
    mutating func merge(_ other: IdentityStatistics) {
        count += other.count
        repeatCount += other.repeatCount
        conflictCount += other.conflictCount
        for (value, content) in other.contents {
            if let known = contents[value] {
                repeatCount += 1
                if known.keys == content.keys, known.scalars != content.scalars {
                    conflictCount += 1
                }
            } else if contents.count < limit {
                contents[value] = content
            }
        }
    }

    /// Returns the observation, such as `id: unique in 300 of 300`.
    func text(of key: String) -> String {
        let count = "\(key): \(isFull ? "at least " : "")\(distinctCount)"
        if repeatCount == 0 { return "\(key): unique in \(distinctCount) of \(self.count)" }
        return count + " distinct in \(self.count)"
            + (conflictCount == 0
                ? ", equal ones with equal content"
                : ", \(conflictCount) of them with other content")
    }

    /// Returns the number of values that two places have in common.
    func sharedCount(with other: IdentityStatistics) -> Int {
        let (small, large) = contents.count < other.contents.count ? (self, other) : (other, self)
        return small.contents.keys.count { large.contents[$0] != nil }
    }

    /// Returns the numbers of values that two places have in common, with equal and with other content.
    func overlap(with other: IdentityStatistics) -> (equal: Int, different: Int) {
        var (equal, different) = (0, 0)
        let (small, large) = contents.count < other.contents.count ? (self, other) : (other, self)
        for (value, content) in small.contents {
            guard let match = large.contents[value], match.keys == content.keys else { continue }
            if match.scalars == content.scalars { equal += 1 } else { different += 1 }
        }
        return (equal, different)
    }
}

/// A set of hashed values with a limit.
struct ValueSample: Sendable {
    /// The maximum number of values.
    static let limit = 2_000

    private(set) var values: Set<UInt64> = []

    mutating func insert(_ value: UInt64) {
        if values.count < Self.limit { values.insert(value) }
    }

    mutating func merge(_ other: ValueSample) {
        for value in other.values { insert(value) }
    }
}

/// Hashes of scalars and keys, stable within a process.
enum ValueHash {
    static func of(_ text: String) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(text)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }

    static func of(_ key: UInt64, _ value: UInt64) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(key)
        hasher.combine(value)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }
}
