// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What the process has open.
package struct ProcessCount: CustomStringConvertible {
    /// Open files and sockets.
    package let descriptorCount: Int
    /// Threads, where the system tells.
    package let threadCount: Int

    /// The counts at this moment.
    package static var now: ProcessCount {
        #if os(Linux)
        ProcessCount(
            descriptorCount: count("/proc/self/fd"), threadCount: count("/proc/self/task"))
        #else
        ProcessCount(descriptorCount: count("/dev/fd"), threadCount: 0)
        #endif
    }

    private static func count(_ directory: String) -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: directory).count) ?? 0
    }

    /// Whether nothing has been added; the system's own threads come and go.
    package func isWithin(_ other: ProcessCount) -> Bool {
        descriptorCount <= other.descriptorCount && threadCount <= other.threadCount + 4
    }

    /// The counts.
    package var description: String { "\(descriptorCount) descriptors and \(threadCount) threads" }
}
