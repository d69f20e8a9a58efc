// SPDX-License-Identifier: Apache-2.0

#if Macros
import RestCommands
import RestKit

/// Steps that print tables from the database.
extension DemoStep {
    /// Prints the airports with the most terminals.
    static let largestAirports = DemoStep("largest") { session in
        let rows = try await session.store.perform { context in
            try context.fetch(Airport.self, where: { $0.terminals.count > 3 }, orderBy: \.code)
                .map { airport in
                    LargeAirport(
                        code: airport.code, name: airport.name, country: airport.country,
                        terminals: airport.terminals.count, departures: airport.departures.count)
                }
        }
        var table = TextTable(
            .text(""), .text("airport"), .text("country"), .number("terminals"),
            .number("departures"))
        for row in rows.sorted(by: { $0.terminals > $1.terminals }).prefix(8) {
            table.add(
                row.code, row.name, row.country, "\(row.terminals)", "\(row.departures)")
        }
        return Outcome(
            summary: "\(rows.count) airports have more than three terminals",
            details: table.lines(on: session.console))
    }

    /// Prints the longest flights.
    static let longestFlights = DemoStep("longest") { session in
        let rows = try await session.store.perform { context in
            try context.fetch(
                Flight.self, where: { $0.distance > 12_000 },
                orderBy: [FetchOrdering(\Flight.distance, ascending: false)]
            ).map { flight in
                LongFlight(
                    number: flight.number, airline: flight.airline,
                    origin: flight.origin?.city ?? "", destination: flight.destination?.city ?? "",
                    distance: flight.distance, duration: flight.duration)
            }
        }
        var table = TextTable(
            .text(""), .text("airline"), .text("from"), .text("to"), .number("km"), .number("time"))
        for row in rows.prefix(8) {
            let minutes = row.duration % 60
            table.add(
                row.number, row.airline, row.origin, row.destination, "\(row.distance)",
                "\(row.duration / 60):\(minutes < 10 ? "0" : "")\(minutes)")
        }
        return Outcome(
            summary: "\(rows.count) flights are longer than 12 000 km",
            details: table.lines(on: session.console))
    }
}

extension DemoStep {
    /// Finds notices by words, the most relevant first.
    static let search = DemoStep("search") { session in
        let found = try await session.store.read { context in
            try context.search(Notice.self, .all("train closed"), limit: 5).map { result in
                FoundNotice(
                    airport: result.object.airport?.code ?? "", relevance: result.relevance,
                    snippet: result.snippet(of: result.object.text, words: 11).marked("[", "]"))
            }
        }
        try session.expect(found.count, 3, "notices with the words train and closed")
        guard found.allSatisfy({ $0.snippet.contains("[train") || $0.snippet.contains("[Train") })
        else { throw ToolError(.unexpectedResult, "a snippet without the words of the search") }
        var table = TextTable(
            .text(""), TextTable.Column(title: "text", maximumWidth: 60), .number("relevance"))
        for notice in found {
            let hundredths = Int((notice.relevance * 100).rounded())
            let fraction = "\(100 + hundredths % 100)".dropFirst()
            table.add(notice.airport, notice.snippet, "\(hundredths / 100).\(fraction)")
        }
        return Outcome(
            summary: "\(found.count) notices have words that begin with train and closed",
            details: table.lines(on: session.console))
    }
}

private struct FoundNotice: Sendable {
    let airport: String
    let relevance: Double
    let snippet: String
}

private struct LargeAirport: Sendable {
    let code: String
    let name: String
    let country: String
    let terminals: Int
    let departures: Int
}

private struct LongFlight: Sendable {
    let number: String
    let airline: String
    let origin: String
    let destination: String
    let distance: Int
    let duration: Int
}
#endif
