// SPDX-License-Identifier: Apache-2.0

extension AirportTable {
    static let asiaAndPacific = [
        AirportRecord(
            "AKL", "Auckland Airport", "Auckland",
            "New Zealand", -37.0081, 174.7917, 23, 1966,
            terminals: "D=Domestic Terminal, I=International Terminal"),
        AirportRecord(
            "BKK", "Suvarnabhumi Airport", "Bangkok",
            "Thailand", 13.6811, 100.7472, 5, 2006, terminals: "M=Main Terminal"),
        AirportRecord(
            "BLR", "Kempegowda International Airport", "Bengaluru",
            "India", 13.1979, 77.7063, 3000, 2008, terminals: "1, 2"),
        AirportRecord(
            "BNE", "Brisbane Airport", "Brisbane",
            "Australia", -27.3842, 153.1175, 13, 1988,
            terminals: "D=Domestic Terminal, I=International Terminal"),
        AirportRecord(
            "BOM", "Chhatrapati Shivaji Maharaj International Airport", "Mumbai",
            "India", 19.0887, 72.8679, 39, 1942, terminals: "1, 2"),
        AirportRecord(
            "CGK", "Soekarno–Hatta International Airport", "Jakarta",
            "Indonesia", -6.1256, 106.6558, 34, 1985, terminals: "1, 2, 3"),
        AirportRecord(
            "DEL", "Indira Gandhi International Airport", "Delhi",
            "India", 28.5665, 77.1031, 777, 1962, terminals: "1, 2, 3"),
        AirportRecord(
            "HKG", "Hong Kong International Airport", "Hong Kong",
            "Hong Kong", 22.3089, 113.9146, 28, 1998, terminals: "1"),
        AirportRecord(
            "HND", "Haneda Airport", "Tokyo",
            "Japan", 35.5533, 139.7811, 35, 1931, terminals: "1, 2, 3"),
        AirportRecord(
            "ICN", "Incheon International Airport", "Seoul",
            "South Korea", 37.4602, 126.4407, 23, 2001, terminals: "1, 2"),
        AirportRecord(
            "KIX", "Kansai International Airport", "Osaka",
            "Japan", 34.4273, 135.2440, 26, 1994, terminals: "1, 2"),
        AirportRecord(
            "KUL", "Kuala Lumpur International Airport", "Kuala Lumpur",
            "Malaysia", 2.7456, 101.7099, 69, 1998, terminals: "1, 2"),
        AirportRecord(
            "MEL", "Melbourne Airport", "Melbourne",
            "Australia", -37.6733, 144.8433, 434, 1970, terminals: "1, 2, 3, 4"),
        AirportRecord(
            "MNL", "Ninoy Aquino International Airport", "Manila",
            "Philippines", 14.5086, 121.0194, 75, 1948, terminals: "1, 2, 3"),
        AirportRecord(
            "NRT", "Narita International Airport", "Tokyo",
            "Japan", 35.7647, 140.3864, 141, 1978, terminals: "1, 2, 3"),
        AirportRecord(
            "PEK", "Beijing Capital International Airport", "Beijing",
            "China", 40.0725, 116.5975, 116, 1958, terminals: "2, 3"),
        AirportRecord(
            "PKX", "Beijing Daxing International Airport", "Beijing",
            "China", 39.5098, 116.4105, 98, 2019, terminals: "M=Main Terminal"),
        AirportRecord(
            "PVG", "Shanghai Pudong International Airport", "Shanghai",
            "China", 31.1434, 121.8052, 13, 1999, terminals: "1, 2"),
        AirportRecord(
            "SIN", "Singapore Changi Airport", "Singapore",
            "Singapore", 1.3592, 103.9894, 22, 1981, terminals: "1, 2, 3, 4"),
        AirportRecord(
            "SYD", "Sydney Kingsford Smith Airport", "Sydney",
            "Australia", -33.9461, 151.1772, 21, 1920, terminals: "1, 2, 3"),
        AirportRecord(
            "TPE", "Taiwan Taoyuan International Airport", "Taipei",
            "Taiwan", 25.0777, 121.2328, 106, 1979, terminals: "1, 2"),
    ]
}
