// SPDX-License-Identifier: Apache-2.0

import RestTesting
import TestSupport
import Testing

@testable import RestNetworking

@Suite struct PriorityScheduleTests {
    private func schedule(_ slotCount: Int = 1) -> PrioritySchedule<String> {
        PrioritySchedule(slotCount: slotCount)
    }

    /// Takes slots until none is left.
    private func taken(_ schedule: inout PrioritySchedule<String>) -> [String] {
        var names: [String] = []
        while let (_, name) = schedule.takeSlot() { names.append(name) }
        return names
    }

    @Test func givesSlotsByPriorityThenByAge() {
        var schedule = schedule(10)
        for (name, priority) in [
            ("a", RequestPriority.normal), ("b", .veryLow), ("c", .high), ("d", .normal),
            ("e", .veryHigh), ("f", .low), ("g", .high),
        ] {
            _ = schedule.insert(name, priority: priority, isReady: true)
        }
        #expect(taken(&schedule) == ["e", "c", "g", "a", "d", "f", "b"])
        #expect(schedule.takenSlotCount == 7)
        #expect(schedule.elements == ["a", "b", "c", "d", "e", "f", "g"])
    }

    @Test func givesNoMoreSlotsThanThereAre() {
        var schedule = schedule(2)
        let first = schedule.insert("a", priority: .normal, isReady: true)
        _ = schedule.insert("b", priority: .normal, isReady: true)
        _ = schedule.insert("c", priority: .normal, isReady: true)
        #expect(taken(&schedule) == ["a", "b"])
        schedule.remove(first)
        #expect(taken(&schedule) == ["c"])
        schedule.slotCount = 1
        _ = schedule.insert("d", priority: .normal, isReady: true)
        #expect(taken(&schedule).isEmpty)
    }

    @Test func changedPriorityKeepsAge() {
        var schedule = schedule(10)
        let first = schedule.insert("a", priority: .low, isReady: true)
        _ = schedule.insert("b", priority: .normal, isReady: true)
        let third = schedule.insert("c", priority: .high, isReady: true)
        schedule.update(third, priority: .normal, isReady: true)
        schedule.update(first, priority: .normal, isReady: true)
        #expect(taken(&schedule) == ["a", "b", "c"])
    }

    @Test func suspendedScheduleGivesNoSlots() {
        var schedule = schedule()
        _ = schedule.insert("a", priority: .normal, isReady: true)
        schedule.isSuspended = true
        #expect(taken(&schedule).isEmpty)
        schedule.isSuspended = false
        #expect(taken(&schedule) == ["a"])
    }

    @Test func skipsElementsThatAreNotReady() {
        var schedule = schedule()
        let first = schedule.insert("a", priority: .veryHigh, isReady: false)
        _ = schedule.insert("b", priority: .low, isReady: true)
        #expect(taken(&schedule) == ["b"])
        schedule.update(first, priority: .veryHigh, isReady: true)
        schedule.slotCount = 2
        #expect(taken(&schedule) == ["a"])
        schedule.returnSlot(first)
        #expect(schedule.takenSlotCount == 1)
        #expect(taken(&schedule).isEmpty)
        schedule.update(first, priority: .veryHigh, isReady: true)
        #expect(taken(&schedule) == ["a"])
    }

    /// Compares the schedule with a list that is searched for its first element, over random
    /// operations.
    @Test(arguments: 0..<20 as Range<UInt64>) func agreesWithSortedList(seed: UInt64) {
        struct Item {
            var name: String
            var ticket: PrioritySchedule<String>.Ticket
            var priority: RequestPriority
            var isReady: Bool
            var hasSlot = false
        }
        var random = SplitMix64(seed: seed)
        var schedule = schedule(3)
        var items: [Item] = []
        for step in 0..<2_000 {
            let priority = RequestPriority.allCases[random.next(below: 5)]
            let index = items.isEmpty ? nil : random.next(below: items.count)
            switch (random.next(below: 8), index) {
            case (0, _), (1, _), (2, _), (_, nil):
                let isReady = random.next(below: 4) > 0
                let ticket = schedule.insert("\(step)", priority: priority, isReady: isReady)
                items.append(
                    Item(name: "\(step)", ticket: ticket, priority: priority, isReady: isReady))
            case (3, let index?):
                let isReady = random.next(below: 4) > 0
                schedule.update(items[index].ticket, priority: priority, isReady: isReady)
                guard !items[index].hasSlot else { break }
                items[index].priority = priority
                items[index].isReady = isReady
            case (4, let index?):
                #expect(schedule.remove(items[index].ticket) == items[index].name)
                items.remove(at: index)
            case (5, let index?):
                schedule.returnSlot(items[index].ticket)
                if items[index].hasSlot {
                    items[index].hasSlot = false
                    items[index].isReady = false
                }
            default:
                let isFree = items.count(where: \.hasSlot) < 3
                let candidates = items.indices.filter { items[$0].isReady && !items[$0].hasSlot }
                let best = candidates.max { left, right in
                    items[left].priority == items[right].priority
                        ? left > right : items[left].priority < items[right].priority
                }
                let expected = isFree ? best : nil
                #expect(schedule.takeSlot()?.element == expected.map { items[$0].name })
                if let expected { items[expected].hasSlot = true }
            }
            #expect(schedule.count == items.count)
            #expect(schedule.takenSlotCount == items.count(where: \.hasSlot))
        }
        #expect(schedule.elements == items.map(\.name))
    }
}
