// SPDX-License-Identifier: Apache-2.0

/// The order in which elements take a bounded number of slots: by priority, and by age within one
/// priority.
///
/// A value type without side effects. ``ObjectRequestQueue`` schedules operations with it and
/// ``ResponseMappingQueue`` responses.
struct PrioritySchedule<Element> {
    /// The position of an element in the order of insertion.
    struct Ticket: Sendable, Hashable, Comparable {
        fileprivate let number: Int

        static func < (left: Ticket, right: Ticket) -> Bool { left.number < right.number }
    }

    private struct Entry {
        let element: Element
        var priority: RequestPriority
        var isReady: Bool
        var hasSlot = false
    }

    // Invariant: every entry that is ready and has no slot has a key with its priority in the heap.
    // The heap may contain other keys, which `takeSlot()` drops.
    private var entries: [Ticket: Entry] = [:]
    private var heap = PriorityHeap()
    private var lastNumber = 0

    /// The number of slots.
    var slotCount: Int

    /// A Boolean value that indicates whether no element takes a slot.
    var isSuspended = false

    /// The number of slots that elements have.
    private(set) var takenSlotCount = 0

    init(slotCount: Int) {
        self.slotCount = slotCount
    }

    /// The number of elements, with and without a slot.
    var count: Int { entries.count }

    /// The elements in the order of insertion.
    ///
    /// - Complexity: O(*n* log *n*).
    var elements: [Element] {
        entries.sorted { $0.key < $1.key }.map(\.value.element)
    }

    /// Inserts an element.
    ///
    /// - Complexity: O(log *n*).
    mutating func insert(
        _ element: Element, priority: RequestPriority, isReady: Bool
    ) -> Ticket {
        lastNumber += 1
        let ticket = Ticket(number: lastNumber)
        entries[ticket] = Entry(element: element, priority: priority, isReady: isReady)
        if isReady { heap.insert(PriorityHeap.Key(priority: priority, number: ticket.number)) }
        return ticket
    }

    /// Sets the priority and the readiness of an element without a slot.
    ///
    /// The element keeps its age. Other elements, and unknown tickets, are left alone.
    ///
    /// - Complexity: O(log *n*).
    mutating func update(_ ticket: Ticket, priority: RequestPriority, isReady: Bool) {
        guard var entry = entries[ticket], !entry.hasSlot,
            entry.priority != priority || entry.isReady != isReady
        else { return }
        entry.priority = priority
        entry.isReady = isReady
        entries[ticket] = entry
        if isReady { heap.insert(PriorityHeap.Key(priority: priority, number: ticket.number)) }
    }

    /// Removes an element and frees its slot.
    ///
    /// - Returns: The element; `nil` for an unknown ticket.
    @discardableResult
    mutating func remove(_ ticket: Ticket) -> Element? {
        guard let entry = entries.removeValue(forKey: ticket) else { return nil }
        if entry.hasSlot { takenSlotCount -= 1 }
        if heap.count > 2 * entries.count + Self.maximumObsoleteKeyCount { rebuildHeap() }
        return entry.element
    }

    /// Gives a free slot to the first element that is ready.
    ///
    /// - Returns: The element and its ticket; `nil` if the schedule is suspended, no slot is free,
    ///   or no element is ready.
    /// - Complexity: O(log *n*), amortized over insertions and updates.
    mutating func takeSlot() -> (ticket: Ticket, element: Element)? {
        guard !isSuspended, takenSlotCount < slotCount else { return nil }
        while let key = heap.removeFirst() {
            let ticket = Ticket(number: key.number)
            guard let entry = entries[ticket], entry.isReady, !entry.hasSlot,
                entry.priority == key.priority
            else { continue }
            entries[ticket]?.hasSlot = true
            takenSlotCount += 1
            return (ticket, entry.element)
        }
        return nil
    }

    /// Returns a Boolean value that indicates whether an element has a slot.
    func hasSlot(_ ticket: Ticket) -> Bool {
        entries[ticket]?.hasSlot ?? false
    }

    /// Frees the slot of an element that stays in the schedule and is not ready.
    mutating func returnSlot(_ ticket: Ticket) {
        guard let entry = entries[ticket], entry.hasSlot else { return }
        entries[ticket]?.hasSlot = false
        entries[ticket]?.isReady = false
        takenSlotCount -= 1
    }

    /// Drops the keys of elements that left the schedule while others keep it busy.
    private mutating func rebuildHeap() {
        heap.removeAll()
        for (ticket, entry) in entries where entry.isReady && !entry.hasSlot {
            heap.insert(PriorityHeap.Key(priority: entry.priority, number: ticket.number))
        }
    }

    private static var maximumObsoleteKeyCount: Int { 64 }
}

/// A binary heap of priorities and numbers: the highest priority first, then the lowest number.
private struct PriorityHeap {
    struct Key {
        let priority: RequestPriority
        let number: Int

        func precedes(_ other: Key) -> Bool {
            priority == other.priority ? number < other.number : priority > other.priority
        }
    }

    private var keys: [Key] = []

    var count: Int { keys.count }

    mutating func removeAll() {
        keys.removeAll(keepingCapacity: true)
    }

    mutating func insert(_ key: Key) {
        keys.append(key)
        var child = keys.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard keys[child].precedes(keys[parent]) else { return }
            keys.swapAt(child, parent)
            child = parent
        }
    }

    mutating func removeFirst() -> Key? {
        guard let first = keys.first, let last = keys.popLast() else { return nil }
        guard !keys.isEmpty else { return first }
        keys[0] = last
        var parent = 0
        while true {
            var best = parent
            for child in (2 * parent + 1)...(2 * parent + 2)
            where child < keys.count && keys[child].precedes(keys[best]) {
                best = child
            }
            guard best != parent else { return first }
            keys.swapAt(best, parent)
            parent = best
        }
    }
}
