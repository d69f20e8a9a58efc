// SPDX-License-Identifier: Apache-2.0

/// The rows of a pass over a list, by which a list is found that does not end.
///
/// A server can send a new cursor with the same records for ever. Inserted records move others to a later page,
/// so that some pages may repeat.
struct ListProgress: Sendable {
    /// The number of pages in a row that may have only rows of pages before.
    static let maximumRepeatedCount = 16
    /// The number of pages in a row that may have no records, as those of a filter can.
    static let maximumEmptyCount = 1_024

    private var rows = KeySet()
    private var repeatedCount = 0
    private var emptyCount = 0
    private var start: String?
    private var end: String?

    /// A Boolean value that indicates whether the list does not end.
    var hasEnded: Bool {
        repeatedCount >= Self.maximumRepeatedCount || emptyCount >= Self.maximumEmptyCount
    }

    /// Adds the rows of a page: those of an unmodified page, and those that a changed one has written.
    mutating func add(_ known: [Int64], _ written: [Int64], of walk: WalkState) {
        if (start, end) != (walk.start, walk.end) {
            // The pages of another interval of the cursor can be empty.
            (start, end, emptyCount, repeatedCount) = (walk.start, walk.end, 0, 0)
        }
        let count = rows.count
        for key in known { rows.insert(key) }
        for key in written { rows.insert(key) }
        if rows.count > count {
            (emptyCount, repeatedCount) = (0, 0)
        } else if known.isEmpty, written.isEmpty {
            emptyCount += 1
        } else {
            repeatedCount += 1
        }
    }
}
