// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// Responses by key, linked in the order of their last use.
struct StoredResponseList {
    /// The responses under one key: entries and, at the same positions, where their bodies are.
    private struct Bucket {
        var entries: [CacheEntry] = []
        var slots: [Int] = []

        func position(of id: UInt64) -> Int? {
            entries.firstIndex { $0.id == id }
        }

        mutating func append(_ entry: CacheEntry, in slot: Int) {
            entries.append(entry)
            slots.append(slot)
        }

        mutating func remove(at position: Int) {
            entries.remove(at: position)
            slots.remove(at: position)
        }
    }

    /// A body and its neighbours in the order of use.
    private struct Slot {
        var key: CacheKey
        var id: UInt64
        var body: [UInt8]
        var byteCount: Int
        var older: Int?
        var newer: Int?
    }

    // Invariant: every used slot is in exactly one bucket and in the chain from `oldest` to `newest`;
    // `byteCount` is the sum of theirs.
    private var buckets: [CacheKey: Bucket] = [:]
    private var slots: [Slot?] = []
    private var freeSlots: [Int] = []
    private var oldest: Int?
    private var newest: Int?
    private let limit: Int

    /// The sum of what is kept.
    private(set) var byteCount = 0

    init(limit: Int) {
        self.limit = limit
    }

    /// How many responses there are.
    var count: Int { slots.count - freeSlots.count }

    func entries(for key: CacheKey) -> [CacheEntry] {
        buckets[key]?.entries ?? []
    }

    /// The body of an entry, which becomes the one used last.
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
        guard let position = position(of: entry.key, entry.id),
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
        guard let place = buckets.index(forKey: key),
            let position = buckets.values[place].position(of: id)
        else { return }
        release(buckets.values[place].slots[position])
        if buckets.values[place].slots.count == 1 {
            buckets.remove(at: place)
        } else {
            buckets.values[place].remove(at: position)
        }
    }

    mutating func removeAll(under key: CacheKey) {
        for index in buckets.removeValue(forKey: key)?.slots ?? [] { release(index) }
    }

    mutating func removeAll(inPartition partition: String?) {
        for key in buckets.keys where key.partition == partition {
            removeAll(under: key)
        }
    }

    private func position(of key: CacheKey, _ id: UInt64) -> Int? {
        buckets[key]?.position(of: id)
    }

    private func slot(of key: CacheKey, _ id: UInt64) -> Int? {
        guard let bucket = buckets[key],
            let position = bucket.position(of: id)
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

    /// What a response takes: its texts and body, and about as much again as its parts do.
    private static func cost(of entry: CacheEntry, bodyByteCount: Int) -> Int {
        var cost = 512 + entry.key.url.utf8.count + bodyByteCount
        for fields in [entry.head.headerFields, entry.requestFields] {
            for field in fields {
                cost += 96 + field.name.rawName.utf8.count + field.value.utf8.count
            }
        }
        return cost
    }
}
