// SPDX-License-Identifier: Apache-2.0

extension AirportTable {
    static let americas = [
        AirportRecord(
            "ATL", "Hartsfield–Jackson Atlanta International Airport", "Atlanta",
            "United States", 33.6367, -84.4281, 1026, 1926,
            terminals: "D=Domestic Terminal, I=International Terminal"),
        AirportRecord(
            "BOG", "El Dorado International Airport", "Bogotá",
            "Colombia", 4.7016, -74.1469, 8361, 1959, terminals: "1, 2"),
        AirportRecord(
            "BOS", "Logan International Airport", "Boston",
            "United States", 42.3631, -71.0064, 20, 1923, terminals: "A, B, C, E"),
        AirportRecord(
            "DEN", "Denver International Airport", "Denver",
            "United States", 39.8617, -104.6731, 5434, 1995, terminals: "J=Jeppesen Terminal"),
        AirportRecord(
            "DFW", "Dallas Fort Worth International Airport", "Dallas",
            "United States", 32.8969, -97.0381, 607, 1974, terminals: "A, B, C, D, E"),
        AirportRecord(
            "EWR", "Newark Liberty International Airport", "Newark",
            "United States", 40.6925, -74.1687, 17, 1928, terminals: "A, B, C"),
        AirportRecord(
            "GRU", "São Paulo–Guarulhos International Airport", "São Paulo",
            "Brazil", -23.4356, -46.4731, 2461, 1985, terminals: "1, 2, 3"),
        AirportRecord(
            "HNL", "Daniel K. Inouye International Airport", "Honolulu",
            "United States", 21.3187, -157.9225, 13, 1927, terminals: "1, 2"),
        AirportRecord(
            "IAH", "George Bush Intercontinental Airport", "Houston",
            "United States", 29.9844, -95.3414, 97, 1969, terminals: "A, B, C, D, E"),
        AirportRecord(
            "JFK", "John F. Kennedy International Airport", "New York",
            "United States", 40.6398, -73.7789, 13, 1948, terminals: "1, 4, 5, 7, 8"),
        AirportRecord(
            "LAS", "Harry Reid International Airport", "Las Vegas",
            "United States", 36.0801, -115.1522, 2181, nil, terminals: "1, 3"),
        AirportRecord(
            "LAX", "Los Angeles International Airport", "Los Angeles",
            "United States", 33.9425, -118.4081, 128, 1930,
            terminals: "1, 2, 3, 4, 6, 7, 8, B=Tom Bradley International Terminal"),
        AirportRecord(
            "LGA", "LaGuardia Airport", "New York",
            "United States", 40.7772, -73.8726, 21, 1939, terminals: "A, B, C"),
        AirportRecord(
            "MEX", "Mexico City International Airport", "Mexico City",
            "Mexico", 19.4363, -99.0721, 7316, nil, terminals: "1, 2"),
        AirportRecord(
            "MIA", "Miami International Airport", "Miami",
            "United States", 25.7933, -80.2906, 9, 1928,
            terminals: "N=North Terminal, C=Central Terminal, S=South Terminal"),
        AirportRecord(
            "MSP", "Minneapolis–Saint Paul International Airport", "Minneapolis",
            "United States", 44.8820, -93.2218, 841, nil, terminals: "1, 2"),
        AirportRecord(
            "ORD", "O'Hare International Airport", "Chicago",
            "United States", 41.9786, -87.9048, 680, 1944, terminals: "1, 2, 3, 5"),
        AirportRecord(
            "PHL", "Philadelphia International Airport", "Philadelphia",
            "United States", 39.8719, -75.2411, 36, nil,
            terminals: "AW=Terminal A-West, AE=Terminal A-East, B, C, D, E, F"),
        AirportRecord(
            "PHX", "Phoenix Sky Harbor International Airport", "Phoenix",
            "United States", 33.4343, -112.0116, 1135, 1935, terminals: "3, 4"),
        AirportRecord(
            "PTY", "Tocumen International Airport", "Panama City",
            "Panama", 9.0714, -79.3835, 135, 1947, terminals: "1, 2"),
        AirportRecord(
            "SCL", "Arturo Merino Benítez International Airport", "Santiago",
            "Chile", -33.3928, -70.7858, 1555, 1967, terminals: "1, 2"),
        AirportRecord(
            "SEA", "Seattle–Tacoma International Airport", "Seattle",
            "United States", 47.4489, -122.3094, 433, nil, terminals: "M=Main Terminal"),
        AirportRecord(
            "SFO", "San Francisco International Airport", "San Francisco",
            "United States", 37.6189, -122.3750, 13, 1927,
            terminals: "1=Harvey Milk Terminal 1, 2, 3, I=International Terminal"),
        AirportRecord(
            "YUL", "Montréal–Trudeau International Airport", "Montréal",
            "Canada", 45.4707, -73.7408, 118, 1941, terminals: "M=Main Terminal"),
        AirportRecord(
            "YVR", "Vancouver International Airport", "Vancouver",
            "Canada", 49.1947, -123.1839, 14, 1931, terminals: "M=Main Terminal, S=South Terminal"),
        AirportRecord(
            "YYZ", "Toronto Pearson International Airport", "Toronto",
            "Canada", 43.6767, -79.6306, 569, 1939, terminals: "1, 3"),
    ]
}
