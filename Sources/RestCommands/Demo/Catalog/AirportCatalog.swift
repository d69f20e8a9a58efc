// SPDX-License-Identifier: Apache-2.0

/// What the demonstration's server serves: airports, their terminals, flights between them.
///
/// Airports, terminals and routes are facts, written down in tables. What follows from them is
/// computed, the same way each time: every route is flown out and back, numbers count up,
/// distances follow from the coordinates and durations from the distances.
struct AirportCatalog: Sendable {
    /// In the order of their codes.
    let airports: [AirportRecord]
    /// In the order of their airports.
    let terminals: [TerminalRecord]
    /// In the order of the airlines.
    let flights: [FlightRecord]

    /// The facts of the tables.
    init() {
        let airports = AirportTable.airports.sorted { $0.code < $1.code }
        let places = Dictionary(uniqueKeysWithValues: airports.map { ($0.code, $0) })
        func place(_ code: Substring) -> AirportRecord {
            guard let airport = places[String(code)] else {
                preconditionFailure("the route table names \(code), which is no airport")
            }
            return airport
        }
        var flights: [FlightRecord] = []
        var last: [String: Int] = [:]
        for route in RouteTable.routes {
            let hub = place(Substring(route.hub))
            for code in route.destinations.split(separator: " ") {
                let number = last[route.airline, default: 100]
                last[route.airline] = number + 2
                let destination = place(code)
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
