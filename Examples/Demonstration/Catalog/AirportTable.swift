// SPDX-License-Identifier: Apache-2.0

/// Airports of the world and their passenger terminals.
enum AirportTable {
    static var airports: [AirportRecord] { americas + europe + africaAndNearEast + asiaAndPacific }
}
