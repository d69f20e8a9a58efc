// SPDX-License-Identifier: Apache-2.0

import RestDefinition

/// The position that all lists of a resource share, with `per_parent: false`.
///
/// The lists are read one after the other, so that a record can get an earlier position than that of the last list
/// after its own list was read. The next run therefore starts at a position of which it is known that all records up
/// to it existed when the first list was read: for dates the time of the first request, by the clock of the
/// server; for other positions the largest one of the run before.
struct SharedCursor: Sendable, Equatable {
    /// The position at which lists start; `nil` before the first complete run.
    var start: String?
    /// The largest position that any list has had.
    var high: String?

    /// The largest position in the lists of a run.
    private var runHigh: String?
    /// The time of the first request of a run, in seconds since 1970.
    private var startedAt: Int64?
    /// A Boolean value that indicates whether a list may have missed records.
    private var isHeld = false

    init(start: String? = nil, high: String? = nil) {
        self.start = start
        self.high = high
    }

    /// Notes a list that was read to its end.
    mutating func note(_ reached: WalkReach) {
        runHigh = ListWalk.later(runHigh, reached.high)
        if let time = reached.startedAt { startedAt = min(startedAt ?? time, time) }
        if reached.isHeld { isHeld = true }
    }

    /// Returns the positions after a run that has read all lists.
    func advanced(by cursor: CursorDefinition) -> SharedCursor {
        if isHeld { return SharedCursor(start: start, high: high) }
        let format = CursorFormat(cursor)
        if cursor.source == .requestTime {
            let time = startedAt.map { format.text(seconds: Double($0), like: nil) }
            return SharedCursor(start: time ?? start)
        }
        let newest = ListWalk.later(high, runHigh)
        guard let newest else { return SharedCursor(start: start, high: high) }
        if let seconds = CursorValue(newest).seconds(as: cursor.format) {
            guard let startedAt, seconds > Double(startedAt) else {
                return SharedCursor(start: newest, high: newest)
            }
            let time = format.text(seconds: Double(startedAt), like: newest)
            return SharedCursor(start: time, high: time)
        }
        return SharedCursor(start: high ?? start, high: newest)
    }
}

/// The end of what a walk has read of a list.
struct WalkReach: Sendable {
    /// The largest position among the records.
    var high: String?
    /// The time of the first request by the clock of the server, in seconds since 1970.
    var startedAt: Int64?
    /// A Boolean value that indicates whether records may have been missed, so that the cursor stays.
    var isHeld = false
}
