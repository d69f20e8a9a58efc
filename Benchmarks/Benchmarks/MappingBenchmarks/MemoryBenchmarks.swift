// SPDX-License-Identifier: Apache-2.0

import Benchmark
import BenchmarkInputs
import Foundation
import RestDocument
import RestMapping

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// How far the memory of a process grows while a large page is read from a file and mapped.
///
/// The harness runs every benchmark in a process of its own, so each pass is the first of its kind.
/// Only the corpus's own script makes the page: what the generator frees here would hide growth.
func compareMemory(named name: String, articleCount: Int) {
    let read: @Sendable () -> URL? = { InputDocument.file(of: articleCount) }
    let growth = Benchmark.Configuration(
        metrics: [.peakGrowth, .wallClock, .throughput], warmupIterations: 0, maxIterations: 1)
    Benchmark("\(name): RestMapping", configuration: growth) { benchmark, file in
        guard let file else { return }
        defer { try? FileManager.default.removeItem(at: file) }
        try benchmark.measureGrowth {
            var report = MappingReport()
            return try MappingPlan(ArticlePage.self).object(
                ArticlePage.self, from: Document(contentsOfFile: file.path()).root,
                report: &report)
        }
    } setup: {
        read()
    }
    Benchmark("\(name): JSONDecoder", configuration: growth) { benchmark, file in
        guard let file else { return }
        defer { try? FileManager.default.removeItem(at: file) }
        try benchmark.measureGrowth {
            try JSONDecoder().decode(ArticlePage.self, from: Data(contentsOf: file))
        }
    } setup: {
        read()
    }
}

extension BenchmarkMetric {
    /// By how many bytes the most memory that was resident at once grew.
    static let peakGrowth = BenchmarkMetric.custom("Peak memory (bytes)")
}

extension Benchmark {
    fileprivate func measureGrowth(_ pass: () throws -> ArticlePage) rethrows {
        let before = Self.peak
        Benchmark.blackHole(try pass())
        measurement(.peakGrowth, Self.peak - before)
    }

    private static var peak: Int {
        var usage = rusage()
        // RUSAGE_SELF, whose name is of another type on every platform.
        _ = unsafe getrusage(0, &usage)
        #if canImport(Darwin)
        return usage.ru_maxrss
        #else
        return usage.ru_maxrss * 1024
        #endif
    }
}
