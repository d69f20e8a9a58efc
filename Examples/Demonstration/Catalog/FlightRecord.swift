// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A scheduled flight in the demonstration's catalog.
struct FlightRecord: Sendable, Hashable {
    /// The airline's code and a generated number, such as `BA 101`.
    let number: String
    let airline: String
    /// The codes of the airports.
    let origin: String
    let destination: String
    /// The great-circle distance, in kilometres.
    let distance: Int
    /// The scheduled gate-to-gate time, in minutes.
    let duration: Int

    init(number: String, airline: String, from origin: AirportRecord, to destination: AirportRecord)
    {
        self.number = number
        self.airline = airline
        self.origin = origin.code
        self.destination = destination.code
        let kilometres = GreatCircle.distance(from: origin, to: destination)
        distance = Int(kilometres.rounded())
        // Half an hour for taxi and climb, then 850 km/h, rounded to five minutes.
        duration = Int(((30 + kilometres / 850 * 60) / 5).rounded()) * 5
    }
}

/// Great-circle distances on a spherical Earth.
enum GreatCircle {
    /// The mean radius of the Earth, in kilometres.
    ///
    /// - Source: International Union of Geodesy and Geophysics, R₁ of WGS 84.
    static let radius = 6371.0088

    /// Returns the distance between two airports in kilometres, by the haversine formula.
    static func distance(from origin: AirportRecord, to destination: AirportRecord) -> Double {
        let radians = Double.pi / 180
        let north = (destination.latitude - origin.latitude) * radians
        let east = (destination.longitude - origin.longitude) * radians
        let chord =
            pow(sin(north / 2), 2)
            + cos(origin.latitude * radians) * cos(destination.latitude * radians)
            * pow(sin(east / 2), 2)
        return 2 * radius * asin(min(1, chord.squareRoot()))
    }
}
