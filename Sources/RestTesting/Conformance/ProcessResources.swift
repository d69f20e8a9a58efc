// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The counts of the resources that the process has open.
package struct ProcessResources: CustomStringConvertible {
    /// The number of open files and sockets.
    package let descriptorCount: Int
    /// The number of threads, or 0 where the system does not report it.
    package let threadCount: Int

    /// The current counts.
    package static var now: ProcessResources {
        #if os(Linux)
        ProcessResources(
            descriptorCount: count("/proc/self/fd"), threadCount: count("/proc/self/task"))
        #else
        ProcessResources(descriptorCount: count("/dev/fd"), threadCount: 0)
        #endif
    }

    private static func count(_ directory: String) -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: directory).count) ?? 0
    }

    /// Returns a Boolean value that indicates whether no resource was added since an earlier count.
    ///
    /// Up to four more threads are accepted, as the system starts and ends threads of its own.
    package func isWithin(_ earlier: ProcessResources) -> Bool {
        descriptorCount <= earlier.descriptorCount && threadCount <= earlier.threadCount + 4
    }

    /// The counts in words.
    package var description: String { "\(descriptorCount) descriptors and \(threadCount) threads" }
}
