// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The end of a process that can do nothing about it, as when a system needs its memory.
enum AbruptEnd {
    /// The signal of the end.
    static let signal = SIGKILL

    /// Ends this process.
    static func killProcess() { raise(signal) }
}
