// SPDX-License-Identifier: Apache-2.0

import Foundation

/// One flight of a schedule.
struct FlightRecord: Sendable, Hashable {
    /// Code of the airline and a number of ours, such as `BA 101`.
    let number: String
    let airline: String
    /// Codes of the airports.
    let origin: String
    let destination: String
    /// Kilometres along the great circle.
    let distance: Int
    /// Scheduled minutes from gate to gate.
    let duration: Int

    init(number: String, airline: String, from origin: AirportRecord, to destination: AirportRecord)
    {
        self.number = number
        self.airline = airline
        self.origin = origin.code
        self.destination = destination.code
        let kilometres = GreatCircle.distance(from: origin, to: destination)
        distance = Int(kilometres.rounded())
        // Half an hour on the ground and in the climb, then 850 km/h, in steps of five minutes.
        duration = Int(((30 + kilometres / 850 * 60) / 5).rounded()) * 5
    }
}

/// Distances on the Earth taken as a sphere.
enum GreatCircle {
    /// Mean radius of the Earth in kilometres.
    ///
    /// - Source: International Union of Geodesy and Geophysics, R₁ of WGS 84.
    static let radius = 6371.0088

    /// Kilometres along the surface, by the haversine formula.
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
