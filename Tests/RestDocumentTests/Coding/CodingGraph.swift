// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A graph with everything that `Codable` supports: classes, enumerations, dictionaries, and manual
/// nesting.
struct Shop: Codable, Equatable {
    var name: String
    var opened: Date
    var site: URL
    var id: UUID
    var logo: Data
    var products: [Product]
    var stock: [String: Int]
    var aisles: [Int: String]
    var prices: [Currency: Decimal]
    var hours: [[Int?]]
    var tags: Set<String>
    var nothing: String?
    var twice: Int??
    var staff: [Employee]
    var tree: Tree
    var flat: Flat
    var ratio: Float
    var pair: Pair<Int8, [Double]>
    var empty: Empty
    var optionals: [String: Int?]

    struct Empty: Codable, Equatable {}

    struct Pair<First: Codable & Equatable, Second: Codable & Equatable>: Codable, Equatable {
        var first: First
        var second: Second
    }
}

enum Currency: String, Codable, CodingKeyRepresentable, Hashable {
    case euro
    case yen
}

enum Product: Codable, Equatable {
    case book(title: String, pages: Int)
    case food(String, Double?)
    case other
}

indirect enum Tree: Codable, Equatable {
    case leaf(Int)
    case branch([Tree])
}

class Employee: Codable, Equatable {
    var name: String
    var boss: Employee?

    init(name: String, boss: Employee? = nil) {
        self.name = name
        self.boss = boss
    }

    static func == (left: Employee, right: Employee) -> Bool {
        left.name == right.name && left.boss == right.boss
            && (left as? Cashier)?.till == (right as? Cashier)?.till
    }
}

final class Cashier: Employee {
    var till: Int

    init(name: String, till: Int) {
        self.till = till
        super.init(name: name)
    }

    private enum Keys: String, CodingKey {
        case till
    }

    required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        till = try container.decode(Int.self, forKey: .till)
        try super.init(from: container.superDecoder())
    }

    override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        try container.encode(till, forKey: .till)
        try super.encode(to: container.superEncoder())
    }
}

/// A flat type that is nested in documents.
struct Flat: Codable, Equatable {
    var street: String
    var floor: UInt16
    var points: [Double]

    enum Keys: String, CodingKey {
        case address
        case extra
    }

    enum Inner: String, CodingKey {
        case street
        case floor
    }

    init(street: String, floor: UInt16, points: [Double]) {
        self.street = street
        self.floor = floor
        self.points = points
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        let inner = try container.nestedContainer(keyedBy: Inner.self, forKey: .address)
        street = try inner.decode(String.self, forKey: .street)
        floor = try inner.decode(UInt16.self, forKey: .floor)
        var extra = try container.nestedUnkeyedContainer(forKey: .extra)
        points = []
        var pairs = try extra.nestedUnkeyedContainer()
        while !pairs.isAtEnd { points.append(try pairs.decode(Double.self)) }
        guard try extra.decodeNil(), try !extra.decodeNil() else {
            throw DecodingError.dataCorruptedError(in: extra, debugDescription: "null expected")
        }
        let last = try extra.nestedContainer(keyedBy: Inner.self)
        guard try last.decodeNil(forKey: .street), extra.isAtEnd else {
            throw DecodingError.dataCorruptedError(in: extra, debugDescription: "an end expected")
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        var inner = container.nestedContainer(keyedBy: Inner.self, forKey: .address)
        try inner.encode(street, forKey: .street)
        var extra = container.nestedUnkeyedContainer(forKey: .extra)
        var pairs = extra.nestedUnkeyedContainer()
        for point in points { try pairs.encode(point) }
        try extra.encodeNil()
        var last = extra.nestedContainer(keyedBy: Inner.self)
        try last.encodeNil(forKey: .street)
        // Deliberately out of order.
        try inner.encode(floor, forKey: .floor)
    }
}

extension Shop {
    static var sample: Shop {
        Shop(
            name: "Lädchen \"№1\"\n",
            opened: Date(timeIntervalSince1970: 1_714_564_800),
            site: URL(string: "https://shop.example/a%20b?x=1") ?? URL(fileURLWithPath: "/"),
            id: UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)),
            logo: Data([0, 255, 7, 8]),
            products: [
                .book(title: "A\tB", pages: 300), .food("Brot", 2.5), .food("Käse", nil), .other,
            ],
            stock: ["": 0, "a.b": -1, "\u{0}\"\\": 3, "é": 4, "e\u{301}x": 5],
            aisles: [1: "one", -7: "minus seven"],
            prices: [.euro: Decimal(string: "19.99") ?? 0, .yen: 3000],
            hours: [[9, nil, 17], [], [nil]],
            tags: ["x"],
            nothing: nil,
            twice: nil,
            staff: [Employee(name: "Ann", boss: Employee(name: "Bob")), Employee(name: "")],
            tree: .branch([.leaf(1), .branch([]), .branch([.leaf(2)])]),
            flat: Flat(street: "Gasse", floor: 65_535, points: [0.5, -1e-9, 3]),
            ratio: 0.1,
            pair: Pair(first: -128, second: [1.25]),
            empty: Empty(),
            optionals: ["some": 1, "none": nil])
    }
}
