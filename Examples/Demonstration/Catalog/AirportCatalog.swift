// SPDX-License-Identifier: Apache-2.0

/// The demonstration's data: airports, their terminals, flights between them, and notices.
///
/// Airports, terminals, routes and notices come from tables. Flights are computed from them in a
/// deterministic way: every route has an outbound and a return flight, numbers count up, distances
/// follow from the coordinates and durations from the distances.
struct AirportCatalog: Sendable {
    /// The airports, ordered by code.
    let airports: [AirportRecord]
    /// The terminals, ordered by airport.
    let terminals: [TerminalRecord]
    /// The flights, ordered by airline.
    let flights: [FlightRecord]
    /// The notices at the start of the server, ordered by number.
    let notices = NoticeTable.notices

    /// Creates the catalog from the tables.
    init() {
        let airports = AirportTable.airports.sorted { $0.code < $1.code }
        let airportsByCode = Dictionary(uniqueKeysWithValues: airports.map { ($0.code, $0) })
        func airport(_ code: Substring) -> AirportRecord {
            guard let airport = airportsByCode[String(code)] else {
                preconditionFailure("unknown airport \(code) in the route table")
            }
            return airport
        }
        var flights: [FlightRecord] = []
        var last: [String: Int] = [:]
        for route in RouteTable.routes {
            let hub = airport(Substring(route.hub))
            for code in route.destinations.split(separator: " ") {
                let number = last[route.airline, default: 100]
                last[route.airline] = number + 2
                let destination = airport(code)
                flights.append(
                    FlightRecord(
                        number: "\(route.airline) \(number + 1)", airline: route.name,
                        from: hub, to: destination))
                flights.append(
                    FlightRecord(
                        number: "\(route.airline) \(number + 2)", airline: route.name,
                        from: destination, to: hub))
            }
        }
        self.airports = airports
        terminals = airports.flatMap(\.terminals)
        self.flights = flights
    }
}
