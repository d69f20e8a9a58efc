// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Returns the present time in nanoseconds since 1970.
func currentNanoseconds() -> Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

/// Blocks the thread for a millisecond.
func sleepOneMillisecond() {
    usleep(1000)
}

/// Returns the effective user ID of the process.
func effectiveUserID() -> UInt32 { UInt32(geteuid()) }
