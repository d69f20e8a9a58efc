// SPDX-License-Identifier: Apache-2.0

public import Benchmark

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A clock of processor time, which other processes influence little.
public enum ProcessorTime {
    /// The processor time of the calling thread, in nanoseconds.
    public static var ofThread: Int { read(CLOCK_THREAD_CPUTIME_ID) }

    /// The processor time of all threads, in nanoseconds.
    public static var ofProcess: Int { read(CLOCK_PROCESS_CPUTIME_ID) }

    private static func read(_ clock: clockid_t) -> Int {
        var time = timespec()
        _ = unsafe clock_gettime(clock, &time)
        return Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
    }
}

extension BenchmarkMetric {
    /// The processor time of one pass.
    ///
    /// The harness's metric has a resolution of 10 ms.
    public static let passTime = BenchmarkMetric.custom("Processor time (ns)")
}

extension Benchmark {
    /// Runs one pass and records its processor time, including the release of its result.
    public func measurePass<Result>(_ pass: () throws -> Result) rethrows {
        let start = ProcessorTime.ofThread
        Benchmark.blackHole(try pass())
        measurement(.passTime, ProcessorTime.ofThread - start)
    }

    /// The configuration of a computational benchmark.
    public static var computation: Configuration {
        Configuration(
            metrics: [.passTime, .wallClock, .throughput], warmupIterations: 3,
            maxDuration: .milliseconds(700), maxIterations: 10_000)
    }
}
