// SPDX-License-Identifier: Apache-2.0

/// The routes of an airline from one of its hubs.
struct RouteRecord: Sendable {
    /// The airline's IATA code.
    let airline: String
    let name: String
    /// The code of the hub airport.
    let hub: String
    /// The codes of the destinations, separated by spaces.
    let destinations: String

    init(_ airline: String, _ name: String, from hub: String, to destinations: String) {
        self.airline = airline
        self.name = name
        self.hub = hub
        self.destinations = destinations
    }
}

/// The table of non-stop routes.
enum RouteTable {
    static let routes = [
        RouteRecord("AA", "American Airlines", from: "DFW", to: "LHR MAD HND GRU MEX"),
        RouteRecord("AC", "Air Canada", from: "YYZ", to: "LHR FRA HND DEL YVR YUL"),
        RouteRecord("AC", "Air Canada", from: "YVR", to: "SYD HKG"),
        RouteRecord("AF", "Air France", from: "CDG", to: "JFK LAX ATL YUL GRU SCL HND JNB CAI"),
        RouteRecord("AI", "Air India", from: "DEL", to: "LHR SFO SYD BOM BLR"),
        RouteRecord("AM", "Aeroméxico", from: "MEX", to: "MAD LHR ICN BOG"),
        RouteRecord("AS", "Alaska Airlines", from: "SEA", to: "BOS PHX HNL LAS"),
        RouteRecord("AV", "Avianca", from: "BOG", to: "MAD MIA GRU SCL"),
        RouteRecord("AY", "Finnair", from: "HEL", to: "HND SIN DFW DEL ICN"),
        RouteRecord("B6", "JetBlue", from: "JFK", to: "SFO LAX"),
        RouteRecord(
            "BA", "British Airways", from: "LHR", to: "JFK BOS SFO YYZ HKG SIN JNB DXB ATH BUD"),
        RouteRecord("BR", "EVA Air", from: "TPE", to: "LAX CDG BKK"),
        RouteRecord("CA", "Air China", from: "PEK", to: "FRA LHR JFK"),
        RouteRecord("CM", "Copa Airlines", from: "PTY", to: "MIA BOG GRU MEX"),
        RouteRecord("CX", "Cathay Pacific", from: "HKG", to: "LHR JFK SYD SIN"),
        RouteRecord("CZ", "China Southern Airlines", from: "PKX", to: "AMS LHR"),
        RouteRecord("DL", "Delta Air Lines", from: "ATL", to: "CDG AMS JNB HND MSP"),
        RouteRecord("DL", "Delta Air Lines", from: "SEA", to: "ICN PVG"),
        RouteRecord("EI", "Aer Lingus", from: "DUB", to: "JFK BOS LHR"),
        RouteRecord("EK", "Emirates", from: "DXB", to: "JFK LHR SYD AKL SIN JNB GRU"),
        RouteRecord("ET", "Ethiopian Airlines", from: "ADD", to: "FRA JNB DEL PEK"),
        RouteRecord("EY", "Etihad Airways", from: "AUH", to: "LHR SYD BKK"),
        RouteRecord("FI", "Icelandair", from: "KEF", to: "JFK SEA CPH LHR"),
        RouteRecord("GA", "Garuda Indonesia", from: "CGK", to: "SYD SIN HND"),
        RouteRecord("HA", "Hawaiian Airlines", from: "HNL", to: "HND SYD LAX"),
        RouteRecord("IB", "Iberia", from: "MAD", to: "JFK BOG SCL BCN"),
        RouteRecord("JL", "Japan Airlines", from: "HND", to: "JFK LHR HEL SIN"),
        RouteRecord("JL", "Japan Airlines", from: "NRT", to: "BOS SEA"),
        RouteRecord("KE", "Korean Air", from: "ICN", to: "LAX CDG PRG NRT"),
        RouteRecord("KL", "KLM", from: "AMS", to: "JFK GRU SIN JNB PRG"),
        RouteRecord("LA", "LATAM Airlines", from: "SCL", to: "SYD MAD GRU"),
        RouteRecord("LH", "Lufthansa", from: "FRA", to: "JFK ORD DEN GRU DEL MUC"),
        RouteRecord("LH", "Lufthansa", from: "MUC", to: "SFO EWR HND"),
        RouteRecord("LO", "LOT Polish Airlines", from: "WAW", to: "JFK ORD NRT BUD"),
        RouteRecord("LY", "El Al", from: "TLV", to: "JFK LHR FCO"),
        RouteRecord("MH", "Malaysia Airlines", from: "KUL", to: "LHR SYD CGK"),
        RouteRecord("MS", "Egyptair", from: "CAI", to: "JFK LHR RUH"),
        RouteRecord("MU", "China Eastern Airlines", from: "PVG", to: "LAX LHR MEL"),
        RouteRecord("NH", "All Nippon Airways", from: "HND", to: "FRA ORD SFO KIX"),
        RouteRecord("NZ", "Air New Zealand", from: "AKL", to: "SYD LAX JFK SIN"),
        RouteRecord("PR", "Philippine Airlines", from: "MNL", to: "LAX SFO HKG"),
        RouteRecord("QF", "Qantas", from: "SYD", to: "LAX JNB SCL HND MEL BNE"),
        RouteRecord("QR", "Qatar Airways", from: "DOH", to: "LHR DFW AKL BKK JNB"),
        RouteRecord("SK", "Scandinavian Airlines", from: "CPH", to: "EWR SFO OSL"),
        RouteRecord("SQ", "Singapore Airlines", from: "SIN", to: "JFK EWR LHR SYD MNL"),
        RouteRecord("SV", "Saudia", from: "RUH", to: "LHR CDG"),
        RouteRecord("TG", "Thai Airways", from: "BKK", to: "LHR CPH NRT MEL"),
        RouteRecord("TK", "Turkish Airlines", from: "IST", to: "JFK SFO GRU HKG ADD ATH"),
        RouteRecord("TP", "TAP Air Portugal", from: "LIS", to: "EWR BOS GRU"),
        RouteRecord("UA", "United Airlines", from: "SFO", to: "SYD SIN TPE"),
        RouteRecord("UA", "United Airlines", from: "EWR", to: "TLV DEL LAX"),
    ]
}
