// SPDX-License-Identifier: Apache-2.0

import Benchmark
import BenchmarkInputs
import Foundation
import RestDocument

/// Benchmarks from bytes to a navigable document, parsed whole or as a stream.
let benchmarks: @Sendable () -> Void = {
    let large = InputDocument.collection(of: 10_000)
    let documents = [
        InputDocument("twitter", file: "corpus/twitter.json"),
        InputDocument("github", file: "corpus/github_events.json"),
        InputDocument("citm", file: "corpus/citm_catalog.json"),
        InputDocument("canada", file: "corpus/canada.json"),
        InputDocument.collection(of: 1000), large,
    ]
    for input in documents.compactMap(\.self) {
        Benchmark("\(input.name): RestDocument", configuration: Benchmark.computation) {
            (benchmark: Benchmark) throws in
            try benchmark.measurePass { try Document(parsing: input.bytes) }
        }
        Benchmark("\(input.name): JSONSerialization", configuration: Benchmark.computation) {
            (benchmark: Benchmark) throws in
            try benchmark.measurePass { try JSONSerialization.jsonObject(with: input.data) }
        }
    }
    addStreamingBenchmark(large)
}
