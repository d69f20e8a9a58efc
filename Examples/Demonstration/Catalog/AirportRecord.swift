// SPDX-License-Identifier: Apache-2.0

/// An airport in the demonstration's catalog.
struct AirportRecord: Sendable, Hashable {
    /// The IATA code.
    let code: String
    let name: String
    let city: String
    let country: String
    /// The latitude, in degrees north.
    let latitude: Double
    /// The longitude, in degrees east.
    let longitude: Double
    /// The elevation above sea level, in feet.
    let elevation: Int
    /// The year of opening; `nil` where sources disagree.
    let opened: Int?
    /// The passenger terminals in use.
    let terminals: [TerminalRecord]

    /// Creates a record.
    ///
    /// Terminals are codes separated by commas. `2E` stands for "Terminal 2E"; any other name
    /// follows its code, as in `D=Domestic Terminal`.
    init(
        _ code: String, _ name: String, _ city: String, _ country: String, _ latitude: Double,
        _ longitude: Double, _ elevation: Int, _ opened: Int?, terminals: String
    ) {
        self.code = code
        self.name = name
        self.city = city
        self.country = country
        self.latitude = latitude
        self.longitude = longitude
        self.elevation = elevation
        self.opened = opened
        self.terminals = terminals.split(separator: ",").map { entry in
            let parts = entry.split(separator: "=", maxSplits: 1)
            let letter = parts[0].drop { $0 == " " }
            return TerminalRecord(
                code: "\(code)-\(letter)",
                name: parts.count > 1 ? "\(parts[1])" : "Terminal \(letter)",
                airport: code)
        }
    }
}

/// A passenger terminal in the demonstration's catalog.
struct TerminalRecord: Sendable, Hashable {
    /// The codes of airport and terminal, such as `CDG-2E`.
    let code: String
    let name: String
    /// The code of the airport.
    let airport: String
    /// The person it is named after.
    var namedAfter: String? { Self.namesakes[code] }

    private static let namesakes = [
        "ATL-I": "Maynard H. Jackson Jr.",
        "DEN-J": "Elrey Jeppesen",
        "KEF-L": "Leifur Eiríksson",
        "LAX-B": "Tom Bradley",
        "LHR-2": "Queen Elizabeth II",
        "MSP-1": "Charles Lindbergh",
        "MSP-2": "Hubert Humphrey",
        "PHX-3": "John S. McCain III",
        "PHX-4": "Barry M. Goldwater",
        "SFO-1": "Harvey Milk",
    ]
}
