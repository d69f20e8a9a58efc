// SPDX-License-Identifier: Apache-2.0

import GRDB

/// The values that the schema has no place for.
extension MirrorTables {
    static let quarantine = "restkit_quarantine"

    /// The number of values that are kept for each resource.
    static let maximumQuarantineCount = 10_000

    /// Replaces the values that are kept of some records.
    ///
    /// Values of the same page, and those of the same records, do not exist any more or now fit.
    ///
    /// - Parameters:
    ///   - values: The values that do not fit.
    ///   - page: The number of the page.
    ///   - list: The list.
    ///   - resource: The resource.
    ///   - identities: Returns the identities of the records of the page.
    ///   - run: Returns the number of the run.
    /// - Throws: The error of the database.
    func replaceQuarantine(
        by values: [QuarantinedValue], ofPage page: Int, _ list: Int64, of resource: String,
        identities: () -> [String], run: () throws -> Int64
    ) throws {
        guard try !values.isEmpty || hasQuarantine(of: resource) else { return }
        if page >= 0 {
            try database.cachedStatement(
                sql: "DELETE FROM \(Self.quarantine) WHERE list = ? AND page = ?"
            ).execute(arguments: [list, page])
        }
        let removal = try database.cachedStatement(
            sql: "DELETE FROM \(Self.quarantine) WHERE list = ? AND identity = ?")
        for identity in Set(identities()) { try removal.execute(arguments: [list, identity]) }
        if values.isEmpty { return }
        let count = try quarantineCount(of: resource)
        let number = try run()
        let insertion = try database.cachedStatement(
            sql: """
                INSERT INTO \(Self.quarantine) \
                (resource, list, page, element, entity, identity, path, expected, value, run) \
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """)
        for value in values.prefix(max(0, Self.maximumQuarantineCount - count)) {
            try insertion.execute(arguments: [
                resource, list, page, value.element, value.entity, value.identity, value.path,
                value.expected, value.value, number,
            ])
        }
    }

    /// Removes the values of the pages of a list from a number on.
    func removeQuarantine(ofPagesFrom number: Int, of list: Int64) throws {
        try database.cachedStatement(
            sql: "DELETE FROM \(Self.quarantine) WHERE list = ? AND (page >= ? OR page < 0)"
        ).execute(arguments: [list, number])
    }

    private func hasQuarantine(of resource: String) throws -> Bool {
        let statement = try database.cachedStatement(
            sql: "SELECT 1 FROM \(Self.quarantine) WHERE resource = ? LIMIT 1")
        return try Int.fetchOne(statement, arguments: [resource]) != nil
    }

    /// Returns the number of values that are kept of a resource.
    func quarantineCount(of resource: String) throws -> Int {
        let statement = try database.cachedStatement(
            sql: "SELECT count(*) FROM \(Self.quarantine) WHERE resource = ?")
        return try Int.fetchOne(statement, arguments: [resource]) ?? 0
    }
}
