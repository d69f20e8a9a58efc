// SPDX-License-Identifier: Apache-2.0

import Benchmark
import BenchmarkInputs
import RestDocument

/// Benchmarks of a collection that is read article by article.
func addStreamingBenchmark(_ input: InputDocument) {
    let chunks = stride(from: 0, to: input.bytes.count, by: 1 << 16).map { start in
        input.bytes[start..<min(start + (1 << 16), input.bytes.count)]
    }
    Benchmark("\(input.name): ElementReader", configuration: Benchmark.computation) {
        (benchmark: Benchmark) throws in
        try benchmark.measurePass { try elementCount(chunks) }
    }
}

/// Reads the articles and releases each one, as an import does.
private func elementCount(_ chunks: [ArraySlice<UInt8>]) throws -> Int {
    var reader = ElementReader(.elements(at: "data"))
    var count = 0
    for chunk in chunks {
        reader.append(chunk)
        while try reader.next() != nil { count += 1 }
    }
    reader.finish()
    while try reader.next() != nil { count += 1 }
    return count
}
