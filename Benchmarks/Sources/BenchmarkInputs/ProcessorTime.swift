// SPDX-License-Identifier: Apache-2.0

public import Benchmark

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A clock that runs only while the program does, so that other programs disturb it little.
public enum ProcessorTime {
    /// What the calling thread has used, in nanoseconds.
    public static var ofThread: Int { read(CLOCK_THREAD_CPUTIME_ID) }

    /// What all threads have used, in nanoseconds.
    public static var ofProcess: Int { read(CLOCK_PROCESS_CPUTIME_ID) }

    private static func read(_ clock: clockid_t) -> Int {
        var time = timespec()
        _ = unsafe clock_gettime(clock, &time)
        return Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
    }
}

extension BenchmarkMetric {
    /// Processor time of one pass.
    ///
    /// The harness's own metric counts whole ticks of 10 ms.
    public static let passTime = BenchmarkMetric.custom("Processor time (ns)")
}

extension Benchmark {
    /// Runs one pass and records its processor time; what it made is let go of inside that time.
    public func measurePass<Result>(_ pass: () throws -> Result) rethrows {
        let start = ProcessorTime.ofThread
        Benchmark.blackHole(try pass())
        measurement(.passTime, ProcessorTime.ofThread - start)
    }

    /// What a benchmark of a computation is measured by.
    public static var computation: Configuration {
        Configuration(
            metrics: [.passTime, .wallClock, .throughput], warmupIterations: 3,
            maxDuration: .milliseconds(700), maxIterations: 10_000)
    }
}
