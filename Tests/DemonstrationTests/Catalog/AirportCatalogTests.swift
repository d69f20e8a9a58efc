// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Demonstration

@Suite struct AirportCatalogTests {
    private let catalog = AirportCatalog()

    @Test func spansSeveralPages() {
        #expect(catalog.airports.count >= 40)
        #expect(catalog.terminals.count >= 100)
        #expect(catalog.flights.count >= 300)
    }

    @Test func identitiesAreUnique() {
        #expect(Set(catalog.airports.map(\.code)).count == catalog.airports.count)
        #expect(Set(catalog.terminals.map(\.code)).count == catalog.terminals.count)
        #expect(Set(catalog.flights.map(\.number)).count == catalog.flights.count)
    }

    @Test func recordsArePlausible() {
        for airport in catalog.airports {
            #expect(airport.code.count == 3 && airport.code.allSatisfy(\.isUppercase))
            #expect(abs(airport.latitude) < 70 && abs(airport.longitude) <= 180)
            #expect(!airport.terminals.isEmpty)
        }
    }

    @Test func namesakesBelongToTerminals() {
        #expect(catalog.terminals.count { $0.namedAfter != nil } == 10)
    }

    @Test func everyRouteHasOneFlightEachWay() {
        let routes = catalog.flights.map { "\($0.airline) \($0.origin) \($0.destination)" }
        #expect(Set(routes).count == routes.count)
        let back = catalog.flights.map { "\($0.airline) \($0.destination) \($0.origin)" }
        #expect(Set(routes) == Set(back))
        #expect(catalog.flights.allSatisfy { $0.origin != $0.destination })
    }

    @Test func isDeterministic() {
        let other = AirportCatalog()
        #expect(other.airports == catalog.airports)
        #expect(other.flights == catalog.flights)
    }

    /// Published distances in kilometres; spheroid and sphere differ by half a percent.
    @Test(arguments: [
        ("LHR", "JFK", 5540.0), ("SIN", "JFK", 15349), ("SYD", "MEL", 706), ("AKL", "DOH", 14535),
    ])
    func distancesFollowFromTheCoordinates(
        origin: String, destination: String, kilometres: Double
    ) throws {
        let flight = try #require(
            catalog.flights.first { $0.origin == origin && $0.destination == destination })
        #expect(abs(Double(flight.distance) - kilometres) < 0.006 * kilometres)
    }

    @Test func durationsFollowFromDistances() {
        for flight in catalog.flights {
            #expect(flight.duration % 5 == 0)
            #expect(abs(Double(flight.duration) - 30 - Double(flight.distance) * 60 / 850) <= 2.6)
        }
    }
}
