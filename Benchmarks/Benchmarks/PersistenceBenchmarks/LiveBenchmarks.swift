// SPDX-License-Identifier: Apache-2.0

import Benchmark
import BenchmarkInputs
import Foundation
import RestKit

/// Registers commits beside the live results of 100,000 rows: one of another entity, and one of a row in the middle.
func measureLiveResults() {
    for (name, isMember) in [("another entity", false), ("a row", true)] {
        let configuration = Benchmark.Configuration(
            metrics: [.longestWait, .wallClock], warmupIterations: 1, maxDuration: .seconds(10),
            maxIterations: 5)
        let filled = FilledStore(100_000)
        Benchmark("change of \(name), 100k live: main actor", configuration: configuration) {
            benchmark in
            guard let store = filled.store else { throw UnexpectedRows(100_000, 0) }
            let wait = try await longestTurn(
                after: isMember ? 50_000 : nil, number: filled.nextPass(), in: store)
            benchmark.measurement(.longestWait, Int(wait / .nanoseconds(1)))
        } setup: {
            try await filled.open()
        } teardown: {
            try filled.close()
        }
    }
}

/// Measures the longest time for which the main actor is busy while live results take a commit.
///
/// - Parameters:
///   - place: The place of the row whose name the commit changes; `nil` for a commit of another entity.
///   - number: The number of the pass.
///   - store: A store of contacts.
/// - Returns: The time.
/// - Throws: `PersistenceError` of the commit; ``UnexpectedRows`` if the results do not follow it.
@MainActor
private func longestTurn(
    after place: Int?, number: Int, in store: ManagedObjectStore
) async throws -> Duration {
    let results = try FetchedResults(
        Contact.self, orderBy: [.ascending(\.name)], in: store.mainContext)
    guard results.objects.count == 100_000 else {
        throw UnexpectedRows(100_000, results.objects.count)
    }
    let (hasSaved, hasChanged) = (Flag(), Flag())
    results.onChange = { _ in hasChanged.set() }
    let id = place.map { results.objects[$0].objectID }
    let saving = Task.detached {
        try await store.write { context in
            if let id {
                try context.object(Contact.self, with: id).name = "Contact 1 of \(number)"
            } else {
                try Remark.insert(into: context, id: number, text: "", contactID: 1)
            }
        }
        hasSaved.set()
    }
    var longest = Duration.zero
    var last = ContinuousClock.now
    var end = last + .seconds(10)
    while last < end, !hasChanged.isSet {
        await Task.yield()
        let now = ContinuousClock.now
        longest = max(longest, now - last)
        // Another entity changes nothing, for which there is nothing to wait.
        if place == nil, hasSaved.isSet, end > now + .seconds(1) { end = now + .milliseconds(50) }
        last = now
    }
    try await saving.value
    guard hasChanged.isSet == (place != nil) else {
        throw UnexpectedRows(place == nil ? 0 : 1, hasChanged.isSet ? 1 : 0)
    }
    return longest
}
