// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestPersistence
import TestSupport
import Testing

@Suite struct SavingTests {
    private let files: TemporaryStore

    init() throws { files = try TemporaryStore() }

    @Test func writesObjectsIntoOrdinaryTables() async throws {
        let store = try await files.open()
        let report = try await store.perform { context in
            let oslo = try context.insert(City.self)
            oslo.name = "Oslo"
            let airport = try context.insert(Airport.self)
            airport.code = "OSL"
            airport.name = "Gardermoen"
            airport.openedAt = Date(timeIntervalSince1970: 907_804_800.25)
            airport.city = oslo
            let terminal = try context.insert(Terminal.self)
            terminal.number = 1
            airport.terminals = [terminal]
            #expect(terminal.airport === airport)
            return try context.save()
        }
        #expect(report.inserted == 3)
        let rows = try files.rows(
            """
            SELECT code, Airport.name, openedAt, passengers, City.name, number FROM Airport
            JOIN City ON City.restkit_key = Airport.city
            JOIN Terminal ON Terminal.airport = Airport.restkit_key
            """)
        #expect(
            rows == [
                ["OSL", "Gardermoen", "1998-10-08T00:00:00.250000Z", "0", "Oslo", "1"]
            ])
    }
}
