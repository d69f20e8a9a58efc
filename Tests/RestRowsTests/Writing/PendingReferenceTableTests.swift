// SPDX-License-Identifier: Apache-2.0

import GRDB
import TestSupport
import Testing

@testable import RestRows

/// The table of references that wait for their destinations.
@Suite struct PendingReferenceTableTests {
    private let database: DatabaseQueue

    init() throws { database = try DatabaseQueue() }

    private func row(_ owner: Int64, _ destination: String, _ attribute: String)
        -> PendingReferenceTable.Row
    {
        PendingReferenceTable.Row(
            owner: owner, entity: "Owner", relationship: "r", destination: destination,
            attribute: attribute, identity: .integer(owner), position: nil)
    }

    @Test(arguments: [
        [], ["A.id"], ["A.id", "A.name"], ["A.name", "B.id", "C.code", "C.id", "C.name", "D.x"],
    ])
    func groupsAreDestinationsAndAttributes(groups: [String]) throws {
        let found = try database.write { database in
            let table = PendingReferenceTable(database: database)
            try table.create()
            for (index, group) in groups.enumerated() {
                let names = group.split(separator: ".").map { String($0) }
                try table.insert(
                    (0..<5).map { row(Int64(index * 5 + $0), names[0], names[1]) })
            }
            return try table.groups().map { "\($0.destination).\($0.attribute)" }
        }
        #expect(found.sorted() == groups)
    }

    /// Each save needs the groups, however many references wait.
    @Test func groupsAreFoundWithoutScan() throws {
        let plan = try database.write { database in
            try PendingReferenceTable(database: database).create()
            let query = "EXPLAIN QUERY PLAN " + PendingReferenceTable.groupQuery
            return try Row.fetchAll(database, sql: query).map { $0["detail"] as String }
        }
        #expect(plan.count { $0.contains("USING COVERING INDEX restkit_index_pending") } == 4)
        #expect(!plan.contains { $0.hasPrefix("SCAN \(PendingReferenceTable.name)") })
        #expect(!plan.contains { $0.hasPrefix("SCAN p") })
    }
}
