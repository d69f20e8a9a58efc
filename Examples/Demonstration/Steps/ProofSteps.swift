// SPDX-License-Identifier: Apache-2.0

#if Macros
import RestCommands
import RestKit

/// Steps that verify the content of the database.
extension DemoStep {
    /// Verifies that terminals and flights are connected to their airports in both directions.
    static let relations = DemoStep("relations") { session in
        let loose = try await session.store.perform { context in
            try context.fetchIDs(FetchRequest(Terminal.self, where: { $0.airport == nil })).count
                + context.fetchIDs(
                    FetchRequest(
                        Flight.self, where: { $0.origin == nil || $0.destination == nil })
                ).count
        }
        try session.expect(loose, 0, "terminals and flights without an airport")
        let ends = try await session.store.perform { context in
            try context.fetch(Airport.self).reduce(into: (terminals: 0, flights: 0)) {
                $0.terminals += $1.terminals.count
                $0.flights += $1.departures.count + $1.arrivals.count
            }
        }
        let catalog = session.server.catalog
        try session.expect(ends.terminals, catalog.terminals.count, "terminals of all airports")
        try session.expect(
            ends.flights, 2 * catalog.flights.count, "departures and arrivals of all airports")
        return Outcome(
            summary: "\(ends.terminals) terminals and \(ends.flights) ends of flights are connected"
        )
    }

    /// Verifies every row against the server's resources through a newly opened store.
    static let rows = DemoStep("rows") { session in
        let store = try await DemoSession.openStore(session.file)
        let rows = try await store.perform { context in
            (
                airports: try context.fetch(Airport.self, orderBy: \.code).map(AirportRow.init),
                terminals: try context.fetch(Terminal.self, orderBy: \.code).map(TerminalRow.init),
                flights: try context.fetch(Flight.self, orderBy: \.number).map(FlightRow.init),
                notices: try context.fetch(Notice.self, orderBy: \.id).map(NoticeRow.init)
            )
        }
        try store.close()
        let catalog = session.server.catalog
        try compare(rows.airports, catalog.airports.map(AirportRow.init), "Airport")
        try compare(rows.terminals, catalog.terminals.map(TerminalRow.init), "Terminal")
        try compare(rows.flights, catalog.flights.map(FlightRow.init), "Flight")
        try compare(rows.notices, session.server.notices.notices.map(NoticeRow.init), "Notice")
        let count =
            rows.airports.count + rows.terminals.count + rows.flights.count + rows.notices.count
        return Outcome(summary: "\(count) rows are as the server has them, value by value")
    }

    private static func compare<Row: ComparableRow>(
        _ found: [Row], _ expected: [Row], _ table: String
    ) throws {
        guard found.count == expected.count else {
            throw ToolError(
                .unexpectedResult,
                "table \(table) has \(found.count) rows, \(expected.count) expected")
        }
        let expected = Dictionary(uniqueKeysWithValues: expected.map { ($0.id, $0) })
        for row in found where expected[row.id] != row {
            throw ToolError(.unexpectedResult, "table \(table) has an unexpected row: \(row.id)")
        }
    }
}

/// The values of a row, or of the catalog's record for it.
private protocol ComparableRow: Sendable, Equatable, Identifiable<String> {}

private struct AirportRow: ComparableRow {
    let id: String
    let texts: [String]
    let position: [Double]
    let elevation: Int
    let opened: Int?

    init(_ airport: Airport) {
        id = airport.code
        texts = [airport.name, airport.city, airport.country]
        position = [airport.latitude, airport.longitude]
        elevation = airport.elevation
        opened = airport.opened
    }

    init(_ record: AirportRecord) {
        id = record.code
        texts = [record.name, record.city, record.country]
        position = [record.latitude, record.longitude]
        elevation = record.elevation
        opened = record.opened
    }
}

private struct TerminalRow: ComparableRow {
    let id: String
    let name: String
    let namedAfter: String?
    let airport: String?

    init(_ terminal: Terminal) {
        id = terminal.code
        name = terminal.name
        namedAfter = terminal.namedAfter
        airport = terminal.airport?.code
    }

    init(_ record: TerminalRecord) {
        id = record.code
        name = record.name
        namedAfter = record.namedAfter
        airport = record.airport
    }
}

private struct FlightRow: ComparableRow {
    let id: String
    let airline: String
    let ends: [String?]
    let distance: Int
    let duration: Int

    init(_ flight: Flight) {
        id = flight.number
        airline = flight.airline
        ends = [flight.origin?.code, flight.destination?.code]
        distance = flight.distance
        duration = flight.duration
    }

    init(_ record: FlightRecord) {
        id = record.number
        airline = record.airline
        ends = [record.origin, record.destination]
        distance = record.distance
        duration = record.duration
    }
}

private struct NoticeRow: ComparableRow {
    let id: String
    let text: String
    let airport: String?

    init(_ notice: Notice) {
        id = notice.id.map { "\($0)" } ?? ""
        text = notice.text
        airport = notice.airport?.code
    }

    init(_ record: NoticeRecord) {
        id = "\(record.id)"
        text = record.text
        airport = record.airport
    }
}
#endif
