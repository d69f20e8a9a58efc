// SPDX-License-Identifier: Apache-2.0

import RestDefinition

/// The division of a list into intervals of its cursor.
///
/// Intervals of dates end at the present. Integers have no present: after an interval without records, one without an
/// end follows, which has what is beyond a gap.
struct CursorIntervals: Sendable {
    let cursor: CursorDefinition
    /// The present, in seconds since 1970.
    let now: Int64

    private var format: CursorFormat { CursorFormat(cursor) }

    /// Returns the end of the interval that begins at a position; `nil` for the end of the list.
    func end(after start: String?) -> String? {
        switch cursor.step {
        case .count(let step)?:
            guard let number = start.flatMap({ Int64($0) }) else { return nil }
            let (end, overflow) = number.addingReportingOverflow(step)
            return overflow ? nil : String(end)
        case .duration(let step)?:
            var end = Double(now)
            if let seconds = start.flatMap({ CursorValue($0).seconds(as: cursor.format) }) {
                end = min(seconds + step / .seconds(1), end)
            }
            return format.text(seconds: end, like: start)
        case nil:
            if cursor.format == .integer { return nil }
            return format.text(seconds: Double(now), like: start)
        }
    }

    /// Returns the end of the first half of an interval; `nil` if it cannot be divided.
    func middle(of start: String?, _ end: String?) -> String? {
        guard let start, let end else { return nil }
        if let from = CursorValue(start).seconds(as: cursor.format),
            let to = CursorValue(end).seconds(as: cursor.format)
        {
            return to - from > 1
                ? format.text(seconds: ((from + to) / 2).rounded(.down), like: start) : nil
        }
        guard let from = Int64(start), let to = Int64(end), to > from, to - from > 1 else {
            return nil
        }
        return String(from + (to - from) / 2)
    }

    /// Returns the interval after one that has been read; `nil` at the end of the list.
    ///
    /// - Parameters:
    ///   - start: The start of the interval.
    ///   - end: Its end.
    ///   - isEmpty: A Boolean value that indicates whether it has no records.
    /// - Returns: The start and the end of the next one.
    func interval(
        after start: String?, _ end: String?, isEmpty: Bool
    ) -> (start: String, end: String?)? {
        guard let end, end != start else { return nil }
        if let seconds = CursorValue(end).seconds(as: cursor.format) {
            return seconds + 1 < Double(now) ? (end, self.end(after: end)) : nil
        }
        guard case .count? = cursor.step else { return nil }
        return (end, isEmpty ? nil : self.end(after: end))
    }
}
