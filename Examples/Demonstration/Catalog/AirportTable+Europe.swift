// SPDX-License-Identifier: Apache-2.0

extension AirportTable {
    static let europe = [
        AirportRecord(
            "AMS", "Amsterdam Airport Schiphol", "Amsterdam",
            "Netherlands", 52.3086, 4.7639, -11, 1916, terminals: "M=Main Terminal"),
        AirportRecord(
            "ATH", "Athens International Airport", "Athens",
            "Greece", 37.9364, 23.9472, 308, 2001, terminals: "M=Main Terminal"),
        AirportRecord(
            "BCN", "Josep Tarradellas Barcelona–El Prat Airport", "Barcelona",
            "Spain", 41.2971, 2.0785, 12, 1924, terminals: "1, 2"),
        AirportRecord(
            "BER", "Berlin Brandenburg Airport", "Berlin",
            "Germany", 52.3667, 13.5033, 157, 2020, terminals: "1, 2"),
        AirportRecord(
            "BUD", "Budapest Ferenc Liszt International Airport", "Budapest",
            "Hungary", 47.4394, 19.2619, 495, 1950, terminals: "2A, 2B"),
        AirportRecord(
            "CDG", "Charles de Gaulle Airport", "Paris",
            "France", 49.0097, 2.5478, 392, 1974, terminals: "1, 2A, 2B, 2C, 2D, 2E, 2F, 2G, 3"),
        AirportRecord(
            "CPH", "Copenhagen Airport", "Copenhagen",
            "Denmark", 55.6181, 12.6561, 17, 1925, terminals: "2, 3"),
        AirportRecord(
            "DUB", "Dublin Airport", "Dublin",
            "Ireland", 53.4214, -6.2700, 242, 1940, terminals: "1, 2"),
        AirportRecord(
            "FCO", "Leonardo da Vinci–Fiumicino Airport", "Rome",
            "Italy", 41.8003, 12.2389, 13, 1961, terminals: "1, 3"),
        AirportRecord(
            "FRA", "Frankfurt Airport", "Frankfurt am Main",
            "Germany", 50.0333, 8.5706, 364, 1936, terminals: "1, 2"),
        AirportRecord(
            "HEL", "Helsinki Airport", "Helsinki",
            "Finland", 60.3172, 24.9633, 179, 1952, terminals: "M=Main Terminal"),
        AirportRecord(
            "IST", "Istanbul Airport", "Istanbul",
            "Türkiye", 41.2608, 28.7424, 325, 2018, terminals: "M=Main Terminal"),
        AirportRecord(
            "KEF", "Keflavík International Airport", "Reykjavík",
            "Iceland", 63.9850, -22.6056, 171, 1943, terminals: "L=Leifur Eiríksson Air Terminal"),
        AirportRecord(
            "LHR", "Heathrow Airport", "London",
            "United Kingdom", 51.4706, -0.4619, 83, 1946,
            terminals: "2=Terminal 2: The Queen's Terminal, 3, 4, 5"),
        AirportRecord(
            "LIS", "Humberto Delgado Airport", "Lisbon",
            "Portugal", 38.7742, -9.1342, 374, 1942, terminals: "1, 2"),
        AirportRecord(
            "MAD", "Adolfo Suárez Madrid–Barajas Airport", "Madrid",
            "Spain", 40.4936, -3.5668, 1998, 1931, terminals: "1, 2, 3, 4, 4S"),
        AirportRecord(
            "MUC", "Munich Airport", "Munich",
            "Germany", 48.3538, 11.7861, 1487, 1992, terminals: "1, 2"),
        AirportRecord(
            "ORY", "Paris Orly Airport", "Paris",
            "France", 48.7233, 2.3794, 291, 1932,
            terminals: "1=Orly 1, 2=Orly 2, 3=Orly 3, 4=Orly 4"),
        AirportRecord(
            "OSL", "Oslo Airport, Gardermoen", "Oslo",
            "Norway", 60.1939, 11.1004, 681, 1998, terminals: "M=Main Terminal"),
        AirportRecord(
            "PRG", "Václav Havel Airport Prague", "Prague",
            "Czechia", 50.1008, 14.2600, 1247, 1937, terminals: "1, 2"),
        AirportRecord(
            "WAW", "Warsaw Chopin Airport", "Warsaw",
            "Poland", 52.1657, 20.9671, 362, 1934, terminals: "A"),
    ]
}
