// SPDX-License-Identifier: Apache-2.0

/// A notice to travellers in the demonstration's catalog, or one that a client has added.
struct NoticeRecord: Sendable, Hashable {
    /// The number that the server has given.
    let id: Int
    /// The code of the airport.
    var airport: String
    var text: String
}

/// The notices at the start of the server, which are invented.
enum NoticeTable {
    static let notices: [NoticeRecord] = [
        ("OSL", "The northern security hall is closed at night. Use the southern hall."),
        ("LHR", "Trains leave from Terminal 5 while Terminal 4 is closed."),
        ("CDG", "The shuttle train between the terminals stops at night; a bus replaces it."),
        ("JFK", "Expect long queues at passport control in the evening."),
        ("SFO", "Fog delays landings in the morning. Flights are often half an hour late."),
        ("KEF", "Wind closes the bridges to the aircraft: buses take travellers to the terminal."),
        ("SIN", "The indoor waterfall is switched off for cleaning until noon."),
        ("FRA", "The train between the terminals is closed. A bus runs every 5 minutes."),
        ("DEN", "The checkpoint at the bridge is closed. Take the train to the other one."),
        ("HND", "The last train to the city leaves at midnight."),
        ("MUC", "Dogs wait for their owners at the service desk of the train station."),
        ("SYD", "The curfew begins at 23:00. Late flights are moved to the next morning."),
    ].enumerated().map { NoticeRecord(id: $0 + 1, airport: $1.0, text: $1.1) }
}
