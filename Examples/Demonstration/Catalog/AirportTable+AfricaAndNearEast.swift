// SPDX-License-Identifier: Apache-2.0

extension AirportTable {
    static let africaAndNearEast = [
        AirportRecord(
            "ADD", "Bole International Airport", "Addis Ababa",
            "Ethiopia", 8.9778, 38.7994, 7630, 1961, terminals: "1, 2"),
        AirportRecord(
            "AUH", "Zayed International Airport", "Abu Dhabi",
            "United Arab Emirates", 24.4331, 54.6511, 88, 1982, terminals: "A"),
        AirportRecord(
            "CAI", "Cairo International Airport", "Cairo",
            "Egypt", 30.1219, 31.4056, 382, nil, terminals: "1, 2, 3"),
        AirportRecord(
            "DOH", "Hamad International Airport", "Doha",
            "Qatar", 25.2731, 51.6081, 13, 2014, terminals: "M=Main Terminal"),
        AirportRecord(
            "DXB", "Dubai International Airport", "Dubai",
            "United Arab Emirates", 25.2528, 55.3644, 62, 1960, terminals: "1, 2, 3"),
        AirportRecord(
            "JNB", "O. R. Tambo International Airport", "Johannesburg",
            "South Africa", -26.1392, 28.2460, 5558, 1952, terminals: "A, B"),
        AirportRecord(
            "RUH", "King Khalid International Airport", "Riyadh",
            "Saudi Arabia", 24.9578, 46.6989, 2049, 1983, terminals: "1, 2, 3, 4, 5"),
        AirportRecord(
            "TLV", "Ben Gurion Airport", "Tel Aviv",
            "Israel", 32.0094, 34.8828, 134, 1936, terminals: "1, 3"),
    ]
}
