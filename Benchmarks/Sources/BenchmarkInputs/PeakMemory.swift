// SPDX-License-Identifier: Apache-2.0

public import Benchmark

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The peak resident size of this process.
public enum PeakMemory {
    /// The highest resident size so far, in bytes.
    public static var ofProcess: Int {
        var usage = rusage()
        // RUSAGE_SELF, whose declared type differs between platforms.
        _ = unsafe getrusage(0, &usage)
        #if canImport(Darwin)
        return usage.ru_maxrss
        #else
        return usage.ru_maxrss * 1024
        #endif
    }
}

extension BenchmarkMetric {
    /// The growth of the peak resident size, in bytes.
    public static let peakGrowth = BenchmarkMetric.custom("Peak memory (bytes)")
}
