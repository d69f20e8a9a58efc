// SPDX-License-Identifier: Apache-2.0

#if Macros
import RestCommands
import RestKit

/// Steps that load the server's collections into the database.
extension DemoStep {
    /// Loads airports with their nested terminals.
    static let airports = DemoStep("airports") { session in
        let changes = try await session.mirrorAirports().changes
        return Outcome(changes: changes, summary: changes.text)
    }

    /// Loads terminals, which exist already: their identity finds the rows, and attributes that the
    /// airports left out are added.
    static let terminals = DemoStep("terminals") { session in
        let changes = try await session.mirrorTerminals().changes
        try session.expect(changes.inserted, 0, "new terminals")
        return Outcome(changes: changes, summary: changes.text)
    }

    /// Loads flights and connects them to stored airports.
    static let flights = DemoStep("flights") { session in
        let changes = try await session.mirrorFlights().changes
        return Outcome(changes: changes, summary: changes.text)
    }

    /// Loads the notices, and deletes rows that the list does not contain, such as those of an
    /// interrupted demonstration.
    static let notices = DemoStep("notices") { session in
        let changes = RowChanges(try await session.loadNotices(validating: false).changes)
        return Outcome(changes: changes, summary: changes.text)
    }

    /// Loads everything a second time: the server confirms pages that it does not send again.
    static let validation = DemoStep("validation") { session in
        let pages = try await session.mirrorAll(validating: true)
        guard pages.unmodifiedCount > 0 else {
            throw ToolError(.unexpectedResult, "the server confirmed no page as unmodified")
        }
        guard pages.changes.isEmpty else {
            throw ToolError(.unexpectedResult, "unmodified pages wrote rows: \(pages.changes.text)")
        }
        return Outcome(
            changes: pages.changes,
            summary: "\(pages.unmodifiedCount) of \(pages.count) pages are unmodified; "
                + "the last page of a linked list is always sent")
    }

    /// Loads everything a third time, in full, and verifies that no row is written.
    static let again = DemoStep("again") { session in
        let rows = try await session.rows()
        let changes = try await session.mirrorAll(validating: false).changes
        guard changes.isEmpty else {
            throw ToolError(.unexpectedResult, "loading again wrote rows: \(changes.text)")
        }
        guard try await session.rows() == rows else {
            throw ToolError(.unexpectedResult, "loading again changed rows")
        }
        return Outcome(changes: changes, summary: "\(changes.text); all rows are the same")
    }
}

extension DemoSession {
    /// All rows as values.
    fileprivate func rows() async throws -> Set<AnyHashable> {
        let (airports, terminals, flights, notices) = try await store.read { context in
            (
                try context.fetch(Airport.self).map(Airport.Values.init),
                try context.fetch(Terminal.self).map(Terminal.Values.init),
                try context.fetch(Flight.self).map(Flight.Values.init),
                try context.fetch(Notice.self).map(Notice.Values.init)
            )
        }
        return Set(airports as [AnyHashable]).union(terminals as [AnyHashable])
            .union(flights as [AnyHashable]).union(notices as [AnyHashable])
    }

    fileprivate func mirrorAll(validating validates: Bool) async throws -> MirroredPages {
        var pages = try await mirrorAirports(validating: validates)
        pages += try await mirrorTerminals(validating: validates)
        pages += try await mirrorFlights(validating: validates)
        let notices = try await loadNotices(validating: validates)
        pages += MirroredPages(
            changes: RowChanges(notices.changes), count: 1,
            unmodifiedCount: notices.isNotModified ? 1 : 0)
        return pages
    }

    /// Loads all notices at once; a stored list is validated or sent again.
    fileprivate func loadNotices(validating validates: Bool) async throws -> ManagedResult {
        let loaded = try await api.getObjects(Notice.self, at: "notices", into: store) {
            $0.request.cachePolicy = validates ? .standard : .ignore
        }
        try expect(loaded.objectIDs.count, await totals().notices, "notices")
        return loaded
    }

    fileprivate func mirrorAirports(validating validates: Bool = true) async throws -> MirroredPages
    {
        try await mirror(
            Airport.self, at: "airports", by: .linkHeader, total: totals().airports,
            validating: validates)
    }

    fileprivate func mirrorTerminals(validating validates: Bool = true) async throws
        -> MirroredPages
    {
        try await mirror(
            Terminal.self, at: "terminals", by: .pageNumber(size: 50), total: totals().terminals,
            validating: validates)
    }

    fileprivate func mirrorFlights(validating validates: Bool = true) async throws -> MirroredPages
    {
        try await mirror(
            Flight.self, at: "flights", by: .linkHeader, total: totals().flights,
            validating: validates)
    }
}

extension RowChanges {
    /// The counts as a phrase.
    fileprivate var text: String {
        let written = [(inserted, "inserted"), (updated, "updated"), (deleted, "deleted")]
            .filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        return ((written.isEmpty ? ["nothing written"] : written) + ["\(unchanged) unchanged"])
            .joined(separator: ", ")
    }
}
#endif
