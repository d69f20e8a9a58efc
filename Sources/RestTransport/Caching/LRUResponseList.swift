// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// Responses by key, in a list from the least to the most recently used.
struct LRUResponseList {
    /// The responses with one key: entries and, at the same indices, the slots of their bodies.
    private struct Bucket {
        var entries: [CacheEntry] = []
        var slots: [Int] = []

        func index(of id: UInt64) -> Int? {
            entries.firstIndex { $0.id == id }
        }

        mutating func append(_ entry: CacheEntry, in slot: Int) {
            entries.append(entry)
            slots.append(slot)
        }

        mutating func remove(at index: Int) {
            entries.remove(at: index)
            slots.remove(at: index)
        }
    }

    /// A body and its neighbors in the order of use.
    private struct Slot {
        var key: CacheKey
        var id: UInt64
        var body: [UInt8]
        var byteCount: Int
        var older: Int?
        var newer: Int?
    }

    // Invariant: each used slot is in exactly one bucket and in the list from `oldest` to `newest`;
    // `byteCount` is the sum of their sizes.
    private var buckets: [CacheKey: Bucket] = [:]
    private var slots: [Slot?] = []
    private var freeSlots: [Int] = []
    private var oldest: Int?
    private var newest: Int?
    private let limit: Int

    /// The size of all responses, in bytes.
    private(set) var byteCount = 0

    init(limit: Int) {
        self.limit = limit
    }

    /// The number of responses.
    var count: Int { slots.count - freeSlots.count }

    func entries(for key: CacheKey) -> [CacheEntry] {
        buckets[key]?.entries ?? []
    }

    /// Returns the body of an entry, which becomes the most recently used one.
    mutating func use(_ entry: CacheEntry) -> [UInt8]? {
        guard let index = slot(of: entry.key, entry.id) else { return nil }
        if index != newest {
            unlink(index)
            link(index)
        }
        return slots[index]?.body
    }

    mutating func store(_ entry: CacheEntry, body: [UInt8]) {
        remove(entry.key, entry.id)
        let cost = Self.cost(of: entry, bodyByteCount: body.count)
        guard cost <= limit else { return }
        while byteCount + cost > limit, let oldest, let slot = slots[oldest] {
            remove(slot.key, slot.id)
        }
        let index = freeSlots.popLast() ?? slots.count
        let slot = Slot(key: entry.key, id: entry.id, body: body, byteCount: cost)
        if index == slots.count { slots.append(slot) } else { slots[index] = slot }
        link(index)
        byteCount += cost
        buckets[entry.key, default: Bucket()].append(entry, in: index)
    }

    mutating func update(_ entry: CacheEntry) {
        guard let position = buckets[entry.key]?.index(of: entry.id),
            let index = buckets[entry.key]?.slots[position], let slot = slots[index]
        else { return }
        let cost = Self.cost(of: entry, bodyByteCount: slot.body.count)
        byteCount += cost - slot.byteCount
        slots[index]?.byteCount = cost
        buckets[entry.key]?.entries[position] = entry
        while byteCount > limit, let oldest, let slot = slots[oldest] {
            remove(slot.key, slot.id)
        }
    }

    mutating func remove(_ key: CacheKey, _ id: UInt64) {
        guard let bucket = buckets.index(forKey: key),
            let position = buckets.values[bucket].index(of: id)
        else { return }
        release(buckets.values[bucket].slots[position])
        if buckets.values[bucket].slots.count == 1 {
            buckets.remove(at: bucket)
        } else {
            buckets.values[bucket].remove(at: position)
        }
    }

    mutating func removeAll(for key: CacheKey) {
        for index in buckets.removeValue(forKey: key)?.slots ?? [] { release(index) }
    }

    mutating func removeAll(inPartition partition: String?) {
        for key in buckets.keys where key.partition == partition {
            removeAll(for: key)
        }
    }

    private func slot(of key: CacheKey, _ id: UInt64) -> Int? {
        guard let bucket = buckets[key],
            let position = bucket.index(of: id)
        else { return nil }
        return bucket.slots[position]
    }

    private mutating func release(_ index: Int) {
        unlink(index)
        byteCount -= slots[index]?.byteCount ?? 0
        slots[index] = nil
        freeSlots.append(index)
    }

    private mutating func link(_ index: Int) {
        slots[index]?.older = newest
        slots[index]?.newer = nil
        if let newest { slots[newest]?.newer = index }
        newest = index
        if oldest == nil { oldest = index }
    }

    private mutating func unlink(_ index: Int) {
        guard let slot = slots[index] else { return }
        if let older = slot.older { slots[older]?.newer = slot.newer } else { oldest = slot.newer }
        if let newer = slot.newer { slots[newer]?.older = slot.older } else { newest = slot.older }
    }

    /// Returns the size of a response in bytes: its text and body, and an estimate of the overhead
    /// of its parts.
    private static func cost(of entry: CacheEntry, bodyByteCount: Int) -> Int {
        var cost = 512 + entry.key.url.utf8.count + bodyByteCount
        for fields in [entry.head.headerFields, entry.selectingFields] {
            for field in fields {
                cost += 96 + field.name.rawName.utf8.count + field.value.utf8.count
            }
        }
        return cost
    }
}
