// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The counts of the resources that the process has open.
package struct ProcessResources: Hashable, CustomStringConvertible {
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

extension ProcessResources {
    /// Requires that work which is repeated leaves no resource open.
    ///
    /// The work runs four times: twice to create what a process creates once, and twice to compare.
    /// The system releases sockets and threads after the objects that used them, so that both counts
    /// are awaited: the first until it is stable, the second until it is within the first.
    package static func requireRelease(after work: () async throws -> Void) async throws {
        for _ in 0..<2 { try await work() }
        let before = try await stable()
        for _ in 0..<2 { try await work() }
        let isReleased = try await eventually { now.isWithin(before) }
        try require(isReleased, "\(now) at the end, \(before) before")
    }

    /// Waits until the counts have not changed for half a second, but not longer than ten seconds.
    private static func stable() async throws -> ProcessResources {
        var (last, repetitions) = (now, 0)
        for _ in 0..<200 where repetitions < 10 {
            try await Task.sleep(for: .milliseconds(50))
            let current = now
            repetitions = current == last ? repetitions + 1 : 0
            last = current
        }
        return last
    }
}
