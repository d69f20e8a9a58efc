// SPDX-License-Identifier: Apache-2.0

/// A reference to another resource by its identity: `{"code": "OSL"}`.
struct Reference: Codable {
    let code: String
}

/// The representation of an airport, with its terminals nested.
struct AirportRepresentation: Encodable {
    /// The representation of a terminal inside its airport.
    struct Terminal: Encodable {
        let code: String
        let name: String
    }

    let record: AirportRecord

    private enum CodingKeys: String, CodingKey {
        case code
        case name
        case city
        case country
        case latitude
        case longitude
        case elevation = "elevation_ft"
        case opened
        case terminals
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(record.code, forKey: .code)
        try container.encode(record.name, forKey: .name)
        try container.encode(record.city, forKey: .city)
        try container.encode(record.country, forKey: .country)
        try container.encode(record.latitude, forKey: .latitude)
        try container.encode(record.longitude, forKey: .longitude)
        try container.encode(record.elevation, forKey: .elevation)
        try container.encode(record.opened, forKey: .opened)
        try container.encode(
            record.terminals.map { Terminal(code: $0.code, name: $0.name) }, forKey: .terminals)
    }
}

/// The representation of a terminal, with a reference to its airport.
struct TerminalRepresentation: Encodable {
    let record: TerminalRecord

    private enum CodingKeys: String, CodingKey {
        case code
        case name
        case namedAfter = "named_after"
        case airport
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(record.code, forKey: .code)
        try container.encode(record.name, forKey: .name)
        try container.encode(record.namedAfter, forKey: .namedAfter)
        try container.encode(Reference(code: record.airport), forKey: .airport)
    }
}

/// The representation of a flight, with references to its airports.
struct FlightRepresentation: Encodable {
    let record: FlightRecord

    private enum CodingKeys: String, CodingKey {
        case number
        case airline
        case origin
        case destination
        case distance = "distance_km"
        case duration = "duration_minutes"
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(record.number, forKey: .number)
        try container.encode(record.airline, forKey: .airline)
        try container.encode(Reference(code: record.origin), forKey: .origin)
        try container.encode(Reference(code: record.destination), forKey: .destination)
        try container.encode(record.distance, forKey: .distance)
        try container.encode(record.duration, forKey: .duration)
    }
}

/// The representation of a notice, with a reference to its airport.
struct NoticeRepresentation: Encodable {
    let record: NoticeRecord

    private enum CodingKeys: String, CodingKey {
        case id
        case text
        case airport
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(record.id, forKey: .id)
        try container.encode(record.text, forKey: .text)
        try container.encode(Reference(code: record.airport), forKey: .airport)
    }
}

/// The number of resources in each collection: the document at the root.
struct CountsRepresentation: Encodable {
    let airports: Int
    let terminals: Int
    let flights: Int
    let notices: Int
}

/// The body of every response with a status of 400 or above.
struct FaultRepresentation: Encodable {
    struct Fault: Encodable {
        let status: Int
        let message: String
    }

    let error: Fault

    init(status: Int, message: String) { error = Fault(status: status, message: message) }
}
