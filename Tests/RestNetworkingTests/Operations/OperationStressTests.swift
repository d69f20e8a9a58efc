// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestTesting
import RestTransport
import Synchronization
import TestSupport
import Testing

@testable import RestNetworking

/// Many operations that fail, are cancelled, change their priority and depend on each other at
/// random.
@Suite(.tags(.socket, .concurrency, .slow), .timeLimit(.minutes(60)), .serialized)
struct OperationStressTests {
    private static let operationCount = 1_000

    /// The seeds; their number is in `RESTKIT_OPERATION_SEEDS`, else 8.
    private static var seeds: Range<UInt64> {
        0..<(TestEnvironment.number("RESTKIT_OPERATION_SEEDS") ?? 8)
    }

    /// The events of one operation.
    private struct Fate {
        var fails: Bool
        var isCancelled: Bool
        var priority: RequestPriority
        /// An earlier operation that this one depends on.
        var dependency: Int?
    }

    private static func fates(_ seed: UInt64) -> [Fate] {
        var random = SplitMix64(seed: seed)
        return (0..<operationCount).map { index in
            Fate(
                fails: random.next(below: 3) == 0, isCancelled: random.next(below: 3) == 0,
                priority: RequestPriority.allCases[random.next(below: 5)],
                dependency: index > 0 && random.next(below: 10) == 0
                    ? random.next(below: index) : nil)
        }
    }

    @Test(arguments: seeds) func everyOperationEndsOnce(seed: UInt64) async throws {
        let fates = Self.fates(seed)
        try await withOperations({ request in
            request.path.hasPrefix("/fails")
                ? .json("{}", status: 500) : .json(#"{"id": 1, "title": "a"}"#)
        }) { api, _ in
            let queue = api.operationQueue
            let finished = queue.finishedOperations
            let outcomes = Mutex([[OperationState]](repeating: [], count: fates.count))
            let called = Gate()
            called.open()
            var made: [ObjectRequestOperation<Article>] = []
            for (index, fate) in fates.enumerated() {
                let operation = try api.operation(
                    for: ObjectRequest<Article>(at: "\(fate.fails ? "fails" : "works")/\(index)"))
                operation.onFinish { operation in
                    outcomes.withLock { $0[index].append(operation.state) }
                    await called.pass()
                }
                if let dependency = fate.dependency {
                    try operation.addDependency(made[dependency])
                }
                made.append(operation)
            }
            let operations = made

            await withTaskGroup { group in
                // Interferes from several tasks while operations are enqueued and execute.
                for part in 0..<4 {
                    group.addTask {
                        for index in stride(from: part, to: fates.count, by: 4) {
                            operations[index].priority = fates[index].priority
                            if fates[index].isCancelled { operations[index].cancel() }
                            if index % 100 == part { queue.isSuspended.toggle() }
                            await Task.yield()
                        }
                    }
                }
                group.addTask {
                    for index in fates.indices where index % 2 == 0 {
                        _ = try? api.enqueue(operations[index])
                    }
                }
                for index in fates.indices where index % 2 == 1 {
                    _ = try? api.enqueue(operations[index])
                }
            }
            queue.isSuspended = false
            try await queue.waitUntilFinished()
            await called.arrivals(fates.count)

            var counts: [OperationState: Int] = [:]
            for (index, operation) in operations.enumerated() {
                let outcome = operation.state
                counts[outcome, default: 0] += 1
                #expect(outcomes.withLock { $0[index] } == [outcome])
                let expected: [OperationState] =
                    fates[index].isCancelled
                    ? [.finished(.cancelled), .finished(fates[index].fails ? .failed : .succeeded)]
                    : [.finished(fates[index].fails ? .failed : .succeeded)]
                #expect(expected.contains(outcome))
                #expect((operation.error == nil) == (outcome == .finished(.succeeded)))
            }
            #expect(counts.values.reduce(0, +) == Self.operationCount)
            #expect(counts.keys.allSatisfy { $0.isFinished })
            #expect(counts.count == 3)
            #expect(queue.mappingQueue.count == 0)

            var reported: Set<RequestOperation> = []
            for await operation in finished {
                #expect(reported.insert(operation).inserted)
                if reported.count == Self.operationCount { break }
            }
            #expect(reported == Set(operations.map(\.operation)))
        }
    }
}
