// SPDX-License-Identifier: Apache-2.0

/// Facts about one airport, as the demonstration's server knows them.
struct AirportRecord: Sendable, Hashable {
    /// IATA code.
    let code: String
    let name: String
    let city: String
    let country: String
    /// Degrees north.
    let latitude: Double
    /// Degrees east.
    let longitude: Double
    /// Feet above the sea, as charts have it.
    let elevation: Int
    /// Year in which it opened; `nil` where sources differ.
    let opened: Int?
    /// Its passenger terminals in use.
    let terminals: [TerminalRecord]

    /// Makes a record.
    ///
    /// Terminals are codes separated by commas: `2E` stands for "Terminal 2E", any other
    /// name follows its code, as in `D=Domestic Terminal`.
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
            let sign = parts[0].drop { $0 == " " }
            return TerminalRecord(
                code: "\(code)-\(sign)", name: parts.count > 1 ? "\(parts[1])" : "Terminal \(sign)",
                airport: code)
        }
    }
}

/// One passenger terminal.
struct TerminalRecord: Sendable, Hashable {
    /// The airport's code and the terminal's own, such as `CDG-2E`.
    let code: String
    let name: String
    /// Code of its airport.
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
