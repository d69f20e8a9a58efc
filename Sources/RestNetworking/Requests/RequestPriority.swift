// SPDX-License-Identifier: Apache-2.0

/// The priority of a request in the queue of an object manager, and of mapping its response.
public enum RequestPriority: Int, Sendable, Hashable, Comparable, CaseIterable {
    case veryLow = -2
    case low = -1
    case normal = 0
    case high = 1
    case veryHigh = 2

    /// Returns a Boolean value that indicates whether a priority is lower than another one.
    public static func < (left: RequestPriority, right: RequestPriority) -> Bool {
        left.rawValue < right.rawValue
    }
}
