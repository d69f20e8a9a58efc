// SPDX-License-Identifier: Apache-2.0

import Benchmark
import BenchmarkInputs
import Foundation

/// Benchmarks of the store: documents to rows, contexts, fetches, search and the main actor.
let benchmarks: @Sendable () -> Void = {
    let collection = InputDocument.collection(of: 10_000)
    compareLoads(of: collection, then: .collection(of: 10_000, changedPercentage: 1))
    compareContexts()
    measureMainActor(beside: collection)
    compareTableSizes()
    measureConnections()
    measureLargeLoads()
    measureLiveResults()
    measureImportMemory()
    compareRequests(for: collection)
    compareOutboxes(for: collection)
    let environment = ProcessInfo.processInfo.environment
    measureSearch(among: environment["RESTKIT_SEARCH_ROWS"].flatMap(Int.init) ?? 100_000)
}
