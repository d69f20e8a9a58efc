// SPDX-License-Identifier: Apache-2.0

/// The state of a list that has been read to its end.
struct WalkEnd: Sendable {
    let list: ListState
    /// The number of pages of the list.
    let pageCount: Int
    /// A Boolean value that indicates whether everything was read, and not only changes.
    let isFull: Bool
    /// A Boolean value that indicates whether the server does not have the rows that the list has lost.
    let isProven: Bool
    /// A Boolean value that indicates whether the rows of removed pages are noted as missing.
    let notesMissing: Bool

    /// Saves the state, and removes what the list does not have any more.
    ///
    /// - Returns: The number of the list.
    func save(in tables: MirrorTables) throws -> Int64 {
        let id = try tables.store(list)
        try tables.removeWalk(of: id)
        guard isFull else { return id }
        try tables.removePages(from: pageCount, of: id, notesMissing: notesMissing)
        try tables.settleMissing(in: id)
        if isProven { try tables.markMissingProven(in: id) }
        return id
    }

    /// Returns whether saving the state changes a file with the former one.
    func changes(_ known: StoredList) -> Bool {
        if list != known.state || known.walk != nil { return true }
        return isFull
            && (known.exceeds(pageCount: pageCount) || isProven && known.hasUnprovenMissing)
    }
}

/// The end of a list with one page, which is saved with the page.
extension ListWalk {
    /// Returns the end of the walk if the first page is the last one, and no further pass has to prove anything.
    mutating func endAfterOnlyPage(_ pass: Pass) -> WalkEnd? {
        guard pass.pageCount == 1, passNumber == 1, !pass.isResumed, !pass.isGone else {
            return nil
        }
        // One response with records is one state of the list.
        let isStable = pass.changedCount == 0 || pass.walk.recordCount > 0
        if !isStable, pass.isFull, plan.deletesByWalk, stored.id != nil { return nil }
        return end(of: pass, isStable: isStable)
    }

    /// Waits until the last page has been written, which ``run()`` does not.
    ///
    /// The next list can be requested meanwhile, and transactions are shared by many lists.
    ///
    /// - Throws: ``MirrorError`` of the transaction.
    mutating func finishLastPage() async throws {
        var page = lastPage
        lastPage = nil
        try await finish(&page)
    }
}
