// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import RestNetworking

@Suite struct ResponseMappingQueueTests {
    @Test func mapsOneResponseAtTimeByDefault() {
        #expect(ResponseMappingQueue.shared.maximumConcurrentCount == 1)
        #expect(ObjectRequestQueue().mappingQueue === ResponseMappingQueue.shared)
        #expect(ResponseMappingQueue(maximumConcurrentCount: 0).maximumConcurrentCount == 1)
    }

    @Test(arguments: [1, 3]) func neverExceedsItsLimit(limit: Int) async throws {
        let queue = ResponseMappingQueue(maximumConcurrentCount: limit)
        let concurrency = Concurrency()
        try await withThrowingTaskGroup { group in
            for _ in 0..<200 {
                group.addTask {
                    let ticket = try await queue.enter(.normal)
                    concurrency.enter()
                    await Task.yield()
                    concurrency.leave()
                    queue.leave(ticket)
                }
            }
            try await group.waitForAll()
        }
        #expect(concurrency.maximum <= limit)
        #expect(queue.count == 0)
    }

    @Test func grantsSlotsByPriority() async throws {
        let queue = ResponseMappingQueue()
        queue.isSuspended = true
        let order = Log<RequestPriority>()
        try await withThrowingTaskGroup { group in
            for (count, priority) in [RequestPriority.low, .veryHigh, .normal].enumerated() {
                group.addTask {
                    let ticket = try await queue.enter(priority)
                    order.append(priority)
                    queue.leave(ticket)
                }
                while queue.count <= count { await Task.yield() }
            }
            queue.isSuspended = false
            try await group.waitForAll()
        }
        #expect(order.elements == [.veryHigh, .normal, .low])
    }

    @Test func cancelledTaskLeavesQueueWithoutSlot() async throws {
        let queue = ResponseMappingQueue()
        queue.isSuspended = true
        let task = Task { try await queue.enter(.normal) }
        while queue.count == 0 { await Task.yield() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(queue.count == 0)
        let early = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return try await queue.enter(.normal)
        }
        await #expect(throws: CancellationError.self) { try await early.value }
        #expect(queue.count == 0)
        queue.isSuspended = false
        queue.leave(try await queue.enter(.normal))
        #expect(queue.count == 0)
    }
}
